import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/core/step.ts';
import type { FakeYcFaultAction } from '../../../src/emulator/yc/options.ts';
import { cloudOf, idOf, mutations, OTHER_FOLDER, results, run, type Turn, whyOf } from './support/cloud.ts';
import { address, disk, firewall, gateway, instance, network, OUT_RULE, subnet } from './support/steps.ts';

const CANARY = 'canary-3c3c';
const OPERATION = 'enp00000000000000042';
const ANSWERED_BY_OPERATION = JSON.stringify({
  id: OPERATION,
  description: CANARY,
  metadata: { '@type': 'type.googleapis.com/yandex.cloud.vpc.v1.UpdateNetworkMetadata', network_id: 'x' },
});

/** Answers with exit 0 that don't say that the change was done. */
const ANSWERS: readonly (readonly [what: string, action: FakeYcFaultAction])[] = [
  ['nothing', { kind: 'reshape', as: 'empty' }],
  ['garbage', { kind: 'exit', code: 0, stdout: `<html>${CANARY}` }],
  ['an empty object', { kind: 'exit', code: 0, stdout: '{}' }],
  ['null', { kind: 'exit', code: 0, stdout: 'null' }],
  ['a list', { kind: 'exit', code: 0, stdout: '[]' }],
  ['half a document', { kind: 'reshape', as: 'truncated' }],
  ['another folder', { kind: 'patch', set: { folder_id: OTHER_FOLDER } }],
  ['another id', { kind: 'patch', set: { id: 'enpzzzzzzzzzzzzzzzzz' } }],
  ['another shape', { kind: 'patch', set: { labels: [] } }],
  ['it as it was', { kind: 'patch', set: { name: 'something-else' } }],
  ['an operation', { kind: 'exit', when: 'after', code: 0, stdout: ANSWERED_BY_OPERATION }],
];

/** Each kind, and what it is changed to. */
const CHANGED: readonly (readonly [match: string, before: readonly Step[], after: Step])[] = [
  ['vpc network update', [network()], network({ name: 'renamed' })],
  ['vpc subnet update', [network(), subnet()], subnet({ name: 'renamed' })],
  ['vpc security-group update', [network(), firewall()], firewall({ name: 'renamed' })],
  ['vpc address update', [address()], address({ name: 'renamed' })],
  ['compute disk update', [disk()], disk({ name: 'renamed' })],
  ['compute instance update', gateway(), instance({ name: 'renamed' })],
];

/** What the log would know. */
function recordedBy(turns: readonly Turn[]): Readonly<Record<string, string>> {
  return Object.fromEntries(turns.map(({ step }) => [step.address, idOf(turns, step.address)]));
}

describe.each(ANSWERS)('an update that is answered by %s', (_what, action) => {
  it.each(CHANGED)('%s is uncertain, and nothing follows', async (match, before, after) => {
    const cloud = await cloudOf();
    const recorded = recordedBy(await run(cloud, before));
    const sent = mutations(cloud).length;
    cloud.fake.addFaults({ match, action });
    const turns = await run(cloud, [...before.slice(0, -1), after], { recorded });
    expect(results(turns)[after.address]).toBe('uncertain');
    expect(mutations(cloud).slice(sent)).toEqual([match]);
    expect(whyOf(turns, after.address)).toMatch(/^OUTCOME_UNKNOWN/);
    expect(JSON.stringify(turns)).not.toContain(CANARY);
  });
});

it('an operation that stands in place of the answer is kept', async () => {
  const cloud = await cloudOf();
  const recorded = recordedBy(await run(cloud, [network()]));
  const stdout = ANSWERED_BY_OPERATION;
  cloud.fake.addFaults({ match: 'vpc network update', action: { kind: 'exit', when: 'after', code: 0, stdout } });
  const turns = await run(cloud, [network({ name: 'renamed' })], { recorded });
  expect(turns[0]?.result).toMatchObject({ kind: 'uncertain', why: { operation: OPERATION } });
  expect(whyOf(turns, 'network')).toContain(`yc operation get ${OPERATION}`);
});

it('is looked at after each of several commands, the last one too', async () => {
  const group = firewall({ name: 'renamed', rules: [OUT_RULE] });
  const COMMANDS = ['vpc security-group update', 'vpc security-group update-rules', 'vpc security-group add-labels'];
  for (const [index, match] of COMMANDS.entries()) {
    const cloud = await cloudOf();
    const recorded = recordedBy(await run(cloud, [network(), firewall()]));
    const sent = mutations(cloud).length;
    cloud.fake.addFaults({ match, action: { kind: 'exit', when: 'after', code: 0, stdout: '{}' } });
    expect(results(await run(cloud, [network(), group], { recorded }))).toMatchObject({ firewall: 'uncertain' });
    expect(mutations(cloud).slice(sent)).toEqual(COMMANDS.slice(0, index + 1));
  }
});
