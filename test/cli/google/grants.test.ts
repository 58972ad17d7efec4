import { expect, it } from 'vitest';
import { codesOf, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { google, grant } from '../../support/e2e/playbooks.ts';

const TEAM = 'group:team@example.com';
const CONDITION = {
  title: 'office hours',
  description: 'kept as it is',
  expression: 'request.time.getHours("Europe/Berlin") < 18',
};
/** Someone else's part of a policy: no run may touch it. */
const THEIRS = {
  bindings: [
    { role: 'roles/owner', members: ['user:Founder@Example.com', 'deleted:user:gone@example.com?uid=123456789'] },
    { role: 'roles/browser', members: ['user:night@example.com'], condition: CONDITION },
    { role: 'roles/browser', members: ['user:day@example.com', 'user:Night@example.com'] },
  ],
  auditConfigs: [
    { service: 'allServices', auditLogConfigs: [{ logType: 'ADMIN_READ', exemptedMembers: ['user:a@example.com'] }] },
  ],
};
const SEED = { policies: [{ resource: ORG, policy: THEIRS }] };

function sentPolicy(requests: readonly { readonly path: string; readonly body: unknown }[]) {
  const sent = requests.find(({ path }) => path.endsWith(':setIamPolicy'))?.body;
  return sent as { policy: { version: number; etag: string; bindings: unknown[] }; updateMask?: string };
}

it.concurrent('B1 B2 conditional bindings are read and written with version 3, and kept byte for byte; auditConfigs and deleted: members stay', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  const before = cloud.policyOf(ORG);
  cloud.write({ steps: [grant('team', { organization: ORG, role: 'roles/viewer', member: TEAM })] });
  expectExit(await cloud.converge(), 0);
  for (const read of cloud.emulator.requests.filter(({ path }) => path.endsWith(':getIamPolicy')))
    expect(read.body).toEqual({ options: { requestedPolicyVersion: 3 } });
  const { policy, updateMask } = sentPolicy(cloud.emulator.requests);
  expect(policy.version).toBe(3);
  expect(policy.etag).toMatch(/.+/);
  expect(policy.bindings).toEqual([...THEIRS.bindings, { role: 'roles/viewer', members: [TEAM] }]);
  expect(updateMask ?? 'bindings,etag').not.toContain('auditConfigs');
  const after = cloud.policyOf(ORG);
  expect(after?.auditConfigs).toEqual(before?.auditConfigs);
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('a grant is its role, member and condition: the same role without the condition is another grant', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  const input = { organization: ORG, role: 'roles/browser', member: 'user:night@example.com' };
  cloud.write({
    steps: [
      grant('conditional', { ...input, condition: CONDITION }),
      grant('plain', { ...input, member: 'user:day@example.com' }),
      grant('other', { ...input, member: TEAM, condition: { ...CONDITION, title: 'another title' } }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(plan.steps.map((step) => [step.address, step.change]).sort()).toEqual([
    ['conditional', 'none'],
    ['other', 'create'],
    ['plain', 'none'],
  ]);
  expect(stepAt(plan, 'conditional').urn).toMatch(/\/condition:[0-9a-f]{32}$/);
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.policyOf(ORG)?.bindings).toContainEqual({
    role: 'roles/browser',
    members: [TEAM],
    condition: { ...CONDITION, title: 'another title' },
  });
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('a grant under a condition with a location is the one that is declared without', async () => {
  const located = { ...CONDITION, location: 'console' };
  const mine = { role: 'roles/browser', members: ['user:Me@example.com'], condition: located };
  const theirs = { ...mine, role: 'roles/compute.viewer', members: ['user:Day@example.com', 'user:me@example.com'] };
  const seed = { policies: [{ resource: ORG, policy: { bindings: [mine, theirs] } }] };
  const cloud = await openCloudInside({ seed });
  const input = { organization: ORG, member: 'user:me@example.com', condition: CONDITION };
  cloud.write({
    steps: [
      grant('mine', { ...input, role: 'roles/browser' }),
      google('gone', 'cloudresourcemanager.organizations.iam.remove_binding', {
        ...input,
        role: 'roles/compute.viewer',
      }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'mine')).toMatchObject({ change: 'none', present: true });
  expect(stepAt(plan, 'gone')).toMatchObject({ change: 'delete', present: true });
  expectExit(await cloud.apply(plan.digest), 0);
  expect(sentPolicy(cloud.emulator.requests).policy.bindings).toEqual([
    mine,
    { ...theirs, members: ['user:Day@example.com'] },
  ]);
});

it.concurrent('B12 members are compared without case, and a foreign one is written back as read', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  cloud.write({
    steps: [
      grant('founder', { organization: ORG, role: 'roles/owner', member: 'user:founder@example.com' }),
      grant('team', { organization: ORG, role: 'roles/owner', member: TEAM }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'founder').change).toBe('none');
  expectExit(await cloud.apply(plan.digest), 0);
  expect(sentPolicy(cloud.emulator.requests).policy.bindings[0]).toEqual({
    role: 'roles/owner',
    members: [...(THEIRS.bindings[0]?.members ?? []), TEAM],
  });
});

it.concurrent('B14 B15 removing a grant removes exactly that one, with the etag of its read; unrelated grants in between are fine', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  const input = { organization: ORG, role: 'roles/browser', member: 'user:night@example.com' };
  cloud.write({ steps: [google('gone', 'cloudresourcemanager.organizations.iam.remove_binding', input)] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'gone')).toMatchObject({
    change: 'delete',
    plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  await cloud.outOfBand('POST', `/v3/${ORG}:setIamPolicy`, {
    policy: { version: 3, bindings: [...THEIRS.bindings, { role: 'roles/editor', members: ['user:new@example.com'] }] },
  });
  expectExit(await cloud.apply(plan.digest), 0);
  // Google itself writes addresses in lower case, and sorts.
  expect(sentPolicy(cloud.emulator.requests).policy.bindings).toEqual(
    expect.arrayContaining([
      { role: 'roles/browser', members: ['user:day@example.com'] },
      { role: 'roles/browser', members: ['user:night@example.com'], condition: CONDITION },
      { role: 'roles/editor', members: ['user:new@example.com'] },
      { role: 'roles/owner', members: expect.arrayContaining(['deleted:user:gone@example.com?uid=123456789']) },
    ]),
  );
});

it.concurrent('the same digest-gated removal under exec', async () => {
  const cloud = await openCloudInside({ seed: SEED });
  const input = { organization: ORG, role: 'roles/browser', member: 'user:night@example.com', condition: CONDITION };
  const action = 'cloudresourcemanager.organizations.iam.remove_binding';
  cloud.write({
    steps: [
      google('plan_it', action, input, { dry_run: true }),
      google('do_it', action, input, { dry_run: false, confirm: '{{ steps.plan_it.plan_digest }}' }),
    ],
  });
  const ended = await cloud.exec();
  expectExit(ended, 0);
  expect(ended.lines[1]?.data).toMatchObject({ changed: true });
  expect(sentPolicy(cloud.emulator.requests).policy.bindings).toEqual([THEIRS.bindings[0], THEIRS.bindings[2]]);
});

it.concurrent('B6 B7 a concurrent edit is met by the whole read, change and write again: 409 and 412', async () => {
  for (const [status, canonical] of [
    [409, 'ABORTED'],
    [412, 'FAILED_PRECONDITION'],
  ] as const) {
    const cloud = await openCloudInside({ seed: SEED });
    cloud.write({ steps: [grant('team', { organization: ORG, role: 'roles/viewer', member: TEAM })] });
    const { plan } = await cloud.plan();
    cloud.resetRequests();
    cloud.emulator.addFault({
      path: ':setIamPolicy',
      nth: 1,
      action: {
        kind: 'respond',
        status,
        body: { error: { code: status, status: canonical, message: 'There were concurrent policy changes.' } },
      },
    });
    expectExit(await cloud.apply(plan.digest), 0);
    const policyCalls = cloud.requests.map((request) => request.split(':').at(-1));
    expect(policyCalls.slice(-3)).toEqual(['setIamPolicy', 'getIamPolicy', 'setIamPolicy']);
    expect(cloud.membersOf(ORG, 'roles/viewer')).toEqual([TEAM]);
  }
});

it.concurrent('B8 grants of several steps and of every kind of resource: one read and one write a policy', async () => {
  const cloud = await openCloudInside({
    seed: {
      ...SEED,
      folders: [{ id: '1', displayName: 'one', parent: ORG }],
      projects: [{ projectId: 'acme-web', number: '555', parent: 'folders/1' }],
    },
  });
  const roles = ['roles/viewer', 'roles/browser'];
  const on = (name: string, input: object) =>
    roles.map((role, index) => grant(`${name}${index}`, { ...input, role, member: TEAM }));
  cloud.write({
    steps: [
      ...on('org', { organization: ORG }),
      ...on('folder', { folder: 'folders/1' }),
      ...on('project', { project_id: 'acme-web' }),
      ...roles.map((_, index) =>
        google(`billing${index}`, 'cloudbilling.billing_accounts.iam.ensure_binding', {
          billing_account: '0A1B2C-3D4E5F-6A7B8C',
          role: ['roles/billing.user', 'roles/billing.viewer'][index],
          member: TEAM,
        }),
      ),
    ],
  });
  const { plan } = await cloud.plan();
  expect(cloud.requests.filter((request) => request.endsWith(':getIamPolicy'))).toHaveLength(4);
  expect(cloud.requests).toContain('GET /v1/billingAccounts/0A1B2C-3D4E5F-6A7B8C:getIamPolicy');
  expect(plan.batches).toHaveLength(4);
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toHaveLength(4);
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('a policy that was read without its conditions stops', async () => {
  const cloud = await openCloudInside({
    seed: {
      policies: [
        {
          resource: ORG,
          policy: { bindings: [{ role: 'roles/browser_withcond_0123456789abcdef0123', members: [TEAM] }] },
        },
      ],
    },
  });
  cloud.write({ steps: [grant('team', { organization: ORG, role: 'roles/viewer', member: TEAM })] });
  const { plan } = await cloud.plan();
  const step = stepAt(plan, 'team');
  expect([step.change, codesOf(step.diagnostics)]).toEqual(['blocked', ['POLICY_DOWNGRADED']]);
  expectExit(await cloud.apply(plan.digest), 5);
  expect(cloud.writes).toEqual([]);
});

it.concurrent('B4 what Google would refuse is refused offline: a condition on a basic role, allUsers on a project, a malformed member', async () => {
  const cloud = await openCloudInside();
  cloud.write({
    steps: [
      grant('basic', { organization: ORG, role: 'roles/owner', member: TEAM, condition: CONDITION }),
      grant('everyone', { project_id: 'acme-web', role: 'roles/viewer', member: 'allUsers' }),
      grant('malformed', { organization: ORG, role: 'roles/viewer', member: 'team@example.com' }),
    ],
  });
  const { code, failure } = await cloud.fail(['plan', 'playbook.yaml', '--offline']);
  expect(code).toBe(3);
  const errors = failure.diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ address, code: name }) => [address, name]).sort()).toEqual([
    ['basic', 'INVALID_VALUE'],
    ['everyone', 'INVALID_VALUE'],
    ['malformed', 'INVALID_VALUE'],
  ]);
});

it.concurrent('removing the last grant by which the policy can be set is refused, unless the caller allows it', async () => {
  const admin = { role: 'roles/resourcemanager.organizationAdmin', members: ['user:me@example.com'] };
  const cloud = await openCloudInside({ seed: { policies: [{ resource: ORG, policy: { bindings: [admin] } }] } });
  cloud.write({
    steps: [
      google('gone', 'cloudresourcemanager.organizations.iam.remove_binding', {
        organization: ORG,
        role: admin.role,
        member: 'user:me@example.com',
      }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'gone').change).toBe('blocked');
  expect(codesOf(stepAt(plan, 'gone').diagnostics)).toContain('SELF_LOCKOUT');
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 5);
  expect(cloud.writes).toEqual([]);
  const allowed = await cloud.converge('--allow-self-lockout');
  expectExit(allowed, 0);
  expect(cloud.policyOf(ORG)?.bindings).toEqual([]);
});

it.concurrent('B9 B18 a member that does not exist is dropped from the write and named, the rest goes through', async () => {
  const cloud = await openCloudInside({
    knobs: { missingMembers: ['serviceAccount:gone@acme.iam.gserviceaccount.com'] },
  });
  cloud.write({
    steps: [
      grant('gone', {
        organization: ORG,
        role: 'roles/viewer',
        member: 'serviceAccount:gone@acme.iam.gserviceaccount.com',
      }),
      grant('team', { organization: ORG, role: 'roles/viewer', member: TEAM }),
    ],
  });
  const applied = await cloud.converge();
  expectExit(applied, 7);
  expect(stepAt(applied.report, 'team').outcome).toBe('changed');
  expect(codesOf(stepAt(applied.report, 'gone').diagnostics)).toContain('MEMBER_NOT_FOUND');
  expect(cloud.membersOf(ORG, 'roles/viewer')).toEqual([TEAM]);
});
