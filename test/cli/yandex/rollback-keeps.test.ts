import { expect, it } from 'vitest';
import { codesOf, expectExit, stepAt } from '../../support/e2e/cloud.ts';
import { EMPTY, openYcCloudInside, outcomes, urnOf } from '../../support/e2e/yandex.ts';

const PROTECTED = (kind: string) => (text: string) =>
  text.replace(`action: yandex.vpc.${kind}.ensure`, (action) => `${action}\n      protect: true`);

it('an automatic rollback keeps what is protected, with the reason', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway(PROTECTED('network'));
  cloud.fake.addFaults({ match: 'compute instance create', action: { kind: 'fail', failure: 'unknown_flag' } });
  const applied = await cloud.converge();
  expectExit(applied, 7);
  expect(outcomes(applied)).toMatchObject({ network: 'changed', subnet: 'rolled_back', instance: 'failed' });
  expect(codesOf(stepAt(applied.report, 'network').diagnostics)).toContain('PROTECTED');
  expect(codesOf(applied.report.diagnostics)).toContain('ROLLBACK_INCOMPLETE');
  expect(cloud.counts).toEqual({ ...EMPTY, network: 1 });
}, 60_000);

it('an automatic rollback keeps what the protected needs', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway(PROTECTED('subnet'));
  cloud.fake.addFaults({ match: 'compute instance create', action: { kind: 'fail', failure: 'unknown_flag' } });
  const applied = await cloud.converge();
  expectExit(applied, 7);
  expect(outcomes(applied)).toMatchObject({ network: 'changed', subnet: 'changed', firewall: 'rolled_back' });
  expect(cloud.counts).toEqual({ ...EMPTY, network: 1, subnet: 1 });
}, 60_000);

it('recover --rollback keeps what is protected and what it needs', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway(PROTECTED('subnet'));
  cloud.fake.addFaults({ match: 'compute instance create', action: { kind: 'exit', when: 'after' } });
  expectExit(await cloud.converge(), 7);
  cloud.fake.clearFaults();
  const { code, document } = await cloud.recover('--rollback');
  expect(code).toBe(7);
  expect(document.unresolved).toMatchObject([
    { address: 'subnet', verdict: 'conflict', hint: expect.stringContaining('protect: false') },
    { address: 'network', verdict: 'conflict', hint: expect.stringContaining('infra destroy') },
  ]);
  expect(codesOf(document.diagnostics)).toEqual(expect.arrayContaining(['PROTECTED', 'CONFLICT']));
  expect(cloud.counts).toEqual({ ...EMPTY, network: 1, subnet: 1 });
}, 60_000);

it('an automatic rollback keeps what a create that may come to life yet stands on', async () => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'before' } });
  cloud.fake.addFaults({ match: 'vpc security-group create', action: { kind: 'fail', failure: 'unknown_flag' } });
  const applied = await cloud.converge();
  expectExit(applied, 7);
  expect(outcomes(applied)).toMatchObject({ network: 'changed', subnet: 'uncertain', firewall: 'failed' });
  const [why] = stepAt(applied.report, 'network').diagnostics;
  expect(why?.detail).toContain('subnet, which depends on it, is uncertain');
  expect(cloud.counts).toEqual({ ...EMPTY, network: 1 });
  const [incomplete] = applied.report.diagnostics.filter(({ code }) => code === 'ROLLBACK_INCOMPLETE');
  expect(incomplete?.hint).toMatch(/^infra recover --rollback goes on with undoing\. Instead, a plain infra recover/);
}, 60_000);

it('what was abandoned in the same command keeps nothing any more', async () => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'compute instance create', action: { kind: 'exit', when: 'before' } });
  expectExit(await cloud.converge(), 7);
  cloud.fake.clearFaults();
  const first = await cloud.recover('--rollback');
  expect(first.code).toBe(7);
  expect(first.document.rolled_back).toEqual([]);
  expect(first.document.unresolved).toHaveLength(6);
  const last = await cloud.recover('--rollback', '--abandon', urnOf('compute', 'instance', 'instance'));
  expect(last.code).toBe(0);
  expect(last.document.abandoned).toHaveLength(1);
  expect(last.document.rolled_back).toHaveLength(5);
  expect(cloud.counts).toEqual(EMPTY);
}, 60_000);

it('keeping and rolling back are alternatives, and both say so', async () => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'compute instance create', action: { kind: 'exit', when: 'after' } });
  const applied = await cloud.converge();
  expectExit(applied, 7);
  const [uncertain] = stepAt(applied.report, 'instance').diagnostics;
  expect(uncertain?.hint).toContain('infra recover, which keeps what was made, or infra recover --rollback');
  cloud.fake.clearFaults();
  const kept = await cloud.recover();
  expect(kept.document.resolved).toMatchObject([
    { verdict: 'found', hint: 'It is kept, and owned: the next apply goes on with it, and infra destroy removes it.' },
  ]);
  const late = await cloud.recover('--rollback');
  expect(late.code).toBe(0);
  expect(late.document.diagnostics).toMatchObject([
    { code: 'NOTHING_TO_ROLL_BACK', severity: 'note', hint: expect.stringContaining('infra destroy') },
  ]);
  expect((await cloud.run(['recover', '--rollback'])).stdout).toContain('There is no interrupted run to roll back');
}, 60_000);

it('a conflict names what was found', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway((text) => text.slice(0, text.indexOf('  - step: subnet')));
  cloud.fake.addFaults({ match: 'vpc network create', action: { kind: 'exit', when: 'after' } });
  expectExit(await cloud.converge(), 7);
  cloud.fake.clearFaults();
  cloud.fake.change((state) => {
    for (const item of Object.values(state.resources.network))
      item.labels = { ...item.labels, 'infra-resource': 'other' };
  });
  const [id] = Object.keys(cloud.fake.state().resources.network);
  const doctor = await cloud.run(['doctor', '--provider', 'yandex', '--stack', 'gateway']);
  expect(doctor.stdout).toContain('1 request of interrupted runs is open.');
  const { document } = await cloud.recover();
  expect(document.unresolved).toMatchObject([{ verdict: 'conflict', hint: expect.stringContaining(id ?? '?') }]);
}, 60_000);
