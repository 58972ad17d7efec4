import { expect, it } from 'vitest';
import * as z from 'zod';
import type { FakeYcFaultAction } from '../../../src/emulator/yc/options.ts';
import { codesOf, expectExit, parsed, stepAt } from '../../support/e2e/cloud.ts';
import { applySchema, planSchema } from '../../support/e2e/contract.ts';
import { EMPTY, everywhere, openYcCloudInside, urnOf, type YcCloud } from '../../support/e2e/yandex.ts';

const command = z.literal('destroy');
const INSTANCE = urnOf('compute', 'instance', 'instance');
const MADE = { ...everywhere('delete'), instance: 'none' };

async function planned(cloud: YcCloud, ...flags: readonly string[]) {
  const ended = await cloud.run(['destroy', 'playbook.yaml', '--format', 'json', ...flags]);
  const plan = parsed(ended, planSchema.extend({ command }));
  return { ...ended, plan, changes: Object.fromEntries(plan.steps.map(({ address, change }) => [address, change])) };
}

function outcomes({ report }: Awaited<ReturnType<typeof destroyed>>): Readonly<Record<string, string>> {
  return Object.fromEntries(report.steps.map(({ address, outcome }) => [address, outcome]));
}

async function destroyed(cloud: YcCloud, ...flags: readonly string[]) {
  const { plan } = await planned(cloud, ...flags);
  cloud.fake.clearCommands();
  const confirm = ['--confirm', plan.digest ?? '', ...flags];
  const ended = await cloud.run(['destroy', 'playbook.yaml', '--format', 'json', ...confirm]);
  return { ...ended, report: parsed(ended, applySchema.extend({ command })) };
}

async function applied(cloud: YcCloud, ...flags: readonly string[]) {
  return await cloud.apply((await cloud.plan(...flags)).plan.digest, ...flags);
}

/** The gateway, applied with one create that ends so. */
async function cut(match: string, action: FakeYcFaultAction): Promise<YcCloud> {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match, action });
  await applied(cloud);
  cloud.fake.clearFaults();
  return cloud;
}

it('what was made of a gateway goes: what was never made of it is no obstacle', async () => {
  const cloud = await openYcCloudInside();
  expectExit(await applied(cloud, '--exclude', 'instance'), 0);
  const { code, plan, changes } = await planned(cloud);
  expect(code).toBe(0);
  expect(changes).toEqual(MADE);
  expect(stepAt(plan, 'instance')).toMatchObject({ present: false, record: null, would_call: [], diagnostics: [] });
  expect((await planned(cloud, '--target', 'network')).changes).toMatchObject({ network: 'delete', instance: 'none' });
  const done = await destroyed(cloud);
  expectExit(done, 0);
  expect(outcomes(done)).toEqual({ ...everywhere('deleted'), instance: 'absent' });
  expect(cloud.counts).toEqual(EMPTY);
  expect(cloud.writes.filter((words) => words.startsWith('compute instance'))).toEqual([]);
}, 60_000);

it('nothing is to be done where nothing was made, or all was rolled back', async () => {
  const empty = await openYcCloudInside();
  const rolledBack = await cut('vpc security-group create', { kind: 'fail', failure: 'missing_rule_port' });
  expect(rolledBack.counts).toEqual(EMPTY);
  for (const cloud of [empty, rolledBack]) {
    const { code, changes, plan } = await planned(cloud, '--detailed-exitcode');
    expect(changes).toEqual(everywhere('none'));
    expect(code).toBe(0);
    expect(plan.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const done = await destroyed(cloud);
    expectExit(done, 0);
    expect(outcomes(done)).toEqual(everywhere('absent'));
    expect(cloud.writes).toEqual([]);
  }
}, 60_000);

it('what is live and unowned is blocked as not ours, and so is all that it stands on', async () => {
  const cloud = await openYcCloudInside();
  expectExit(await cloud.converge(), 0);
  expectExit(await cloud.run(['forget', INSTANCE, '--confirm', (await forgetting(cloud)) ?? '']), 0);
  const done = await destroyed(cloud);
  expectExit(done, 5);
  expect(outcomes(done)).toEqual(everywhere('blocked'));
  expect(codesOf(stepAt(done.report, 'instance').diagnostics)).toEqual(['NOT_OURS']);
  expect(cloud.writes).toEqual([]);
}, 60_000);

it('what never was made is no obstacle either where something of others has its name, which stays', async () => {
  const cloud = await openYcCloudInside();
  expectExit(await applied(cloud, '--exclude', 'address'), 0);
  const theirs = ['--name', 'gateway-address', '--labels', 'managed-by=terraform'];
  await cloud.yc('vpc', 'address', 'create', '--external-ipv4', 'zone=ru-central1-a', ...theirs);
  expect((await planned(cloud)).changes).toEqual({ ...MADE, address: 'none' });
  const done = await destroyed(cloud);
  expectExit(done, 0);
  expect(outcomes(done)).toEqual({ ...everywhere('deleted'), address: 'absent', instance: 'absent' });
  expect(cloud.counts).toEqual({ ...EMPTY, address: 1 });
}, 60_000);

async function forgetting(cloud: YcCloud): Promise<string | null> {
  const ended = await cloud.run(['forget', INSTANCE, '--format', 'json']);
  return z.looseObject({ digest: z.string() }).parse(JSON.parse(ended.stdout)).digest;
}

it('what could not be looked at is blocked with the reason, and nothing is sent', async () => {
  const cloud = await openYcCloudInside();
  expectExit(await applied(cloud, '--exclude', 'instance'), 0);
  cloud.fake.addFaults({ match: 'compute instance list', action: { kind: 'fail', failure: 'permission_denied' } });
  const done = await destroyed(cloud);
  expect(outcomes(done)).toEqual(everywhere('blocked'));
  expect(codesOf(stepAt(done.report, 'instance').diagnostics)).toEqual(['PERMISSION_DENIED']);
  expect(cloud.writes).toEqual([]);
}, 60_000);

it('what a create made whose answer was lost goes too: its settlement is shown, then written down', async () => {
  const cloud = await cut('compute instance create', { kind: 'exit', when: 'after' });
  const rows = cloud.rows.length;
  const { plan, changes } = await planned(cloud);
  expect(changes).toEqual(everywhere('delete'));
  expect(codesOf(stepAt(plan, 'instance').diagnostics)).toContain('OPEN_INTENT');
  expect(cloud.rows.length).toBe(rows);
  const done = await destroyed(cloud);
  expectExit(done, 0);
  expect(outcomes(done)).toEqual(everywhere('deleted'));
  expect(cloud.counts).toEqual(EMPTY);
  const { code, document } = await cloud.recover();
  expect([code, document.unresolved]).toEqual([0, []]);
}, 60_000);

it('a create of which reading does not tell blocks itself and what it stands on, until it is settled', async () => {
  const cloud = await cut('compute instance create', { kind: 'fail', failure: 'unknown_error' });
  expectExit(await planned(cloud), 0);
  const blocked = await destroyed(cloud);
  expectExit(blocked, 7);
  expect(outcomes(blocked)).toEqual(everywhere('blocked'));
  expect(stepAt(blocked.report, 'instance').diagnostics).toMatchObject([
    { code: 'OUTCOME_UNKNOWN', hint: expect.stringContaining('infra recover') },
  ]);
  expect(cloud.writes).toEqual([]);
  expectExit(await cloud.recover('--abandon', INSTANCE), 0);
  const done = await destroyed(cloud);
  expectExit(done, 0);
  expect(cloud.counts).toEqual(EMPTY);
}, 60_000);

it('what does not stand under an unsettled create goes', async () => {
  const cloud = await cut('vpc address create', { kind: 'fail', failure: 'unknown_error' });
  const done = await destroyed(cloud);
  expectExit(done, 7);
  expect(outcomes(done)).toEqual({ ...everywhere('deleted'), address: 'blocked', instance: 'absent' });
}, 60_000);
