import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  hasMemberWildcard,
  memberProblem,
  normalizeMember,
  removableMemberProblem,
  sameMember,
} from '../../../src/providers/google/members.ts';

describe('normalizeMember', () => {
  test.each([
    ['user:Bob@Example.COM', 'user:bob@example.com'],
    ['serviceAccount:P.svc.id.goog[NS/ksa]', 'serviceAccount:p.svc.id.goog[ns/ksa]'],
    ['domain:Example.com', 'domain:example.com'],
    ['allUsers', 'allUsers'],
    ['allAuthenticatedUsers', 'allAuthenticatedUsers'],
    ['principal://iam.googleapis.com/Pools/P/subject/S', 'principal://iam.googleapis.com/Pools/P/subject/S'],
    ['principalSet://iam.googleapis.com/Pools/*', 'principalSet://iam.googleapis.com/Pools/*'],
    ['deleted:user:Bob@x.com?uid=12', 'deleted:user:bob@x.com?uid=12'],
    ['deleted:principal://IAM/Subject', 'deleted:principal://IAM/Subject'],
  ])('%s is %s', (member, normal) => {
    expect(normalizeMember(member)).toBe(normal);
  });

  const member = fc
    .tuple(fc.constantFrom('user', 'group', 'serviceAccount', 'domain', 'principal', 'deleted:user'), fc.string())
    .map(([prefix, value]) => `${prefix}:${value}`);

  it('is idempotent, and its result is the same member', () => {
    fc.assert(
      fc.property(member, (text) => {
        const normal = normalizeMember(text);
        expect(normalizeMember(normal)).toBe(normal);
        expect(sameMember(text, normal)).toBe(true);
      }),
    );
  });

  it('never makes two principals of different case one', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(normalizeMember(`principal:${value}`)).toBe(`principal:${value}`);
      }),
    );
  });

  it('keeps the type prefix apart', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        expect(sameMember(`user:${address}`, `group:${address}`)).toBe(false);
      }),
    );
  });
});

describe('members that can be granted a role', () => {
  test.each([
    'user:a@example.com',
    "user:Ada.O'Neil+cloud_1@Mail.Example.CO.UK",
    'user:ada@b\u00fccher.example',
    'user:ada@xn--bcher-kva.example',
    'group:a@example.com',
    'serviceAccount:555@cloudservices.gserviceaccount.com',
    'serviceAccount:sa@example.com.p.iam.gserviceaccount.com',
    'serviceAccount:P.svc.id.goog[NS/ksa]',
    'domain:Sub.Example.com',
    'principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/subject/repo:o/r:ref:refs/heads/x',
    'principalHierarchy://anything',
    'serviceAccount:sa@p.iam.gserviceaccount.com',
    'serviceAccount:p.svc.id.goog[ns/ksa]',
    'domain:example.com',
    'principal://iam.googleapis.com/locations/global/workforcePools/p/subject/s',
    'principalSet://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/*',
  ])('%s', (member) => {
    expect(memberProblem(member, 'project')).toBeNull();
  });

  test.each([
    ['allUsers', 'project'],
    ['allAuthenticatedUsers', 'project'],
    ['deleted:user:a@example.com?uid=1', 'organization'],
    ['projectOwner:p', 'project'],
    ['User:a@example.com', 'organization'],
    ['serviceaccount:sa@p.iam.gserviceaccount.com', 'organization'],
    ['a@example.com', 'organization'],
    ['user:', 'organization'],
    ['user:nomail', 'project'],
    ['user:a b@c.d', 'project'],
    ['user:a@b@c.d', 'project'],
    ['user:@c.d', 'project'],
    ['user:a@', 'project'],
    ['user:a@c.d\n', 'project'],
    ['group:team', 'folder'],
    ['group: team@example.com', 'folder'],
    ['serviceAccount:sa', 'billing_account'],
    ['serviceAccount:p.svc.id.goog[ns]', 'project'],
    ['domain:bob@example.com', 'organization'],
    ['domain:example .com', 'organization'],
    ['user:sa@p.iam.gserviceaccount.com', 'organization'],
    ['user:team@googlegroups.com', 'organization'],
  ] as const)('%s on a %s never is', (member, holder) => {
    expect(memberProblem(member, holder)).toMatchObject({ certain: true });
  });

  test.each([
    'user:bob@localhost',
    'user:bob@example..com',
    'user:bob@-example.com',
    'user:<bob>@example.com',
    'serviceAccount:bob@example.com',
    'domain:example',
    'domain:.example.com',
    'domain:*.example.com',
    'principal:x',
  ])('%s breaks a format', (member) => {
    expect(memberProblem(member, 'organization')).toMatchObject({ certain: false });
  });

  it('allUsers may stand on other resources than projects', () => {
    expect(memberProblem('allUsers', 'organization')).toBeNull();
  });

  it('names the prefix that was meant', () => {
    expect(memberProblem('serviceaccount:x@p.iam.gserviceaccount.com', 'project')?.hint).toBe(
      'Write serviceAccount:x@p.iam.gserviceaccount.com.',
    );
    expect(memberProblem('user:sa@p.iam.gserviceaccount.com', 'project')?.hint).toBe(
      'Write serviceAccount:sa@p.iam.gserviceaccount.com.',
    );
  });
});

test.each([
  ['user:*@example.com', true],
  ['principalSet://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/*', false],
  ['principalSet://iam.googleapis.com/*/p/*', true],
  ['deleted:user:a@example.com?uid=12', false],
  ['deleted:user:a?@example.com?uid=12', true],
  ['serviceAccount:p.svc.id.goog[ns/ksa]', false],
  ['serviceAccount:p.svc.id.goog[*/ksa]', true],
])('%s as a pattern: %s', (member, isPattern) => {
  expect(hasMemberWildcard(member)).toBe(isPattern);
});

describe('members that can lose a role', () => {
  test.each([
    'deleted:user:a@example.com?uid=1',
    'deleted:serviceAccount:sa@p.iam.gserviceaccount.com?uid=1',
    'deleted:principal://iam.googleapis.com/locations/global/workforcePools/p/subject/s',
    'allUsers',
    'projectOwner:p',
    'user:a@example.com',
    'user:bob@localhost',
  ])('%s', (member) => {
    expect(removableMemberProblem(member)).toBeNull();
  });

  test.each([
    'a@example.com',
    'user:',
    'USER:a@example.com',
    'user:nomail',
    'group:a b@c.d',
    'deleted:user:a@example.com',
    'deleted:user:nomail?uid=1',
    'deleted:a@example.com?uid=1',
  ])('%s is none', (member) => {
    expect(removableMemberProblem(member)).not.toBeNull();
  });
});
