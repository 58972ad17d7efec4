import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ACCOUNT, type Cloud, codesOf, expectExit, linesOf, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { eventSchema } from '../../support/e2e/contract.ts';
import { orphans, owned } from '../../support/e2e/ownership.ts';
import { enable, folder, google, grant, link, project } from '../../support/e2e/playbooks.ts';
import { changesBetween, treeOf } from '../../support/safety/tree.ts';

const PROJECT = 'google:cloudresourcemanager:project';

/** Applies a playbook under a name of its own. */
async function apply(cloud: Cloud, file: string): Promise<void> {
  const { plan } = await cloud.planOf(file);
  expectExit(await cloud.run(['apply', file, '--confirm', plan.digest ?? '']), 0);
}

function projects(stack: string, ids: readonly string[]) {
  return {
    defaults: { stack },
    workload: { ids },
    steps: [
      project(
        'projects',
        { project_id: '{{ iter.id }}', parent: ORG },
        { protect: false },
        { loop: { in: '{{ workload.ids }}', iterator: 'id' } },
      ),
    ],
  };
}

/** Two stacks, three playbooks, loops. */
async function threePlaybooks(): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write(projects('prod', ['prod-a1', 'prod-a2', 'prod-a3']), 'a.yaml');
  cloud.write(projects('prod', ['prod-b1', 'prod-b2']), 'b.yaml');
  cloud.write(projects('dev', ['dev-c1', 'dev-c2']), 'c.yaml');
  for (const file of ['a.yaml', 'b.yaml', 'c.yaml']) await apply(cloud, file);
  cloud.resetRequests();
  return cloud;
}

it("orphans of one stack never name another's", async () => {
  const cloud = await threePlaybooks();
  const before = treeOf(cloud.folder);
  const none = await orphans(cloud, 'a.yaml', 'b.yaml', 'c.yaml', '--stack', 'prod');
  expectExit(none, 0);
  expect(none.document).toMatchObject({ stack: 'prod', orphans: [], conflicts: [], aliases: [], grants: [] });
  // Without b.yaml, what it made is an orphan of prod, and nothing of dev is, declared or not.
  const found = await orphans(cloud, 'a.yaml', '--stack', 'prod');
  expectExit(found, 2);
  expect(found.document.orphans.map(({ urn }) => urn)).toEqual([`${PROJECT}:prod-b1`, `${PROJECT}:prod-b2`]);
  expect(found.document.orphans[0]).toMatchObject({
    stack: 'prod',
    resource_type: 'project',
    protected: false,
    since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  const dev = await orphans(cloud, 'a.yaml', 'b.yaml', '--stack', 'dev');
  expect(dev.document.orphans.map(({ urn }) => urn)).toEqual([`${PROJECT}:dev-c1`, `${PROJECT}:dev-c2`]);
  expect(cloud.writes).toEqual([]);
  expect(changesBetween(before, treeOf(cloud.folder))).toEqual([]);
});

it('an instance that left the loop is an orphan', async () => {
  const cloud = await threePlaybooks();
  cloud.write(projects('dev', ['dev-c2']), 'c.yaml');
  const found = await orphans(cloud, 'c.yaml');
  // The only stack of the playbooks.
  expect(found.document.stack).toBe('dev');
  expect(found.document.orphans.map(({ urn }) => urn)).toEqual([`${PROJECT}:dev-c1`]);
});

it('a playbook that does not load makes the verb fail: it would be taken for one that declares nothing', async () => {
  const cloud = await threePlaybooks();
  cloud.writeText('b.yaml', 'workflow: [{ step: x }\n');
  const failed = await cloud.fail(['orphans', 'a.yaml', 'b.yaml', '--stack', 'prod']);
  expectExit(failed, 3);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['YAML_INVALID']);
});

it('playbooks of several stacks need a word about which one is asked for', async () => {
  const cloud = await threePlaybooks();
  const failed = await cloud.fail(['orphans', 'a.yaml', 'b.yaml', 'c.yaml']);
  expectExit(failed, 3);
  expect(failed.failure.diagnostics).toMatchObject([
    { code: 'USAGE', detail: expect.stringContaining('dev, prod'), hint: expect.stringContaining('--stack dev') },
  ]);
  const agreed = await orphans(cloud, 'a.yaml', 'b.yaml');
  expectExit(agreed, 0);
  expect(agreed.document).toMatchObject({ stack: 'prod', orphans: [] });
});

it('takes the playbooks and the stack of infra.yaml; none found is an error', async () => {
  const cloud = await threePlaybooks();
  const none = await cloud.fail(['orphans']);
  expectExit(none, 3);
  cloud.writeText('infra.yaml', 'stack: prod\nplaybooks: ["*.yml"]\n');
  expectExit(await cloud.fail(['orphans']), 3);
  cloud.writeText('infra.yaml', 'stack: prod\nplaybooks: ["[ab].yaml", "teams/**/?.yaml"]\n');
  expectExit(await cloud.fail(['orphans']), 3);
  cloud.write(projects('prod', ['prod-a1', 'prod-a2', 'prod-a3']), 'teams/one/a.yaml');
  const found = await orphans(cloud);
  expectExit(found, 2);
  expect(found.document).toMatchObject({ stack: 'prod' });
  expect(found.document.orphans.map(({ urn }) => urn)).toEqual([`${PROJECT}:prod-b1`, `${PROJECT}:prod-b2`]);
  cloud.writeText('infra.yaml', 'playbooks: ["../*.yaml"]\n');
  expectExit(await cloud.fail(['orphans']), 3);
});

it('what two stacks claim is a conflict, and no orphan of the one that declares it', async () => {
  const cloud = await threePlaybooks();
  cloud.write(projects('dev', ['prod-a1', 'dev-c1', 'dev-c2']), 'c.yaml');
  await apply(cloud, 'c.yaml');
  const found = await orphans(cloud, 'c.yaml', '--stack', 'dev');
  expectExit(found, 0);
  expect(found.document.conflicts).toEqual([{ urn: `${PROJECT}:prod-a1`, stacks: ['prod', 'dev'] }]);
});

it('renaming a parent folder with was: leaves no orphan among its children', async () => {
  const cloud = await openCloudInside();
  const steps = (name: object) => [
    folder('outer', { parent: ORG, ...name }),
    folder('inner', { parent: '{{ steps.outer.resource.name }}', display_name: 'inner' }),
    project('web', { project_id: 'acme-web', parent: '{{ steps.inner.resource.name }}' }),
    grant('team', { folder: '{{ steps.outer.resource.name }}', role: 'roles/browser', member: 'group:t@example.com' }),
  ];
  cloud.write({ defaults: { stack: 'prod' }, steps: steps({ display_name: 'before' }) });
  expectExit(await cloud.converge(), 0);
  cloud.write({
    defaults: { stack: 'prod' },
    steps: steps({ display_name: 'after', was: { display_name: 'before' } }),
  });
  expectExit(await cloud.converge(), 0);
  const found = await orphans(cloud, 'playbook.yaml');
  expect(found.document).toMatchObject({ orphans: [], aliases: [], conflicts: [] });
  expectExit(found, 0);
});

it('streams a line an orphan, and says what it found in Markdown and in words', async () => {
  const cloud = await threePlaybooks();
  const ended = await cloud.run([
    'orphans',
    'a.yaml',
    '--format',
    'ndjson',
    '--out',
    'markdown=orphans.md',
    '--out',
    'human=orphans.txt',
  ]);
  expectExit(ended, 2);
  const events = linesOf(ended.stdout).map((line) => eventSchema.parse(JSON.parse(line)));
  expect(events.map(({ type }) => type)).toEqual(['version', 'orphan_result', 'orphan_result', 'summary']);
  expect(cloud.readText('orphans.md')).toContain('### Orphans (2) in stack <code>prod</code>');
  expect(cloud.readText('orphans.txt')).toContain('2 orphans.');
});

const OLD = [
  folder('outer', { parent: ORG, display_name: 'old' }, { protect: false }),
  folder('inner', { parent: '{{ steps.outer.resource.name }}', display_name: 'inner' }, { protect: false }),
  project('web', { project_id: 'acme-web', parent: '{{ steps.inner.resource.name }}' }, { protect: false }),
  link('billing', { project_id: 'acme-web', billing_account: ACCOUNT }),
  enable('apis', { project_id: 'acme-web', services: ['dns.googleapis.com', 'iam.googleapis.com'] }),
  grant('team', { project_id: 'acme-web', role: 'roles/browser', member: 'group:team@example.com' }),
];
const KEPT = [
  project('kept', { project_id: 'acme-kept', parent: '{{ steps.outer.resource.name }}' }),
  enable('kept_apis', { project_id: 'acme-kept', services: ['iam.googleapis.com'] }),
];

it('--plan-destroy writes a playbook that deletes them, dependants first, and planning and applying it works', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [...OLD, folder('stays', { parent: ORG, display_name: 'stays' })],
  });
  expectExit(await cloud.converge(), 0);
  cloud.write({ defaults: { stack: 'prod' }, steps: [folder('stays', { parent: ORG, display_name: 'stays' })] });
  const found = await cloud.run(['orphans', 'playbook.yaml', '--plan-destroy', 'clean-up.yaml']);
  expectExit(found, 2);
  expect(found.stdout).toContain('infra plan clean-up.yaml');
  const { plan, ...planned } = await cloud.planOf('clean-up.yaml');
  expectExit(planned, 0);
  expect(plan.summary).toMatchObject({ delete: 7, blocked: 0 });
  expect(plan.stacks).toEqual(['prod']);
  const applied = await cloud.run(['apply', 'clean-up.yaml', '--confirm', plan.digest ?? '']);
  expectExit(applied, 0);
  expect(cloud.projectOf('acme-web').state).toBe('DELETE_REQUESTED');
  expectExit(await orphans(cloud, 'playbook.yaml'), 0);
  expect((await owned(cloud)).document.owned.map(({ urn }) => urn)).toEqual([
    `google:cloudresourcemanager:folder:${ORG}/stays`,
  ]);
});

it('--plan-destroy leaves out what is protected, what it contains and what it needs, and says so', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [...OLD, ...KEPT, folder('stays', { parent: ORG, display_name: 'stays' })],
  });
  expectExit(await cloud.converge(), 0);
  cloud.write({ defaults: { stack: 'prod' }, steps: [folder('stays', { parent: ORG, display_name: 'stays' })] });
  expectExit(await cloud.run(['orphans', 'playbook.yaml', '--plan-destroy', 'clean-up.yaml']), 2);
  const comment = linesOf(cloud.readText('clean-up.yaml'))
    .filter((line) => line.startsWith('#'))
    .join('\n');
  expect(comment).toContain('project:acme-kept: protected');
  expect(comment).toContain('acme-kept/iam.googleapis.com: kept with');
  expect(comment).toMatch(/folder:organizations\/123456789012\/old: needed by/);
  const { plan } = await cloud.planOf('clean-up.yaml');
  expect(plan.summary).toMatchObject({ delete: 6, blocked: 0 });
  expectExit(await cloud.run(['apply', 'clean-up.yaml', '--confirm', plan.digest ?? '']), 0);
  expect(cloud.projectOf('acme-kept').state).toBe('ACTIVE');
  expect(cloud.enabledServices('acme-kept')).toContain('iam.googleapis.com');
});

it('--plan-destroy writes nothing where there is nothing to delete', async () => {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: [project('web', { project_id: 'acme-web', parent: ORG })] });
  expectExit(await cloud.converge(), 0);
  cloud.write({ defaults: { stack: 'prod' }, steps: [folder('stays', { parent: ORG, display_name: 'stays' })] });
  const found = await cloud.run(['orphans', 'playbook.yaml', '--plan-destroy', 'clean-up.yaml']);
  expectExit(found, 2);
  expect(found.stdout).toContain('project:acme-web: protected');
  expect(existsSync(join(cloud.folder, 'clean-up.yaml'))).toBe(false);
});

it('B20, B21: --grants lists what no fact covers, without the service agents of Google', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      project('web', { project_id: 'acme-web', parent: ORG }),
      grant('team', { project_id: 'acme-web', role: 'roles/browser', member: 'group:Team@example.com' }),
      grant('org', { organization: ORG, role: 'roles/browser', member: 'group:team@example.com' }),
    ],
  });
  expectExit(await cloud.converge(), 0);
  const number = cloud.projectOf('acme-web').name.replace('projects/', '');
  await cloud.outOfBand('POST', '/v3/projects/acme-web:setIamPolicy', {
    policy: {
      version: 3,
      bindings: [
        { role: 'roles/browser', members: ['group:team@example.com', 'user:Eve@example.com'] },
        {
          role: 'roles/compute.serviceAgent',
          members: [`serviceAccount:service-${number}@compute-system.iam.gserviceaccount.com`],
        },
        {
          role: 'roles/logging.viewer',
          members: ['user:eve@example.com'],
          condition: { title: 'now', expression: 'true' },
        },
      ],
    },
  });
  const found = await orphans(cloud, 'playbook.yaml', '--grants');
  expectExit(found, 2);
  expect(found.document.grants).toEqual([
    { resource: 'projects/acme-web', role: 'roles/browser', member: 'user:eve@example.com', condition: null },
    {
      resource: 'projects/acme-web',
      role: 'roles/logging.viewer',
      member: 'user:eve@example.com',
      condition: { title: 'now', expression: 'true' },
    },
  ]);
  const other = await orphans(cloud, 'playbook.yaml', '--grants', '--leave-out', 'user:*@example.com');
  expect(other.document.grants.map(({ member }) => member)).toEqual([
    `serviceAccount:service-${number}@compute-system.iam.gserviceaccount.com`,
  ]);
  expect((await orphans(cloud, 'playbook.yaml')).document.grants).toEqual([]);
  expect(cloud.writes).toEqual([]);
});

it('a policy that can not be read is told, not passed over', async () => {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: [project('web', { project_id: 'acme-web', parent: ORG })] });
  expectExit(await cloud.converge(), 0);
  const body = { error: { code: 403, status: 'PERMISSION_DENIED', message: 'denied' } };
  cloud.emulator.addFault({ path: 'acme-web:getIamPolicy', action: { kind: 'respond', status: 403, body } });
  const found = await orphans(cloud, 'playbook.yaml', '--grants');
  expectExit(found, 4);
  expect(codesOf(found.document.diagnostics)).toEqual(['PERMISSION_DENIED']);
});

it('needs an id that nothing gives: an error, not fewer declarations', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      folder('outer', { parent: ORG, display_name: 'outer' }),
      google('team', 'cloudresourcemanager.folders.iam.ensure_binding', {
        folder: '{{ steps.outer.resource.name }}',
        role: 'roles/browser',
        member: 'group:t@example.com',
      }),
    ],
  });
  const failed = await cloud.fail(['orphans', 'playbook.yaml']);
  expectExit(failed, 5);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['BLOCKED']);
});
