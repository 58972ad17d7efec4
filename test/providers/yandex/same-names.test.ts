import { expect, it } from 'vitest';
import type { Step } from '../../../src/core/step.ts';
import { address, gateway, linked, network, said, stepOf } from './support/steps.ts';

const OTHER_FOLDER = 'b1gexamplefolder0002';
const twin = (more: Partial<Step> = {}, name = 'gateway-network') =>
  stepOf('twin', 'vpc.network.ensure', { name }, more);

it('two resources of a kind with one name are told once, with both places', () => {
  const [one, two] = [network(), twin()];
  const { diagnostics } = linked([one, two]);
  expect(diagnostics).toMatchObject([
    { code: 'INVALID_VALUE', address: 'twin', source: { line: two.source.line, column: 10 } },
  ]);
  const [place, other] = [one, two].map(({ source }) => `p.yaml:${source.line}:10`);
  expect(said(diagnostics)).toContain(`network at ${place} and twin at ${other} both name their network`);
});

it('also where they are of different stacks, and for each further one', () => {
  const third = stepOf('third', 'vpc.network.ensure', { name: 'gateway-network' });
  expect(linked([network(), twin({ stack: 'other' })]).diagnostics).toHaveLength(1);
  expect(linked([network(), twin(), third]).diagnostics.map((item) => item.address)).toEqual(['twin', 'third']);
});

const FINE: readonly (readonly [what: string, steps: readonly Step[]])[] = [
  ['of two kinds', [network({ name: 'same' }), address({ name: 'same' })]],
  ['in two folders', [network(), twin({ settings: { folder_id: OTHER_FOLDER } })]],
  ['of which one is held', [network(), twin({ dryRun: true })]],
  ['of which one is looked at alone', [network(), twin({ reconcile: 'report' })]],
  ['of one resource, which is told as that', [network(), twin({ logicalId: 'network' })]],
  ['that are different', gateway()],
];
it.each(FINE)('nothing is said of names %s', (_what, steps) => {
  expect(said(linked(steps).diagnostics)).toBe('');
});
