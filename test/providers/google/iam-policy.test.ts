import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  addGrant,
  type Grant,
  grantsSetting,
  hasGrant,
  isDowngraded,
  isSettable,
  removeGrant,
} from '../../../src/providers/google/iam-policy.ts';

const grant = (role: string, member: string, condition: JsonObject | null = null): Grant => ({
  role,
  member,
  condition,
});
const CONDITION = { title: 'until', expression: 'request.time < timestamp("2030-01-01T00:00:00Z")' };

const members = fc.array(
  fc.constantFrom('user:A@x.com', 'user:b@x.com', 'group:g@x.com', 'deleted:user:C@x.com?uid=1', 'allUsers'),
  { maxLength: 4 },
);
const binding = fc.record(
  { role: fc.constantFrom('roles/viewer', 'roles/browser'), members, x_unknown: fc.string() },
  { requiredKeys: ['role', 'members'] },
);
const policies = fc.record({
  etag: fc.constant('BwX='),
  version: fc.constant(3),
  auditConfigs: fc.constant([{ service: 'allServices' }]),
  bindings: fc.array(binding, { maxLength: 4 }),
  x_more: fc.json(),
});
const grants = fc.record({
  role: fc.constantFrom('roles/viewer', 'roles/browser', 'roles/new'),
  member: fc.constantFrom('user:a@X.com', 'user:new@x.com', 'group:g@x.com'),
  condition: fc.constantFrom(null, CONDITION),
});

/** Every (role, member) pair of a policy that is not the given grant. */
function others(policy: JsonObject, { role, member, condition }: Grant): readonly string[] {
  const bindings = policy['bindings'] as readonly JsonObject[];
  return bindings
    .flatMap((item) =>
      (item['members'] as readonly string[]).map(
        (name) => [item['role'], JSON.stringify(item['condition'] ?? null), name] as const,
      ),
    )
    .filter(([r, c, m]) => !(r === role && c === JSON.stringify(condition) && m.toLowerCase() === member.toLowerCase()))
    .map((parts) => parts.join(' '))
    .sort();
}

describe('grants', () => {
  it('are there after being added, and everything else is as before', () => {
    fc.assert(
      fc.property(policies, grants, (policy, wanted) => {
        const changed = addGrant(policy as JsonObject, wanted);
        expect(hasGrant(changed, wanted)).toBe(true);
        expect(others(changed, wanted)).toEqual(others(policy as JsonObject, wanted));
        expect({ ...changed, bindings: null }).toEqual({ ...policy, bindings: null });
      }),
    );
  });

  it('are gone from every binding after being removed, and everything else is as before (B14)', () => {
    fc.assert(
      fc.property(policies, grants, (policy, unwanted) => {
        const changed = removeGrant(policy as JsonObject, unwanted);
        expect(hasGrant(changed, unwanted)).toBe(false);
        expect(others(changed, unwanted)).toEqual(others(policy as JsonObject, unwanted));
      }),
    );
  });

  it('leave a policy untouched that is as wanted', () => {
    fc.assert(
      fc.property(policies, grants, (policy, wanted) => {
        const once = addGrant(policy as JsonObject, wanted);
        expect(addGrant(once, wanted)).toBe(once);
        const without = removeGrant(policy as JsonObject, wanted);
        expect(removeGrant(without, wanted)).toBe(without);
      }),
    );
  });

  it('under a condition are others than without one', () => {
    const policy = addGrant(
      { bindings: [{ role: 'roles/viewer', members: ['user:a@x.com'] }] },
      grant('roles/viewer', 'user:a@x.com', CONDITION),
    );
    expect(policy['bindings']).toEqual([
      { role: 'roles/viewer', members: ['user:a@x.com'] },
      { role: 'roles/viewer', members: ['user:a@x.com'], condition: CONDITION },
    ]);
    expect(removeGrant(policy, grant('roles/viewer', 'user:a@x.com', CONDITION))['bindings']).toEqual([
      { role: 'roles/viewer', members: ['user:a@x.com'] },
    ]);
  });

  it('take an absent description for an empty one', () => {
    const policy = {
      bindings: [{ role: 'roles/viewer', members: ['user:a@x.com'], condition: { ...CONDITION, description: '' } }],
    };
    expect(hasGrant(policy, grant('roles/viewer', 'user:a@x.com', CONDITION))).toBe(true);
  });

  it('are found whatever the location of their condition is, in every binding of theirs (B14)', () => {
    const located = { ...CONDITION, location: 'console' };
    const wanted = grant('roles/viewer', 'user:a@x.com', CONDITION);
    const theirs = { role: 'roles/viewer', members: ['user:B@x.com'], condition: located, x_unknown: 1 };
    const policy = {
      bindings: [
        { ...theirs, members: ['user:a@x.com', 'user:B@x.com'] },
        { role: 'roles/viewer', members: ['user:a@x.com'], condition: CONDITION },
        { role: 'roles/viewer', members: ['user:a@x.com'], condition: { ...located, title: 'another' } },
      ],
    };
    expect(addGrant(policy, wanted)).toBe(policy);
    expect(removeGrant(policy, wanted)['bindings']).toEqual([theirs, policy.bindings[2]]);
  });

  it('keep the case in which others wrote a member (B12)', () => {
    const policy = addGrant(
      { bindings: [{ role: 'roles/viewer', members: ['user:Bob@X.com'] }] },
      grant('roles/viewer', 'user:new@x.com'),
    );
    expect(policy['bindings']).toEqual([{ role: 'roles/viewer', members: ['user:Bob@X.com', 'user:new@x.com'] }]);
  });

  it('start a policy that has no bindings', () => {
    expect(addGrant({ etag: 'ACAB' }, grant('roles/viewer', 'user:a@x.com'))).toEqual({
      etag: 'ACAB',
      bindings: [{ role: 'roles/viewer', members: ['user:a@x.com'] }],
    });
  });
});

describe('a policy', () => {
  it('that lost its conditions is seen', () => {
    expect(isDowngraded({ bindings: [{ role: 'roles/viewer_withcond_2a3b', members: [] }] })).toBe(true);
    expect(isDowngraded({ bindings: [{ role: 'roles/viewer', members: [] }] })).toBe(false);
  });

  it('without anybody who could set it is seen', () => {
    const admin = grant('roles/resourcemanager.organizationAdmin', 'user:a@x.com');
    const policy = addGrant({}, admin);
    expect(isSettable(policy, 'organizations/1')).toBe(true);
    expect(isSettable(removeGrant(policy, admin), 'organizations/1')).toBe(false);
    expect(
      isSettable({ bindings: [{ role: 'roles/owner', members: ['deleted:user:a@x.com?uid=1'] }] }, 'organizations/1'),
    ).toBe(false);
    expect(grantsSetting(admin, 'organizations/1')).toBe(true);
    expect(grantsSetting(admin, 'projects/p')).toBe(false);
  });
});
