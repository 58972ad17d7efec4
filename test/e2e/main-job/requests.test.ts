import { expect, it } from 'vitest';
import { type Cloud, expectExit, isWrite, ORG, openCloud } from '../../support/e2e/cloud.ts';
import { writeFoundation } from '../../support/e2e/fixtures.ts';
import { folder, grant } from '../../support/e2e/playbooks.ts';

const FOLDER_LIST = /^GET \/v3\/folders$/;
const SERVICE_READ = /^GET \/v1\/projects\/[^/]+\/services(:batchGet)?$/;
const POLICY_READ = /:getIamPolicy$/;
const POLICY_WRITE = /:setIamPolicy$/;

function count(requests: readonly string[], what: RegExp): number {
  return requests.filter((request) => what.test(request)).length;
}

/** An apply's requests: its re-plan is all that comes before the first write. */
function phases(cloud: Cloud): { readonly replan: readonly string[]; readonly writes: readonly string[] } {
  const first = cloud.requests.findIndex(isWrite);
  return { replan: cloud.requests.slice(0, first), writes: cloud.requests.slice(first) };
}

it.concurrent('five folders under one parent cost one list, in the plan and again in the re-plan of the apply', async () => {
  const cloud = await openCloud();
  cloud.write({
    steps: [
      folder(
        'folders',
        { parent: ORG, display_name: '{{ iter.name }}' },
        {},
        { loop: { in: "{{ ['one-a', 'two-b', 'three-c', 'four-d', 'five-e'] }}", iterator: 'name' } },
      ),
    ],
  });
  const { plan } = await cloud.plan();
  expect(cloud.requests).toEqual(['GET /v3/folders']);
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  const { replan, writes } = phases(cloud);
  expect(count(replan, FOLDER_LIST)).toBe(1);
  expect(replan).toHaveLength(1);
  expect(count(writes, /^POST \/v3\/folders$/)).toBe(5);
});

it.concurrent("ten projects' services cost ten reads a phase", async () => {
  const cloud = await openCloud();
  writeFoundation(cloud);
  await cloud.converge();
  await cloud.outOfBand('POST', '/v1/projects/acme-web-dev/services/run.googleapis.com:disable', {});
  const { plan } = await cloud.plan();
  expect(count(cloud.requests, SERVICE_READ)).toBe(10);
  // One list of the organisation's folders, one of each folder's projects, one of the account's links, the account
  // itself (is it open?), one policy.
  expect(count(cloud.requests, FOLDER_LIST)).toBe(1);
  expect(count(cloud.requests, /^GET \/v3\/projects$/)).toBe(5);
  expect(count(cloud.requests, /^GET \/v1\/billingAccounts\/[^/]+\/projects$/)).toBe(1);
  expect(count(cloud.requests, POLICY_READ)).toBe(1);
  expect(count(cloud.requests, /^GET \/v1\/billingAccounts\/[^/]+$/)).toBe(1);
  expect(cloud.requests).toHaveLength(19);
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  const { replan, writes } = phases(cloud);
  expect(count(replan, SERVICE_READ)).toBe(10);
  expect(writes.filter(isWrite)).toEqual(['POST /v1/projects/acme-web-dev/services/run.googleapis.com:enable']);
});

it.concurrent('two grants on one policy cost one read and one write', async () => {
  const cloud = await openCloud();
  const member = 'group:team@example.com';
  cloud.write({
    steps: [
      grant('browse', { organization: ORG, role: 'roles/browser', member }),
      grant('view', { organization: ORG, role: 'roles/viewer', member }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(cloud.requests).toEqual([`POST /v3/${ORG}:getIamPolicy`]);
  expect(plan.batches).toHaveLength(1);
  expect([...(plan.batches[0]?.addresses ?? [])].sort()).toEqual(['browse', 'view']);
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(count(cloud.requests, POLICY_WRITE)).toBe(1);
  const { replan, writes } = phases(cloud);
  // What the write reads of the policy itself is the re-plan's read or one of its own.
  expect(count(replan, POLICY_READ)).toBeLessThanOrEqual(2);
  expect(count(writes, POLICY_READ)).toBe(0);
  expect(cloud.membersOf(ORG, 'roles/browser')).toEqual([member]);
  expect(cloud.membersOf(ORG, 'roles/viewer')).toEqual([member]);
});
