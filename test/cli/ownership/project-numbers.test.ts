import { expect, it } from 'vitest';
import { codesOf, expectExit, stepAt } from '../../support/e2e/cloud.ts';
import {
  all,
  BY_ID,
  BY_NUMBER,
  INSIDE,
  NUMBER,
  openedWith,
  PROJECT,
  rowOf,
  rowsInside,
  WEB,
  webRow,
} from '../../support/e2e/numbered.ts';
import { confirmed, drift, json, orphans, owned, verbPlanSchema, verdicts } from '../../support/e2e/ownership.ts';
import { enable } from '../../support/e2e/playbooks.ts';

it('what is owned under the number of a project is what is declared under its id', async () => {
  const cloud = await openedWith([webRow, ...rowsInside()]);
  const left = await orphans(cloud, 'playbook.yaml', '--grants', '--plan-destroy', 'removal.yaml');
  expectExit(left, 0);
  expect(left.document).toMatchObject({ orphans: [], aliases: [], grants: [] });
  expect(() => cloud.readText('removal.yaml')).toThrow();
  const seen = await drift(cloud, 'playbook.yaml');
  expectExit(seen, 0);
  expect(verdicts(seen)).toEqual(all('in_sync', [PROJECT, ...BY_NUMBER]));
  const { plan } = await cloud.plan();
  for (const address of ['billing', 'dns', 'team'])
    expect(stepAt(plan, address)).toMatchObject({ change: 'none', record: 'rename', diagnostics: [] });
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toEqual([]);
  expect((await owned(cloud)).document.owned.map(({ urn }) => urn)).toEqual([...BY_ID, PROJECT].sort());
  expectExit(await cloud.run(['plan', 'playbook.yaml', '--detailed-exitcode']), 0);
});

it('the same the other way round: declared under the number, owned under the id', async () => {
  const cloud = await openedWith([webRow]);
  expectExit(await cloud.converge(), 0);
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [enable('dns', { project_id: NUMBER, service: 'dns.googleapis.com' })],
  });
  const left = await orphans(cloud, 'playbook.yaml');
  expect(left.document.orphans.map(({ urn }) => urn)).toEqual([...BY_ID.slice(0, 2), PROJECT].sort());
});

it('what is changed under the id is given up under the number', async () => {
  const cloud = await openedWith([webRow, ...rowsInside()]);
  await cloud.outOfBand('POST', `/v1/projects/${NUMBER}/services/dns.googleapis.com:disable`, {});
  expectExit(await cloud.converge(), 0);
  expect(cloud.enabledServices('acme-web')).toContain('dns.googleapis.com');
  expect((await owned(cloud)).document.owned.map(({ urn }) => urn)).toEqual([...BY_ID, PROJECT].sort());
});

it('an orphan under the number of a project goes, and nothing that is declared', async () => {
  const cloud = await openedWith([webRow, ...rowsInside()]);
  cloud.write({ defaults: { stack: 'prod' }, steps: [WEB, ...INSIDE.slice(0, 2)] });
  const left = await orphans(cloud, 'playbook.yaml', '--plan-destroy', 'removal.yaml');
  expectExit(left, 2);
  expect(left.document.orphans.map(({ urn }) => urn)).toEqual([BY_NUMBER[1]]);
  const { plan } = await cloud.planOf('removal.yaml');
  expect(plan.steps.map(({ urn, change }) => [urn, change])).toEqual([[BY_NUMBER[1], 'delete']]);
});

it('what is owned under both names is one resource under two names, and no orphan', async () => {
  const cloud = await openedWith([webRow, ...rowsInside()]);
  const [, , dns = ''] = BY_ID;
  const both = { urn: dns, desired: { project_id: 'acme-web', service: 'dns.googleapis.com' } };
  cloud.writeText('.infra/eventlog.jsonl', [webRow, ...rowsInside(), both].map(rowOf).join(''));
  const left = await orphans(cloud, 'playbook.yaml');
  expectExit(left, 0);
  expect(left.document.aliases).toEqual([{ resource_id: expect.any(String), urns: [BY_NUMBER[2], dns] }]);
});

it('a destruction takes what is owned under the number, and gives it up under both names', async () => {
  const cloud = await openedWith([webRow, ...rowsInside()]);
  cloud.write({ defaults: { stack: 'prod' }, steps: INSIDE });
  const { planned, done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(planned, 0);
  expectExit(done, 0);
  expect(done.document.summary).toMatchObject({ deleted: 3, held: 0 });
  expect(cloud.enabledServices('acme-web')).toEqual([]);
  expect((await owned(cloud)).document.owned.map(({ urn }) => urn)).toEqual([PROJECT]);
});

it('what lay under the number in a project that goes is given up with it', async () => {
  const cloud = await openedWith([webRow, ...rowsInside()]);
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 0);
  expect(cloud.writes).toEqual([expect.stringMatching(/^DELETE \/v3\/projects\//)]);
  expect((await owned(cloud)).document.owned).toEqual([]);
});

it('what is protected under the number stays, with the project around it', async () => {
  const rows = rowsInside().map((row) => (row.urn === BY_NUMBER[2] ? { ...row, protect: true } : row));
  const cloud = await openedWith([webRow, ...rows]);
  const { document } = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  expect(stepAt(document, 'dns').held).toBe('protected');
  expect(stepAt(document, 'web').held).toContain('needed by dns');
  expect(stepAt(document, 'billing').held).toBe('kept with web');
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      {
        step: 'off',
        tool: {
          kind: 'provider',
          provider: 'google',
          action: 'google.serviceusage.services.disable',
          input: { project_id: 'acme-web', service: 'dns.googleapis.com' },
        },
      },
    ],
  });
  expect(stepAt((await cloud.plan()).plan, 'off').held).toBe('protected');
});

it("what another stack owns under the number is that stack's", async () => {
  const cloud = await openedWith([webRow, ...rowsInside('net')]);
  const { plan } = await cloud.plan();
  expect(codesOf(stepAt(plan, 'dns').diagnostics)).toEqual(['OTHER_STACK']);
  const adopting = await json(cloud, verbPlanSchema, 'adopt', 'playbook.yaml');
  expect(stepAt(adopting.document, 'billing').diagnostics).toMatchObject([
    { code: 'NOT_OURS', detail: expect.stringContaining('"net"') },
  ]);
  const going = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml', '--target', 'dns');
  expect(codesOf(stepAt(going.document, 'dns').diagnostics)).toEqual(['NOT_OURS']);
  const { done } = await confirmed(cloud, 'adopt', 'playbook.yaml', '--take-over', 'net');
  expectExit(done, 0);
  expect((await owned(cloud)).document.owned.map(({ urn, stack }) => [urn, stack])).toEqual(
    [...BY_ID, PROJECT].sort().map((urn) => [urn, 'prod']),
  );
});

it('what each of two stacks owns under one of the names is told to both', async () => {
  const cloud = await openedWith([webRow, ...rowsInside('net')]);
  expectExit(await cloud.converge(), 0);
  const { plan } = await cloud.plan();
  expect(codesOf(stepAt(plan, 'dns').diagnostics)).toEqual(['OTHER_STACK']);
  cloud.write({ defaults: { stack: 'net' }, steps: INSIDE });
  const theirs = (await cloud.plan()).plan;
  expect(codesOf(stepAt(theirs, 'dns').diagnostics)).toEqual(['OTHER_STACK']);
});

it('an adoption under the id gives the number up', async () => {
  const cloud = await openedWith([webRow, ...rowsInside()]);
  const { planned, done } = await confirmed(cloud, 'adopt', 'playbook.yaml');
  expect(stepAt(planned.document, 'dns')).toMatchObject({ change: 'adopt', record: 'rename', diff: {} });
  expectExit(done, 0);
  expect((await owned(cloud)).document.owned.map(({ urn }) => urn)).toEqual([...BY_ID, PROJECT].sort());
});

it('where no fact tells whose number it is, the cloud does, and what can not be told is an error', async () => {
  const cloud = await openedWith(rowsInside());
  const left = await orphans(cloud, 'playbook.yaml', '--plan-destroy', 'removal.yaml');
  expectExit(left, 0);
  expect(left.document.orphans).toEqual([]);
  expect(() => cloud.readText('removal.yaml')).toThrow();
  const seen = await drift(cloud, 'playbook.yaml');
  expect(verdicts(seen)).toEqual({ ...all('in_sync', BY_NUMBER), [PROJECT]: 'untracked' });
  const narrowed = await drift(cloud, 'playbook.yaml', '--target', 'dns', '--target', BY_ID[0] ?? '');
  expect(Object.keys(verdicts(narrowed))).toEqual([BY_NUMBER[0], BY_NUMBER[2]]);
  cloud.deny(`/v3/projects/${NUMBER}`);
  // Either of its names tells the other one.
  expect((await orphans(cloud, 'playbook.yaml')).document.orphans).toEqual([]);
  cloud.deny('/v3/projects/acme-web');
  const failed = await cloud.fail(['orphans', 'playbook.yaml']);
  expectExit(failed, 5);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['BLOCKED', 'BLOCKED', 'BLOCKED']);
  // What no playbook declares in any project needs no look.
  cloud.write({ defaults: { stack: 'prod' }, steps: [WEB] });
  const none = await orphans(cloud, 'playbook.yaml');
  expect(none.document.orphans.map(({ urn }) => urn)).toEqual(BY_NUMBER);
});

it('why tells the history under both names', async () => {
  const cloud = await openedWith([webRow, ...rowsInside()]);
  const history = async (urn = '') => JSON.parse((await cloud.run(['why', urn, '--format', 'json'])).stdout).history;
  expect(await history(BY_ID[2])).toHaveLength(1);
  expect(await history(BY_NUMBER[2])).toHaveLength(1);
});
