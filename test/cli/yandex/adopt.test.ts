import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codesOf, expectExit, parsed, stepAt } from '../../support/e2e/cloud.ts';
import { driftSchema, verbPlanSchema, verbReportSchema } from '../../support/e2e/ownership.ts';
import { ADDRESSES, EMPTY, FOLDER, openYcCloudInside, type YcCloud } from '../../support/e2e/yandex.ts';
import { changesBetween, treeOf } from '../../support/safety/tree.ts';

const IMPORT = ['import', '--provider', 'yandex', '--from', FOLDER, '--credential', 'sandbox'];

/** The gateway as somebody made it by hand: without labels, and no log knows it. */
async function byHand(): Promise<YcCloud> {
  const cloud = await openYcCloudInside();
  expectExit(await cloud.converge(), 0);
  rmSync(join(cloud.folder, '.infra'), { recursive: true });
  cloud.fake.change(({ resources }) => {
    for (const kind of Object.values(resources)) for (const each of Object.values(kind)) each.labels = {};
  });
  cloud.fake.clearCommands();
  return cloud;
}

async function json<T>(cloud: YcCloud, schema: { parse(value: unknown): T }, ...argv: readonly string[]) {
  const ended = await cloud.run([...argv, '--format', 'json']);
  return { ...ended, document: parsed(ended, schema) };
}

/** The plan of an adoption, and what came of confirming it. */
async function adopt(cloud: YcCloud, file = 'playbook.yaml', ...flags: readonly string[]) {
  const planned = await json(cloud, verbPlanSchema, 'adopt', file, ...flags);
  const digest = planned.document.digest ?? '';
  const done = await json(cloud, verbReportSchema, 'adopt', file, ...flags, '--confirm', digest);
  return { planned, done };
}

async function inSync(cloud: YcCloud, ...argv: readonly string[]): Promise<number> {
  const drift = await json(cloud, driftSchema, 'drift', ...argv);
  expectExit(drift, 0);
  return drift.document.summary.in_sync;
}

function idOf(cloud: YcCloud, kind: 'network' | 'instance' | 'disk'): string {
  return Object.keys(cloud.fake.state().resources[kind])[0] ?? '';
}

const allLabels = (cloud: YcCloud) =>
  Object.values(cloud.fake.state().resources).flatMap((kind) =>
    Object.values(kind).flatMap(({ name, labels }) => (name.startsWith('default-sg-') ? [] : [labels])),
  );

describe('an import', () => {
  it('is planned, adopted, in sync, marked by an apply, and only then taken down', async () => {
    const cloud = await byHand();
    const before = treeOf(cloud.folder);
    const imported = await cloud.run([...IMPORT, '--stack', 'gateway']);
    expectExit(imported, 0);
    expect(changesBetween(before, treeOf(cloud.folder))).toEqual([]);
    expect(cloud.commands.every((words) => words.endsWith(' list'))).toBe(true);
    expect(cloud.commands).toHaveLength(6);
    expect(imported.stdout).not.toContain('AAAAC3NzaC1lZDI1NTE5');
    cloud.writeText('imported.yaml', imported.stdout);

    const planned = await cloud.run(['plan', 'imported.yaml', '--format', 'json', '--no-save']);
    expectExit(planned, 0);
    const { summary, steps } = JSON.parse(planned.stdout);
    expect(summary).toMatchObject({ update: 6, create: 0, blocked: 0 });
    for (const { diff, would_call } of steps) {
      expect(Object.keys(diff)).toEqual(['labels']);
      expect(would_call).toHaveLength(1);
      expect(would_call[0].argv.join(' ')).toMatch(/^yc (vpc|compute) \S+ (add-labels|update) --id \S+ --labels /);
      expect(would_call[0].argv.join(' ')).not.toContain('infra-operation');
    }

    const { planned: shown, done } = await adopt(cloud, 'imported.yaml');
    expect(shown.document.summary).toMatchObject({ adopt: 6 });
    expect(shown.document['differs']).toEqual([]);
    expectExit(done, 0);
    expect(done.document.summary).toMatchObject({ adopted: 6 });
    expect(await inSync(cloud, 'imported.yaml')).toBe(6);
    expect(await inSync(cloud)).toBe(6);
    expectExit(await cloud.run(['orphans', 'imported.yaml']), 0);

    const destroy = ['destroy', 'imported.yaml'];
    const early = await json(cloud, verbPlanSchema, ...destroy);
    expect(early.document.summary).toMatchObject({ delete: 0, blocked: 6 });
    expect(codesOf(stepAt(early.document, 'gateway_instance').diagnostics)).toContain('NOT_OURS');
    expectExit(await cloud.run([...destroy, '--confirm', early.document.digest ?? '']), 5);
    expect(cloud.writes).toEqual([]);

    const { digest } = JSON.parse((await cloud.run(['plan', 'imported.yaml', '--format', 'json'])).stdout);
    expectExit(await cloud.run(['apply', 'imported.yaml', '--confirm', digest]), 0);
    expect(cloud.writes).toHaveLength(6);
    for (const labels of allLabels(cloud)) {
      expect(labels).toMatchObject({ 'managed-by': 'infra', 'infra-stack': 'gateway' });
      expect(labels).not.toHaveProperty('infra-operation');
    }
    expect(await inSync(cloud, 'imported.yaml')).toBe(6);
    expectExit(await cloud.run(['plan', 'imported.yaml', '--detailed-exitcode']), 0);
    const late = await json(cloud, verbPlanSchema, ...destroy);
    expectExit(await cloud.run([...destroy, '--confirm', late.document.digest ?? '']), 0);
    expect(cloud.counts).toEqual(EMPTY);
  }, 180_000);

  it('of what the stack has made has nothing to do, with its log and without', async () => {
    const cloud = await openYcCloudInside();
    expectExit(await cloud.converge(), 0);
    const imported = await cloud.run([...IMPORT, '--stack', 'gateway']);
    expectExit(imported, 0);
    for (const address of ADDRESSES) expect(imported.stdout).toContain(`  - step: ${address}\n`);
    cloud.writeText('playbook.yaml', imported.stdout);
    cloud.fake.clearCommands();
    const { plan } = await cloud.plan('--no-save');
    expect(plan.summary).toMatchObject({ none: 6, update: 0 });
    rmSync(join(cloud.folder, '.infra'), { recursive: true });
    const { planned, done } = await adopt(cloud);
    expect(planned.document.steps.every(({ diff }) => Object.keys(diff).length === 0)).toBe(true);
    expectExit(done, 0);
    expect(await inSync(cloud, 'playbook.yaml')).toBe(6);
    expectExit(await cloud.run(['plan', 'playbook.yaml', '--detailed-exitcode']), 0);
    expect(cloud.writes).toEqual([]);
  }, 120_000);

  it('is nothing where one kind can not be read or has more rows than are known to be all', async () => {
    const cloud = await byHand();
    cloud.fake.addFaults({ match: 'vpc address list', action: { kind: 'fail', failure: 'permission_denied' } });
    const before = treeOf(cloud.folder);
    const refused = await cloud.fail(IMPORT);
    expectExit(refused, 4);
    expect(codesOf(refused.failure.diagnostics)).toEqual(['PERMISSION_DENIED']);
    const human = await cloud.run([...IMPORT, '--out', 'imported.yaml']);
    expectExit(human, 4);
    expect(human.stdout).toBe('');
    cloud.fake.clearFaults();
    cloud.fake.change(({ resources }) => {
      const [network] = Object.values(resources.network);
      for (let index = 0; network !== undefined && index < 999; index += 1) {
        const id = `enp${String(index).padStart(17, '0')}`;
        resources.network[id] = { ...network, id, name: `net-${index}` };
      }
    });
    const many = await cloud.fail(IMPORT);
    expectExit(many, 6);
    expect(codesOf(many.failure.diagnostics)).toEqual(['INCOMPLETE_INVENTORY']);
    expect(changesBetween(before, treeOf(cloud.folder))).toEqual([]);
  }, 60_000);

  it('takes whose it is from infra.yaml, --folder like --from, and no flag of Google', async () => {
    const cloud = await byHand();
    cloud.writeText('infra.yaml', 'stack: gateway\ndefaults: { identity: { project: acme, owner: platform } }\n');
    const argv = ['import', '--provider', 'yandex', '--folder', FOLDER, '--credential', 'sandbox'];
    const ended = await cloud.run([...argv, '--format', 'json']);
    expectExit(ended, 0);
    const document = JSON.parse(ended.stdout);
    expect(document).toMatchObject({ command: 'import', provider: 'yandex', scope: FOLDER, steps: 6 });
    expect(document.left_out).toEqual([{ why: expect.any(String), what: [expect.stringContaining('default-sg-')] }]);
    expect(document.playbook).toContain('identity:\n    project: acme\n    owner: platform\n');
    expect(document.playbook).not.toContain('placeholder');
    expect((await cloud.run([...argv, '--out', 'imported.yaml'])).stdout).toBe(document.playbook);
    const refused = await cloud.fail([...argv, '--leave-out', 'user:a@example.com']);
    expectExit(refused, 3);
    expect(codesOf(refused.failure.diagnostics)).toEqual(['USAGE']);
  }, 60_000);
});

const ONE_NETWORK = (text: string) => text.slice(0, text.indexOf('  - step: subnet'));

const withId = (text: string, id: string) => text.replace('      input: {', `      resource_id: ${id}\n      input: {`);

describe('an adoption in place', () => {
  it('by exact name and kind owns what has no labels, and marks it only by an enforced plan', async () => {
    const cloud = await byHand();
    const { planned, done } = await adopt(cloud);
    expectExit(planned, 0);
    expect(planned.document.summary).toMatchObject({ adopt: 6 });
    expectExit(done, 0);
    expect(done.document.summary).toMatchObject({ adopted: 6 });
    expect(cloud.writes).toEqual([]);
    expect(await inSync(cloud, 'playbook.yaml')).toBe(6);
    expectExit(await cloud.converge(), 0);
    expect(cloud.writes).toHaveLength(6);
    for (const labels of allLabels(cloud)) expect(labels).not.toHaveProperty('infra-operation');
    expect(await inSync(cloud, 'playbook.yaml')).toBe(6);
  }, 120_000);

  it('by resource_id leads past another name, which is accepted', async () => {
    const cloud = await byHand();
    const id = idOf(cloud, 'network');
    const renamed = (text: string) => ONE_NETWORK(text).replace('gateway-network', 'mine');
    cloud.gateway(renamed);
    expectExit(await cloud.run(['adopt', 'playbook.yaml']), 5);
    cloud.gateway((text) => withId(renamed(text), id));
    const { planned, done } = await adopt(cloud);
    expect(stepAt(planned.document, 'network')).toMatchObject({
      change: 'adopt',
      resource_id: id,
      diff: { name: { desired: 'mine', actual: 'gateway-network' } },
    });
    expect(planned.document['differs']).toEqual([expect.objectContaining({ address: 'network', field: 'name' })]);
    expectExit(done, 0);
    expect(await inSync(cloud, 'playbook.yaml')).toBe(1);
    expect(cloud.writes).toEqual([]);
  }, 60_000);

  it('is of one kind: a disk with the name of a network is no network', async () => {
    const cloud = await byHand();
    cloud.gateway((text) => ONE_NETWORK(text).replace('gateway-network', 'gateway-disk'));
    const refused = await json(cloud, verbPlanSchema, 'adopt', 'playbook.yaml');
    expect(codesOf(stepAt(refused.document, 'network').diagnostics)).toEqual(['ADOPT_ABSENT']);
    const id = idOf(cloud, 'disk');
    cloud.gateway((text) => withId(ONE_NETWORK(text), id));
    const missing = await json(cloud, verbPlanSchema, 'adopt', 'playbook.yaml');
    expect(stepAt(missing.document, 'network')).toMatchObject({ change: 'blocked' });
    expect(cloud.writes).toEqual([]);
  }, 60_000);
});

describe('what another stack owns', () => {
  it('by its labels is refused, whoever is named', async () => {
    const cloud = await openYcCloudInside();
    expectExit(await cloud.converge(), 0);
    rmSync(join(cloud.folder, '.infra'), { recursive: true });
    cloud.gateway((text) => text.replace('stack: gateway', 'stack: other'));
    const before = allLabels(cloud);
    for (const flags of [[], ['--take-over', 'gateway']]) {
      const { planned, done } = await adopt(cloud, 'playbook.yaml', ...flags);
      expect(planned.document.summary).toMatchObject({ adopt: 0, blocked: 6 });
      expect(codesOf(stepAt(planned.document, 'network').diagnostics)).toEqual(['CONFLICT']);
      expectExit(done, 5);
    }
    expect(allLabels(cloud)).toEqual(before);
  }, 120_000);

  it('by the log is refused, until that stack is named', async () => {
    const cloud = await byHand();
    expectExit((await adopt(cloud)).done, 0);
    cloud.gateway((text) => text.replace('stack: gateway', 'stack: other'));
    const { planned, done } = await adopt(cloud);
    expect(planned.document.summary).toMatchObject({ adopt: 0, blocked: 6 });
    expect(codesOf(stepAt(planned.document, 'network').diagnostics)).toEqual(['NOT_OURS']);
    expectExit(done, 5);
    const taken = await adopt(cloud, 'playbook.yaml', '--take-over', 'gateway');
    expectExit(taken.done, 0);
    expect(await inSync(cloud, 'playbook.yaml', '--stack', 'other')).toBe(6);
    const owned = JSON.parse((await cloud.run(['log', 'owned', '--format', 'json'])).stdout);
    expect(owned.owned.map(({ stack }: { stack: string }) => stack)).toEqual(ADDRESSES.map(() => 'other'));
    expect(cloud.writes).toEqual([]);
  }, 120_000);
});
