import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json.ts';
import {
  ACCOUNT,
  apply,
  applyBatch,
  type Cloud,
  cloudOf,
  ORG,
  operationOf,
  see,
  sent,
  writeAll,
} from './support/cloud.ts';
import { stepOf } from './support/steps.ts';

const grant = (role: string, member = 'user:a@example.com', more: Record<string, Json> = {}) =>
  stepOf(`${role} ${member}`, 'cloudresourcemanager.organizations.iam.ensure_binding', {
    organization: ORG,
    role,
    member,
    ...more,
  });
const removal = (role: string, member = 'user:a@example.com', more: Record<string, Json> = {}) =>
  stepOf(`${role} ${member}`, 'cloudresourcemanager.organizations.iam.remove_binding', {
    organization: ORG,
    role,
    member,
    ...more,
  });
const condition = {
  title: 'until',
  description: 'for a while',
  expression: 'request.time < timestamp("2030-01-01T00:00:00Z")',
};
const withPolicy = (bindings: Json, more: JsonObject = {}) => ({
  seed: { policies: [{ resource: ORG, policy: { bindings, ...more } }] },
});
const KINDS = (results: readonly { readonly kind: string }[]) => results.map(({ kind }) => kind);
const SET = { path: ':setIamPolicy' };
const ABORTED = { error: { code: 409, status: 'ABORTED', message: 'There were concurrent policy changes.' } };

async function policyOf(cloud: Cloud): Promise<JsonObject> {
  const answer = await fetch(`${cloud.emulator.url}/v3/${ORG}:getIamPolicy`, {
    method: 'POST',
    headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
    body: JSON.stringify({ options: { requestedPolicyVersion: 3 } }),
  });
  return (await answer.json()) as JsonObject;
}

const sets = (cloud: Cloud) => sent(cloud, 'POST', /:setIamPolicy$/);

describe('grants', () => {
  it('of one policy are one read and one write, whatever their number (B8)', async () => {
    const cloud = await cloudOf();
    const steps = Array.from({ length: 100 }, (_, index) => grant('roles/browser', `user:u${index}@example.com`));
    cloud.emulator.resetRequests();
    const seen = await Promise.all(steps.map((step) => see(cloud, step, {}, cloud.provider.openSession())));
    cloud.emulator.resetRequests();
    const results = await writeAll(
      cloud,
      seen.map(({ declaration, desired, observation }) => operationOf(declaration, desired, observation, 'create')),
    );
    expect(new Set(KINDS(results))).toEqual(new Set(['done']));
    expect(cloud.emulator.requests.map(({ path }) => path.split(':')[1])).toEqual(['getIamPolicy', 'setIamPolicy']);
  });

  it('are sent at version 3 with the etag that was read, and nothing else is in the mask (B1)', async () => {
    const cloud = await cloudOf(withPolicy([{ role: 'roles/browser', members: ['group:g@example.com'], condition }]));
    const before = await policyOf(cloud);
    expect(await apply(cloud, grant('roles/viewer'))).toMatchObject({
      kind: 'done',
      id: null,
      resource: { resource: ORG, role: 'roles/viewer', member: 'user:a@example.com' },
    });
    expect(sets(cloud)[0]?.body).toMatchObject({
      policy: { version: 3, etag: before['etag'] },
      updateMask: 'bindings,etag',
    });
  });

  it('leave every entry of others as it was read: case, order, conditions, audit configuration, deleted members (B9, B12)', async () => {
    const theirs = [
      { role: 'roles/editor', members: ['user:Bob@Example.com', 'deleted:user:carol@example.com?uid=123'] },
      { role: 'roles/browser', members: ['group:g@example.com'], condition },
      { role: 'roles/viewer', members: ['domain:example.com'] },
    ];
    const auditConfigs = [{ service: 'allServices', auditLogConfigs: [{ logType: 'DATA_READ' }] }];
    const cloud = await cloudOf(withPolicy(theirs, { auditConfigs }));
    await apply(cloud, grant('roles/viewer'));
    const [mutated] = sets(cloud);
    const ours = { role: 'roles/viewer', members: ['domain:example.com', 'user:a@example.com'] };
    expect(mutated?.body).toMatchObject({ policy: { bindings: [...theirs.slice(0, 2), ours] } });
    expect((await policyOf(cloud))['auditConfigs']).toEqual(auditConfigs);
  });

  it('under a condition stand beside those without', async () => {
    const cloud = await cloudOf(withPolicy([{ role: 'roles/browser', members: ['user:a@example.com'] }]));
    expect(await apply(cloud, grant('roles/browser', 'user:a@example.com', { condition }))).toMatchObject({
      kind: 'done',
      resource: { condition },
    });
    expect((await policyOf(cloud))['bindings']).toHaveLength(2);
    expect(await apply(cloud, grant('roles/browser', 'user:a@example.com', { condition }))).toBeNull();
  });

  it('that are there by now need no write', async () => {
    const cloud = await cloudOf(withPolicy([{ role: 'roles/viewer', members: ['user:A@Example.com'] }]));
    const { declaration, desired } = await see(cloud, grant('roles/viewer'));
    expect((await writeAll(cloud, [operationOf(declaration, desired, { kind: 'absent' }, 'create')]))[0]).toMatchObject(
      { kind: 'noop' },
    );
    expect(sets(cloud)).toEqual([]);
  });

  it('on a billing account are read by GET', async () => {
    const cloud = await cloudOf();
    const step = stepOf('b', 'cloudbilling.billing_accounts.iam.ensure_binding', {
      billing_account: ACCOUNT,
      role: 'roles/billing.user',
      member: 'user:a@example.com',
    });
    expect(await apply(cloud, step)).toMatchObject({ kind: 'done' });
    expect(sent(cloud, 'GET', /getIamPolicy$/)[0]?.query).toEqual({ 'options.requestedPolicyVersion': ['3'] });
    expect(await apply(cloud, step)).toBeNull();
  });
});

describe('a policy that others change as well', () => {
  it('is read and written again as a whole, after a random while (B6)', async () => {
    const cloud = await cloudOf({
      faults: [{ ...SET, nth: 1, times: 2, action: { kind: 'respond', status: 409, body: ABORTED } }],
    });
    expect(await apply(cloud, grant('roles/viewer'))).toMatchObject({ kind: 'done' });
    expect(sent(cloud, 'POST', /getIamPolicy$/)).toHaveLength(4);
    expect(cloud.sleeps).toEqual([500, 1_000]);
  });

  it('is so for a 412 (B7)', async () => {
    const cloud = await cloudOf({
      faults: [
        {
          ...SET,
          nth: 1,
          action: {
            kind: 'respond',
            status: 412,
            body: { error: { code: 412, status: 'FAILED_PRECONDITION', message: 'etag' } },
          },
        },
      ],
    });
    expect(await apply(cloud, grant('roles/viewer'))).toMatchObject({ kind: 'done' });
  });

  it('is given up after eight rounds', async () => {
    const cloud = await cloudOf({ faults: [{ ...SET, action: { kind: 'respond', status: 409, body: ABORTED } }] });
    expect(await apply(cloud, grant('roles/viewer'))).toMatchObject({
      kind: 'failed',
      why: { code: 'CONFLICT', retryable: true },
    });
    expect(sets(cloud)).toHaveLength(8);
  });

  it('by two writers at once keeps the grants of both', async () => {
    const cloud = await cloudOf();
    const writers = ['a', 'b', 'c', 'd'].map((name) =>
      apply(cloud, grant('roles/browser', `user:${name}@example.com`)),
    );
    expect(KINDS((await Promise.all(writers)).map((result) => result ?? { kind: 'none' }))).toEqual([
      'done',
      'done',
      'done',
      'done',
    ]);
    const [binding] = (await policyOf(cloud))['bindings'] as readonly JsonObject[];
    expect(binding?.['members']).toHaveLength(4);
    expect(sets(cloud).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

describe('a policy write without an answer', () => {
  it('is settled by a read: it had landed', async () => {
    const cloud = await cloudOf({ faults: [{ ...SET, nth: 1, action: { kind: 'resetAfter' } }] });
    expect(await apply(cloud, grant('roles/viewer'))).toMatchObject({ kind: 'done' });
    expect(sets(cloud)).toHaveLength(1);
  });

  it('is settled by a read: it had not, and is made again', async () => {
    const cloud = await cloudOf({ faults: [{ ...SET, nth: 1, action: { kind: 'reset' } }] });
    expect(await apply(cloud, grant('roles/viewer'))).toMatchObject({ kind: 'done' });
    expect(sets(cloud)).toHaveLength(2);
  });

  it("is uncertain when no answer ever comes, or the policy can't be read", async () => {
    const never = await cloudOf({ faults: [{ ...SET, action: { kind: 'reset' } }] });
    expect(await apply(never, grant('roles/viewer'))).toMatchObject({
      kind: 'uncertain',
      why: { code: 'OUTCOME_UNKNOWN' },
    });
    const denied = { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } };
    const blind = await cloudOf({
      faults: [
        { ...SET, action: { kind: 'resetAfter' } },
        { path: ':getIamPolicy', nth: 3, action: { kind: 'respond', status: 403, body: denied } },
      ],
    });
    expect(await apply(blind, grant('roles/viewer'))).toMatchObject({ kind: 'uncertain' });
  });

  it('whose answer shows nothing is looked at again', async () => {
    const cloud = await cloudOf({
      faults: [{ ...SET, nth: 1, action: { kind: 'respond', status: 200, body: { etag: 'BwX=' } } }],
    });
    expect(await apply(cloud, grant('roles/viewer'))).toMatchObject({ kind: 'done' });
    expect(sets(cloud)).toHaveLength(2);
  });
});

describe('a refused policy', () => {
  it('loses the member that is named, and the rest is sent again', async () => {
    const cloud = await cloudOf({ knobs: { missingMembers: ['user:nobody@example.com'] } });
    const results = await applyBatch(cloud, [
      grant('roles/viewer'),
      grant('roles/viewer', 'user:Nobody@example.com'),
      grant('roles/browser'),
    ]);
    expect(results).toMatchObject([
      { kind: 'done' },
      { kind: 'failed', why: { code: 'MEMBER_NOT_FOUND', address: 'roles/viewer user:Nobody@example.com' } },
      { kind: 'done' },
    ]);
  });

  it('loses the role that is named', async () => {
    const cloud = await cloudOf({ knobs: { unknownRoles: ['roles/nothing.there'] } });
    expect(await applyBatch(cloud, [grant('roles/nothing.there'), grant('roles/viewer')])).toMatchObject([
      { kind: 'failed', why: { code: 'ROLE_INVALID' } },
      { kind: 'done' },
    ]);
  });

  it("for an entry of someone else's says whose it is, and changes nothing", async () => {
    const cloud = await cloudOf({
      ...withPolicy([{ role: 'roles/viewer', members: ['serviceAccount:gone@p.iam.gserviceaccount.com'] }]),
      knobs: { missingMembers: ['serviceAccount:gone@p.iam.gserviceaccount.com'] },
    });
    const result = await apply(cloud, grant('roles/browser'));
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'MEMBER_NOT_FOUND' } });
    expect(JSON.stringify(result)).toContain('not an entry of this playbook');
  });

  it('is tried by halves where nobody is named', async () => {
    const cloud = await cloudOf({
      faults: [
        {
          ...SET,
          nth: 1,
          action: {
            kind: 'respond',
            status: 400,
            body: {
              error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' },
            },
          },
        },
      ],
    });
    expect(
      KINDS(await applyBatch(cloud, [grant('roles/viewer'), grant('roles/browser'), grant('roles/editor')])),
    ).toEqual(['done', 'done', 'done']);
    expect(sets(cloud)).toHaveLength(3);
  });

  it('of a member that this run has just made is tried for two minutes (B18)', async () => {
    const missing = { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'User a@example.com does not exist.' } };
    const cloud = await cloudOf({
      faults: [{ ...SET, nth: 1, times: 2, action: { kind: 'respond', status: 400, body: missing } }],
    });
    expect(await apply(cloud, grant('roles/viewer'), { freshDependencies: true })).toMatchObject({ kind: 'done' });
    expect(cloud.sleeps).toEqual([5_000, 10_000]);
    const never = await cloudOf({ faults: [{ ...SET, action: { kind: 'respond', status: 400, body: missing } }] });
    expect(await apply(never, grant('roles/viewer'), { freshDependencies: true })).toMatchObject({
      kind: 'failed',
      why: { code: 'MEMBER_NOT_FOUND' },
    });
    expect(never.sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(120_000);
  });

  it('for want of a permission fails for all, at once', async () => {
    const cloud = await cloudOf(
      {
        tokens: { reader: { name: 'user:r@example.com', permissions: ['resourcemanager.organizations.getIamPolicy'] } },
      },
      'reader',
    );
    expect(KINDS(await applyBatch(cloud, [grant('roles/viewer'), grant('roles/browser')]))).toEqual([
      'failed',
      'failed',
    ]);
    expect(sets(cloud)).toHaveLength(1);
  });
});

describe("a policy that can't be written safely", () => {
  it('with lost conditions stays as it is', async () => {
    const cloud = await cloudOf();
    const { declaration, desired } = await see(cloud, grant('roles/viewer'));
    cloud.emulator.addFault({
      path: ':getIamPolicy',
      action: {
        kind: 'respond',
        status: 200,
        body: { etag: 'BwX=', bindings: [{ role: 'roles/viewer_withcond_0011', members: ['user:b@example.com'] }] },
      },
    });
    expect((await writeAll(cloud, [operationOf(declaration, desired, { kind: 'absent' }, 'create')]))[0]).toMatchObject(
      { kind: 'failed', why: { code: 'POLICY_DOWNGRADED' } },
    );
    expect(sets(cloud)).toEqual([]);
  });

  it('without an etag stays as it is', async () => {
    const cloud = await cloudOf({
      faults: [{ path: ':getIamPolicy', action: { kind: 'respond', status: 200, body: { bindings: [] } } }],
    });
    expect(await apply(cloud, grant('roles/viewer'))).toMatchObject({
      kind: 'failed',
      why: { code: 'INVALID_RESPONSE' },
    });
    expect(sets(cloud)).toEqual([]);
  });
});

describe('grants are taken away', () => {
  const admin = 'roles/resourcemanager.organizationAdmin';

  it('exactly, and only those (B14)', async () => {
    const cloud = await cloudOf(
      withPolicy([
        { role: 'roles/viewer', members: ['user:A@example.com', 'user:b@example.com'] },
        { role: 'roles/browser', members: ['user:a@example.com'] },
        { role: 'roles/browser', members: ['user:a@example.com'], condition },
      ]),
    );
    const results = await applyBatch(cloud, [removal('roles/viewer'), removal('roles/browser')]);
    expect(results).toMatchObject([
      { kind: 'done', resource: null },
      { kind: 'done', resource: null },
    ]);
    expect((await policyOf(cloud))['bindings']).toEqual(
      expect.arrayContaining([
        { role: 'roles/viewer', members: ['user:b@example.com'] },
        { role: 'roles/browser', members: ['user:a@example.com'], condition },
      ]),
    );
    expect(await apply(cloud, removal('roles/viewer'))).toBeNull();
  });

  it('but for the last by which the policy can be set', async () => {
    const cloud = await cloudOf(
      withPolicy([
        { role: admin, members: ['user:a@example.com'] },
        { role: 'roles/viewer', members: ['user:a@example.com'] },
      ]),
    );
    const results = await applyBatch(cloud, [removal(admin), removal('roles/viewer')]);
    expect(results).toMatchObject([
      { kind: 'failed', why: { code: 'SELF_LOCKOUT', hint: expect.stringContaining('--allow-self-lockout') } },
      { kind: 'done' },
    ]);
    expect(await apply(cloud, removal(admin), { allowSelfLockout: true })).toMatchObject({ kind: 'done' });
  });

  it('also the last one where another takes its place in the same write', async () => {
    const cloud = await cloudOf(withPolicy([{ role: admin, members: ['user:a@example.com'] }]));
    expect(KINDS(await applyBatch(cloud, [removal(admin), grant(admin, 'user:b@example.com')]))).toEqual([
      'done',
      'done',
    ]);
    expect(sets(cloud)).toHaveLength(1);
  });

  it('of principals that were deleted', async () => {
    const member = 'deleted:user:c@example.com?uid=1';
    const cloud = await cloudOf(withPolicy([{ role: 'roles/viewer', members: [member, 'user:b@example.com'] }]));
    expect(await apply(cloud, removal('roles/viewer', member))).toMatchObject({ kind: 'done' });
    expect((await policyOf(cloud))['bindings']).toEqual([{ role: 'roles/viewer', members: ['user:b@example.com'] }]);
  });
});
