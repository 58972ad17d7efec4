import { expect, it } from 'vitest';
import { ACCOUNT, type Cloud, codesOf, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { confirmed, json, owned, verbPlanSchema } from '../../support/e2e/ownership.ts';
import { enable, folder, grant, link, project, type Step } from '../../support/e2e/playbooks.ts';

const FREE = { protect: false };
const OUTER = folder('a', { parent: ORG, display_name: 'faa' }, FREE);

async function cloudWith(...steps: readonly Step[]): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps });
  return cloud;
}

function outcomesOf({ document }: Awaited<ReturnType<typeof confirmed>>['done']): Readonly<Record<string, string>> {
  return Object.fromEntries(document.steps.map(({ address, outcome }) => [address, outcome]));
}

/** What a run that died right after it had sent a create left behind: its intent is the log's last row. */
function dieAfterSending(cloud: Cloud, address: string): void {
  const last = cloud.rows.findLastIndex((row) => row['type'] === 'provider.intent' && row['address'] === address);
  const lines = cloud
    .readText('.infra/eventlog.jsonl')
    .split('\n')
    .slice(0, last + 1);
  cloud.writeText('.infra/eventlog.jsonl', `${lines.join('\n')}\n`);
}

it.each([
  ['by a reference', '{{ steps.a.resource.name }}'],
  ['by its name', 'folders/by-display-name/faa'],
])('a folder goes though the one in it, placed %s, was never made', async (_how, parent) => {
  const guard = { require_org: ORG };
  const cloud = await cloudWith(
    folder('a', { parent: ORG, display_name: 'faa' }, { ...FREE, guard }),
    folder('b', { parent, display_name: 'fbb' }, { ...FREE, guard }),
  );
  const nothing = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml', '--detailed-exitcode');
  expectExit(nothing, 0);
  expect(nothing.document.summary).toMatchObject({ none: 2, blocked: 0 });
  expectExit(await cloud.converge('--target', 'a'), 0);
  const { planned, done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(planned, 0);
  expect(stepAt(planned.document, 'b')).toMatchObject({ change: 'none', present: false, record: null });
  expectExit(done, 0);
  expect(outcomesOf(done)).toEqual({ a: 'deleted', b: 'absent' });
});

it('what came of an apply that failed half-way goes, with nothing in the way of what it never made', async () => {
  const cloud = await cloudWith(
    OUTER,
    project('web', { project_id: 'acme-web', parent: '{{ steps.a.resource.name }}' }, FREE),
    link('billing', { project_id: 'acme-web', billing_account: ACCOUNT }),
    enable('apis', { project_id: 'acme-web', services: ['dns.googleapis.com', 'iam.googleapis.com'] }),
    grant('team', { project_id: 'acme-web', role: 'roles/browser', member: 'group:team@example.com' }),
    grant('there', { folder: '{{ steps.a.resource.name }}', role: 'roles/browser', member: 'group:team@example.com' }),
    grant('org', { organization: ORG, role: 'roles/browser', member: 'group:team@example.com' }),
  );
  const body = { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'no' } };
  const refused = { kind: 'respond', status: 400, body } as const;
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/projects$', action: refused });
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/folders/\\d+:setIamPolicy', action: refused });
  expect((await cloud.converge()).report.summary).toMatchObject({ changed: 2, failed: 2 });
  cloud.emulator.clearFaults();
  cloud.resetRequests();
  const { planned, done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(planned, 0);
  expect(planned.document.summary).toMatchObject({ delete: 2, none: 6, blocked: 0 });
  expect(stepAt(planned.document, 'web')).toMatchObject({ change: 'none', present: 'unknown' });
  expect(stepAt(planned.document, 'web').diagnostics).toMatchObject([{ code: 'NOT_VISIBLE', severity: 'note' }]);
  expectExit(done, 0);
  expect(done.document.summary).toMatchObject({ deleted: 2, absent: 6 });
  expect(cloud.writes).toEqual(expect.arrayContaining([expect.stringMatching(/^DELETE \/v3\/folders\//)]));
  expect((await owned(cloud)).document.owned).toEqual([]);
});

it('under a guard, what was never made is nothing that the guard has to answer for', async () => {
  const guard = { require_org: ORG };
  const cloud = await cloudWith(
    folder('a', { parent: ORG, display_name: 'faa' }, { ...FREE, guard }),
    project('web', { project_id: 'acme-web', parent: '{{ steps.a.resource.name }}' }, { ...FREE, guard }),
    enable('api', { project_id: 'acme-web', service: 'dns.googleapis.com' }, { guard }),
  );
  expectExit(await cloud.converge('--target', 'a'), 0);
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 0);
  expect(outcomesOf(done)).toEqual({ a: 'deleted', web: 'absent', api: 'absent' });
});

it('what lies there unowned is not ours, and keeps the folder that it lies in', async () => {
  const cloud = await cloudWith(
    OUTER,
    folder('b', { parent: '{{ steps.a.resource.name }}', display_name: 'fbb' }, FREE),
    folder('free', { parent: ORG, display_name: 'free' }, FREE),
  );
  expectExit(await cloud.converge('--exclude', 'b'), 0);
  await cloud.outOfBand('POST', '/v3/folders', { parent: cloud.folderNamed('faa').name, displayName: 'fbb' });
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 5);
  expect(outcomesOf(done)).toEqual({ a: 'blocked', b: 'blocked', free: 'deleted' });
  expect(codesOf(stepAt(done.document, 'b').diagnostics)).toEqual(['NOT_OURS']);
});

it('what an interrupted create made goes as well, and the log says how it ended', async () => {
  const cloud = await cloudWith(
    OUTER,
    project('web', { project_id: 'acme-web', parent: '{{ steps.a.resource.name }}' }, FREE),
  );
  expectExit(await cloud.converge(), 0);
  dieAfterSending(cloud, 'web');
  const { planned, done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expect(stepAt(planned.document, 'web')).toMatchObject({ change: 'delete', present: true });
  expect(codesOf(stepAt(planned.document, 'web').diagnostics)).toContain('OPEN_INTENT');
  expectExit(done, 0);
  expect(outcomesOf(done)).toEqual({ a: 'deleted', web: 'deleted' });
  expect((await owned(cloud)).document.owned).toEqual([]);
  const left = await cloud.run(['recover', '--endpoint', cloud.emulator.url, '--format', 'json']);
  expect(JSON.parse(left.stdout)).toMatchObject({ resolved: [], unresolved: [] });
});

it('an interrupted create of a folder of which nothing is there is closed, and what holds it goes', async () => {
  const cloud = await cloudWith(
    OUTER,
    folder('b', { parent: '{{ steps.a.resource.name }}', display_name: 'fbb' }, FREE),
  );
  expectExit(await cloud.converge(), 0);
  dieAfterSending(cloud, 'b');
  await cloud.outOfBand('DELETE', `/v3/${cloud.folderNamed('fbb').name}`);
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 0);
  expect(outcomesOf(done)).toEqual({ a: 'deleted', b: 'absent' });
  expect(cloud.rows.find((row) => row['type'] === 'provider.outcome' && row['code'] === 'NOT_APPLIED')).toBeDefined();
});

it('an interrupted create that can not be read is uncertain: it blocks what holds it until it is settled', async () => {
  const cloud = await cloudWith(
    OUTER,
    folder('b', { parent: '{{ steps.a.resource.name }}', display_name: 'fbb' }, FREE),
    folder('free', { parent: ORG, display_name: 'free' }, FREE),
  );
  expectExit(await cloud.converge(), 0);
  dieAfterSending(cloud, 'b');
  const within = cloud.folderNamed('faa').name;
  const body = { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } };
  cloud.emulator.addFault({
    method: 'GET',
    path: `^/v3/folders\\?.*parent=${encodeURIComponent(within)}`,
    action: { kind: 'respond', status: 403, body },
  });
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 7);
  expect(outcomesOf(done)).toMatchObject({ a: 'blocked', b: 'blocked' });
  expect(stepAt(done.document, 'b').diagnostics).toMatchObject([
    { code: 'OUTCOME_UNKNOWN', hint: expect.stringContaining('infra recover') },
  ]);
});
