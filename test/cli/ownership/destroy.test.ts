import { expect, it } from 'vitest';
import { ACCOUNT, type Cloud, codesOf, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { confirmed, json, orphans, owned, verbPlanSchema } from '../../support/e2e/ownership.ts';
import { enable, folder, grant, link, project } from '../../support/e2e/playbooks.ts';

const steps = (protect: boolean | undefined) => {
  const tool = protect === undefined ? {} : { protect };
  return [
    folder('outer', { parent: ORG, display_name: 'outer' }, tool),
    folder('inner', { parent: '{{ steps.outer.resource.name }}', display_name: 'inner' }, tool),
    project('web', { project_id: 'acme-web', parent: '{{ steps.inner.resource.name }}' }, tool),
    link('billing', { project_id: 'acme-web', billing_account: ACCOUNT }),
    enable('apis', { project_id: 'acme-web', services: ['dns.googleapis.com', 'iam.googleapis.com'] }),
    grant('team', { project_id: 'acme-web', role: 'roles/browser', member: 'group:team@example.com' }),
    grant('org', { organization: ORG, role: 'roles/browser', member: 'group:team@example.com' }),
  ];
};

async function converged(protect: boolean | undefined): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: steps(protect) });
  expectExit(await cloud.converge(), 0);
  cloud.resetRequests();
  return cloud;
}

it('A10: a protected project survives with its billing, APIs and grants; the rest goes, and what stayed is listed', async () => {
  const cloud = await converged(undefined);
  const { planned, done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(planned, 0);
  expectExit(done, 2);
  expect(done.document.summary).toMatchObject({ deleted: 1, held: 7 });
  expect(cloud.writes).toEqual([`POST /v3/${ORG}:setIamPolicy`]);
  expect(cloud.projectOf('acme-web')).toMatchObject({ state: 'ACTIVE' });
  expect(cloud.enabledServices('acme-web')).toEqual(
    expect.arrayContaining(['dns.googleapis.com', 'iam.googleapis.com']),
  );
  expect(cloud.membersOf('projects/acme-web', 'roles/browser')).toEqual(['group:team@example.com']);
  expect(stepAt(done.document, 'billing')).toMatchObject({
    outcome: 'held',
    held: 'kept with web, which is protected',
  });
  expectExit(await cloud.run(['destroy', 'playbook.yaml', '--detailed-exitcode']), 2);
});

it('what is not protected goes in reverse order; what lay in a project gets its fact; then there is nothing to do', async () => {
  const cloud = await converged(false);
  const { planned, done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(planned, 0);
  expectExit(done, 0);
  const writes = cloud.writes.filter((request) => request.startsWith('DELETE '));
  expect(writes).toEqual([
    expect.stringMatching(/^DELETE \/v3\/projects\//),
    expect.stringMatching(/^DELETE \/v3\/folders\//),
    expect.stringMatching(/^DELETE \/v3\/folders\//),
  ]);
  expect(cloud.writes.filter((request) => /services|billingInfo|acme-web:setIamPolicy/.test(request))).toEqual([]);
  for (const address of ['billing', 'apis[dns.googleapis.com]', 'team'])
    expect(stepAt(done.document, address)).toMatchObject({
      outcome: 'absent',
      provider_fact: { verb: 'delete', outcome: 'absent' },
    });
  expect((await owned(cloud)).document).toMatchObject({ owned: [], tombstoned: 8 });
  const again = await confirmed(cloud, 'destroy', 'playbook.yaml', '--detailed-exitcode');
  expectExit(again.planned, 0);
  expectExit(again.done, 0);
  const told = [again.planned, again.done].map(({ document }) => JSON.stringify(document)).join();
  expect(told).not.toContain('FORMAT_WARNING');
  expectExit(await orphans(cloud, 'playbook.yaml'), 0);
});

it('G3: one protected resource keeps what it needs, and no more', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      folder('outer', { parent: ORG, display_name: 'outer' }, { protect: false }),
      project('kept', { project_id: 'acme-kept', parent: '{{ steps.outer.resource.name }}' }, { protect: true }),
      project('goes', { project_id: 'acme-goes', parent: '{{ steps.outer.resource.name }}' }, { protect: false }),
    ],
  });
  expectExit(await cloud.converge(), 0);
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 2);
  expect(cloud.projectOf('acme-goes').state).toBe('DELETE_REQUESTED');
  expect(cloud.projectOf('acme-kept').state).toBe('ACTIVE');
  expect(stepAt(done.document, 'outer')).toMatchObject({ outcome: 'held' });
  const human = await cloud.run(['destroy', 'playbook.yaml']);
  expect(human.stdout).toContain('protected');
});

it('F9: protection declared without another change is recorded, and outlives its declaration', async () => {
  const cloud = await converged(false);
  cloud.write({ defaults: { stack: 'prod' }, steps: steps(true) });
  const applied = await cloud.converge();
  expectExit(applied, 0);
  expect(stepAt(applied.report, 'web')).toMatchObject({ record: 'protect' });
  cloud.write({ defaults: { stack: 'prod' }, steps: steps(undefined) });
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 2);
  expect(cloud.projectOf('acme-web').state).toBe('ACTIVE');
});

it('what was merely found is kept, unless the caller says otherwise; what is not ours is blocked', async () => {
  const cloud = await openCloudInside({
    seed: {
      folders: [
        { id: '10', displayName: 'found', parent: ORG },
        { id: '11', displayName: 'theirs', parent: ORG },
      ],
    },
  });
  const found = folder('found', { parent: ORG, display_name: 'found' }, { protect: false });
  cloud.write({ defaults: { stack: 'prod' }, steps: [found] });
  expectExit(await cloud.converge(), 0);
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 2);
  expect(stepAt(done.document, 'found')).toMatchObject({ outcome: 'held' });
  expect(cloud.writes).toEqual([]);
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [found, folder('theirs', { parent: ORG, display_name: 'theirs' })],
  });
  const included = await confirmed(cloud, 'destroy', 'playbook.yaml', '--include-found');
  expectExit(included.done, 5);
  expect(codesOf(stepAt(included.planned.document, 'theirs').diagnostics)).toEqual(['NOT_OURS']);
  expect(cloud.state.folders['folders/10']?.state).toBe('DELETE_REQUESTED');
  expect(cloud.state.folders['folders/11']?.state).toBe('ACTIVE');
});

it('a folder with something else in it is blocked, and that is named', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [folder('outer', { parent: ORG, display_name: 'outer' }, { protect: false })],
  });
  expectExit(await cloud.converge(), 0);
  const outer = cloud.folderNamed('outer').name;
  await cloud.outOfBand('POST', '/v3/folders', { parent: outer, displayName: 'theirs' });
  const { document } = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  expect(codesOf(stepAt(document, 'outer').diagnostics)).toEqual(['FOLDER_NOT_EMPTY']);
  expectExit(await cloud.run(['destroy', 'playbook.yaml', '--confirm', document.digest ?? '']), 5);
});

it('without auth nothing is planned: exit 4', async () => {
  const cloud = await converged(false);
  expectExit(await cloud.fail(['destroy', 'playbook.yaml'], { INFRA_TEST_TOKEN: '' }), 4);
  expect(cloud.requests).toEqual([]);
});

it('a stale digest deletes nothing', async () => {
  const cloud = await converged(false);
  const { document } = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  await cloud.outOfBand('PATCH', '/v3/projects/acme-web?updateMask=labels', { labels: { x: 'y' } });
  const failed = await cloud.fail(['destroy', 'playbook.yaml', '--confirm', document.digest ?? '']);
  expectExit(failed, 5);
  expect(cloud.writes).toEqual([]);
});

it('steps that are held as reports are said to be that, and not that nothing is owned', async () => {
  const cloud = await converged(false);
  cloud.write({ defaults: { stack: 'prod', reconcile: 'report' }, steps: steps(false) });
  const ended = await cloud.run(['destroy', 'playbook.yaml']);
  expect(ended.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Nothing to destroy: 8 steps are held (reconcile is report); pass --reconcile enforce',
  );
  expect(ended.stdout).not.toContain('is owned any more');
});

it('a part of a stack is taken down by its protection, wherever the protected thing is declared', async () => {
  const cloud = await openCloudInside();
  const all = steps(false).map((step) =>
    step.step === 'apis'
      ? enable('apis', { project_id: 'acme-web', services: ['dns.googleapis.com'] }, { protect: true })
      : step,
  );
  cloud.write({ defaults: { stack: 'prod' }, steps: all });
  expectExit(await cloud.converge(), 0);
  // The protected service is in no playbook any more, and still keeps its project and the folders around it.
  cloud.write({ defaults: { stack: 'prod' }, steps: all.filter(({ step }) => step !== 'apis') });
  const planned = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  for (const address of ['web', 'inner', 'outer'])
    expect(stepAt(planned.document, address).held).toContain(
      'needed by google:serviceusage:service:acme-web/dns.googleapis.com, which is protected',
    );
  expect(stepAt(planned.document, 'team').held).toBe('kept with web');
});

it('what lies in a protected project stays with it when the project is in another playbook', async () => {
  const cloud = await converged(undefined);
  const inside = ['billing', 'apis', 'team'];
  const project = 'google:cloudresourcemanager:project:acme-web';
  cloud.write({ defaults: { stack: 'prod' }, steps: steps(undefined).filter(({ step }) => inside.includes(step)) });
  const planned = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  expect(planned.document.summary).toMatchObject({ held: 4, delete: 0 });
  expect(stepAt(planned.document, 'team').held).toBe(`kept with ${project}, which is protected`);
  // Another stack may take down what it made in there: protection by default is its owner's.
  cloud.write({
    defaults: { stack: 'team' },
    steps: [enable('own', { project_id: 'acme-web', service: 'run.googleapis.com' })],
  });
  expectExit(await cloud.converge(), 0);
  const theirs = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  expect(theirs.document.summary).toMatchObject({ held: 0, delete: 1 });
});

it('a grant on a folder by reference is destroyed alone, and gone where the folder is', async () => {
  const cloud = await openCloudInside();
  const playbook = [
    folder('outer', { parent: ORG, display_name: 'outer' }, { protect: false }),
    grant('team', {
      folder: '{{ steps.outer.resource.name }}',
      role: 'roles/browser',
      member: 'group:team@example.com',
    }),
  ];
  cloud.write({ defaults: { stack: 'prod' }, steps: playbook });
  const before = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  expect(stepAt(before.document, 'team')).toMatchObject({ change: 'none', present: false });
  expectExit(await cloud.converge(), 0);
  const alone = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml', '--target', 'team');
  expect(stepAt(alone.document, 'team')).toMatchObject({ change: 'delete', held: null });
});

it('a folder that is owned by its number, as the ancestor writes it, is found and given up under both names', async () => {
  const cloud = await openCloudInside();
  const playbook = [
    folder('outer', { parent: ORG, display_name: 'outer' }, { protect: false }),
    folder('inner', { parent: '{{ steps.outer.resource.name }}', display_name: 'inner' }, { protect: false }),
  ];
  cloud.write({ defaults: { stack: 'prod' }, steps: playbook.slice(0, 1) });
  expectExit(await cloud.converge(), 0);
  const outer = String((await owned(cloud)).document.owned[0]?.resource_id);
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [folder('inner', { parent: outer, display_name: 'inner' }, { protect: false })],
  });
  expectExit(await cloud.converge(), 0);
  cloud.write({ defaults: { stack: 'prod' }, steps: playbook });
  const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
  expectExit(done, 0);
  expect(done.document.summary).toMatchObject({ deleted: 2 });
  expect((await owned(cloud)).document.owned).toEqual([]);
});

it('a clean-up that leaves a project for what is protected in it leaves its link, services and grants', async () => {
  const cloud = await openCloudInside();
  const all = steps(false).map((step) =>
    step.step === 'apis'
      ? enable('apis', { project_id: 'acme-web', services: ['dns.googleapis.com'] }, { protect: true })
      : step,
  );
  const iam = enable('iam', { project_id: 'acme-web', service: 'iam.googleapis.com' });
  const stays = folder('stays', { parent: ORG, display_name: 'stays' });
  cloud.write({ defaults: { stack: 'prod' }, steps: [...all, iam, stays] });
  expectExit(await cloud.converge(), 0);
  cloud.write({ defaults: { stack: 'prod' }, steps: [stays] });
  expectExit(await cloud.run(['orphans', 'playbook.yaml', '--plan-destroy', 'removal.yaml']), 2);
  const { plan } = await cloud.planOf('removal.yaml');
  expect(plan.steps.map(({ urn }) => urn)).toEqual([`google:iam:binding:${ORG}/roles/browser/group:team@example.com`]);
  expect(cloud.readText('removal.yaml')).toContain(
    'billing-link:acme-web: kept with google:cloudresourcemanager:project:acme-web',
  );
});

it('a clean-up leaves a project whose protected service is still declared', async () => {
  const cloud = await openCloudInside();
  const api = enable('api', { project_id: 'acme-web', service: 'dlp.googleapis.com' }, { protect: true });
  const kept = folder('free', { parent: ORG, display_name: 'free' }, { protect: false });
  const web = project('web', { project_id: 'acme-web', parent: ORG }, { protect: false });
  cloud.write({ defaults: { stack: 'prod' }, steps: [web, api, kept] });
  expectExit(await cloud.converge(), 0);
  cloud.write({ defaults: { stack: 'prod' }, steps: [api] });
  expectExit(await cloud.run(['orphans', 'playbook.yaml', '--plan-destroy', 'removal.yaml']), 2);
  const removal = cloud.readText('removal.yaml');
  expect(removal).toContain('google.cloudresourcemanager.folders.delete');
  expect(removal).not.toContain('projects.delete');
  expect(removal).toContain('needed by google:serviceusage:service:acme-web/dlp.googleapis.com, which is protected');
});

it('a stale digest says what differs from the reviewed destruction, in JSON and to people, and deletes nothing', async () => {
  const cloud = await converged(false);
  const { document } = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
  await cloud.outOfBand('POST', '/v3/projects/acme-web:move', { destinationParent: ORG });
  const argv = ['destroy', 'playbook.yaml', '--confirm', document.digest ?? ''];
  const failed = await cloud.fail(argv);
  expectExit(failed, 5);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['DIGEST_STALE']);
  expect(failed.failure.differences).toMatchObject([{ address: 'web', field: 'etag' }]);
  const people = await cloud.run(argv);
  for (const word of ['web', 'etag']) expect(people.stderr).toContain(word);
  expect(cloud.writes).toEqual([]);
});
