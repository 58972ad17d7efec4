import { expect, it } from 'vitest';
import { type Cloud, codesOf, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { confirmed, drift, json, orphans, owned, verbPlanSchema } from '../../support/e2e/ownership.ts';
import { folder, google, project } from '../../support/e2e/playbooks.ts';
import { changesBetween, treeOf } from '../../support/safety/tree.ts';

const WEB = project('web', { project_id: 'acme-web', parent: ORG, displayName: 'Declared' });

async function withProject(steps: readonly ReturnType<typeof project>[] = [WEB]): Promise<Cloud> {
  const cloud = await openCloudInside({
    seed: { projects: [{ projectId: 'acme-web', number: '555', displayName: 'Live', parent: ORG }] },
  });
  cloud.write({ defaults: { stack: 'prod' }, steps });
  return cloud;
}

/** Facts in the log. */
function facts(cloud: Cloud) {
  return cloud.rows.flatMap((row) => (row['type'] === 'provider.fact' ? [row['provider_fact']] : []));
}

it('sends GET and getIamPolicy only, writes one fact, and the next drift is in sync', async () => {
  const cloud = await withProject();
  const before = treeOf(cloud.folder);
  const planned = await json(cloud, verbPlanSchema, 'adopt', 'playbook.yaml');
  expectExit(planned, 0);
  expect(planned.document).toMatchObject({ command: 'adopt', summary: { adopt: 1 } });
  expect(stepAt(planned.document, 'web')).toMatchObject({
    change: 'adopt',
    diff: { display_name: { desired: 'Declared', actual: 'Live' } },
  });
  // But for the plan store nothing was written.
  expect(
    changesBetween(before, treeOf(cloud.folder)).filter((path) => !/^\.infra(\/plans.*|\/\.gitignore)?$/.test(path)),
  ).toEqual([]);
  const done = await cloud.run(['adopt', 'playbook.yaml', '--confirm', planned.document.digest ?? '']);
  expectExit(done, 0);
  expect(done.stdout).toContain('1 adopted.');
  expect(cloud.requests.filter((request) => !/^GET |:getIamPolicy$/.test(request))).toEqual([]);
  expect(facts(cloud)).toEqual([
    expect.objectContaining({
      verb: 'adopt',
      outcome: 'adopted',
      origin: 'adopted',
      resource_id: 'projects/555',
      desired: expect.objectContaining({ display_name: 'Live' }),
    }),
  ]);
  const next = await drift(cloud, 'playbook.yaml');
  expectExit(next, 0);
  expect(next.document.summary.in_sync).toBe(1);
  expectExit(await orphans(cloud, 'playbook.yaml'), 0);
});

it('says which lines of the playbook differ from what is accepted', async () => {
  const cloud = await withProject();
  const line =
    cloud
      .readText('playbook.yaml')
      .split('\n')
      .findIndex((text) => text.includes('displayName')) + 1;
  const { planned, done } = await confirmed(cloud, 'adopt', 'playbook.yaml');
  for (const { document } of [planned, done]) {
    expect(document['differs']).toEqual([
      {
        address: 'web',
        field: 'display_name',
        source: { file: 'playbook.yaml', line, column: expect.any(Number) },
        declared: 'Declared',
        accepted: 'Live',
      },
    ]);
  }
  cloud.write({ defaults: { stack: 'dev' }, steps: [WEB] });
  const human = await cloud.run(['adopt', 'playbook.yaml', '--take-over', 'prod']);
  expect(human.stdout).toMatch(/playbook\.yaml:\d+:\d+ {2}web: display_name is Live live, and Declared here/);
});

it("yesterday's digest is refused after another change, and nothing is written", async () => {
  const cloud = await withProject();
  const { document } = await json(cloud, verbPlanSchema, 'adopt', 'playbook.yaml');
  await cloud.outOfBand('PATCH', '/v3/projects/acme-web?updateMask=displayName', { displayName: 'Moved on' });
  const failed = await cloud.fail(['adopt', 'playbook.yaml', '--confirm', document.digest ?? '']);
  expectExit(failed, 5);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['DIGEST_STALE']);
  expect(failed.failure.differences).toContainEqual(
    expect.objectContaining({ address: 'web', field: 'actual.display_name', then: 'Live', now: 'Moved on' }),
  );
  expect((await owned(cloud)).document.owned).toEqual([]);
});

it('a digest is bound to its verb', async () => {
  const cloud = await withProject();
  const { document } = await json(cloud, verbPlanSchema, 'adopt', 'playbook.yaml');
  for (const verb of ['apply', 'destroy'])
    expectExit(await cloud.fail([verb, 'playbook.yaml', '--confirm', document.digest ?? '']), 5);
  expectExit(await cloud.fail(['apply', '--confirm', document.digest ?? '']), 5);
  expect(cloud.writes).toEqual([]);
});

it('--detailed-exitcode tells that there is something to adopt, and that there is nothing', async () => {
  const cloud = await withProject();
  expectExit(await cloud.run(['adopt', 'playbook.yaml', '--detailed-exitcode']), 2);
  await confirmed(cloud, 'adopt', 'playbook.yaml');
  const again = await cloud.run(['adopt', 'playbook.yaml', '--detailed-exitcode']);
  expectExit(again, 0);
  expect(again.stdout).toContain('web: already owned as it is: project acme-web');
  expect(again.stdout).toContain('Nothing to adopt');
});

it('what is absent is listed and not adopted: exit 2; alone it is refused', async () => {
  const cloud = await withProject([WEB, folder('new', { parent: ORG, display_name: 'new' })]);
  const { planned, done } = await confirmed(cloud, 'adopt', 'playbook.yaml');
  expectExit(planned, 0);
  expect(codesOf(stepAt(planned.document, 'new').diagnostics)).toEqual(['ADOPT_ABSENT']);
  expectExit(done, 2);
  expect(done.document.summary).toMatchObject({ adopted: 1 });
  expectExit(await cloud.run(['adopt', 'playbook.yaml', '--target', 'new']), 5);
  const { document } = await json(cloud, verbPlanSchema, 'adopt', 'playbook.yaml', '--target', 'new');
  expectExit(await cloud.run(['adopt', 'playbook.yaml', '--target', 'new', '--confirm', document.digest ?? '']), 5);
});

it('what another stack owns is refused unless that stack is named; then the log has one owner', async () => {
  const cloud = await withProject();
  await confirmed(cloud, 'adopt', 'playbook.yaml');
  cloud.write({ defaults: { stack: 'dev' }, steps: [WEB] });
  const refused = await confirmed(cloud, 'adopt', 'playbook.yaml');
  expectExit(refused.done, 5);
  expect(codesOf(stepAt(refused.planned.document, 'web').diagnostics)).toEqual(['NOT_OURS']);
  const taken = await confirmed(cloud, 'adopt', 'playbook.yaml', '--take-over', 'prod');
  expectExit(taken.done, 0);
  expect((await owned(cloud)).document.owned.map(({ stack }) => stack)).toEqual(['dev']);
  expect((await orphans(cloud, 'playbook.yaml')).document.conflicts).toEqual([]);
});

it('needs to read: no auth is exit 4, --offline is exit 3, before anything is sent', async () => {
  const cloud = await withProject();
  for (const verb of ['adopt', 'destroy']) expectExit(await cloud.fail([verb, 'playbook.yaml', '--offline']), 3);
  expectExit(await cloud.fail(['adopt', 'playbook.yaml'], { INFRA_TEST_TOKEN: '' }), 4);
  expect(cloud.requests).toEqual([]);
});

it('takes a log that can only be read for a review, and refuses to write to it before any request', async () => {
  const cloud = await withProject();
  const review = await cloud.run(['adopt', 'playbook.yaml', '--eventlog', '-']);
  expectExit(review, 0);
  cloud.resetRequests();
  const failed = await cloud.fail(['adopt', 'playbook.yaml', '--eventlog', '-', '--confirm', 'ab'.repeat(32)]);
  expectExit(failed, 3);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['LOG_READ_ONLY']);
  expect(cloud.requests).toEqual([]);
});

it.each(['apply', 'adopt', 'destroy', 'recover', 'exec'])(
  '%s refuses a log that is one document before any request',
  async (verb) => {
    const tool = { dry_run: false, reconcile: 'enforce' };
    const cloud = await withProject([
      project('web', { project_id: 'acme-web', parent: ORG, display_name: 'Declared' }, tool),
    ]);
    cloud.writeText('reply.json', '{"records": []}');
    const confirm = ['apply', 'adopt', 'destroy'].includes(verb) ? ['--confirm', 'ab'.repeat(32)] : [];
    const playbook = verb === 'recover' ? [] : ['playbook.yaml'];
    const ended = await cloud.run([verb, ...playbook, '--eventlog', 'reply.json', '--stack', 'prod', ...confirm]);
    expectExit(ended, 3);
    expect(ended.stderr + ended.stdout).toContain('LOG_READ_ONLY');
    expect(cloud.requests).toEqual([]);
    expect(cloud.readText('reply.json')).toBe('{"records": []}');
  },
);

it('leaves reads and explicit deletes out', async () => {
  const cloud = await withProject([
    WEB,
    google('gone', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'x' }),
    google('list', 'cloudresourcemanager.folders.list', { parent: ORG }),
  ]);
  const { document } = await json(cloud, verbPlanSchema, 'adopt', 'playbook.yaml');
  expect(document.summary).toMatchObject({ adopt: 1, skipped: 2 });
});
