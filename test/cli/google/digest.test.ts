import { expect, it } from 'vitest';
import { infra } from '../../support/cli-process.ts';
import {
  ACCOUNT,
  type Cloud,
  codesOf,
  expectExit,
  ORG,
  ORG_ID,
  openCloudInside,
  parsed,
} from '../../support/e2e/cloud.ts';
import { applySchema, planSchema } from '../../support/e2e/contract.ts';
import { enable, folder, grant, link, type PlaybookParts, project } from '../../support/e2e/playbooks.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SEED = {
  folders: [
    { id: '10', displayName: '10-platform', parent: ORG },
    { id: '99', displayName: 'of a stranger', parent: ORG },
  ],
  projects: [
    { projectId: 'acme-web', number: '555', displayName: 'Acme Web', parent: ORG, labels: { theirs: 'x' } },
    { projectId: 'stranger-web', number: '556', displayName: 'Stranger', parent: ORG },
  ],
};

const TEAM = { organization: ORG, role: 'roles/browser', member: 'group:team@example.com' };

const PARTS = {
  defaults: { stack: 'prod' },
  steps: [
    folder('shared', { parent: ORG, display_name: '00-shared' }),
    project('web', { project_id: 'acme-web', parent: 'folders/10', labels: { team: 'web' } }),
    project('dns', { project_id: 'acme-dns', parent: '{{ steps.shared.resource.name }}' }),
    link('billing', { project_id: 'acme-web', billing_account: ACCOUNT }),
    enable('apis', { project_id: 'acme-web', services: ['dns.googleapis.com', 'iam.googleapis.com'] }),
    grant('team', TEAM),
  ],
} satisfies PlaybookParts;

async function open(): Promise<Cloud> {
  return openCloudInside({ seed: SEED });
}

async function digestOf(cloud: Cloud, parts: PlaybookParts, ...flags: readonly string[]): Promise<string> {
  cloud.write(parts, 'other.yaml');
  const { plan } = await cloud.planOf('other.yaml', '--no-save', ...flags);
  return plan.digest ?? 'none';
}

/** Every map of it with its keys the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

it.concurrent('is the same from another folder, by another user, later, with other key order, parallelism, comments and desc', async () => {
  const cloud = await open();
  cloud.write(PARTS);
  const { plan } = await cloud.plan();
  expect(plan.digest).toMatch(/^[0-9a-f]{64}$/);

  cloud.writeText('deep/er/copy.yaml', `# another comment\n${cloud.readText('playbook.yaml')}`);
  const elsewhere = await infra(['plan', 'copy.yaml', '--format', 'json', '--parallelism', '1', '--actor', 'someone'], {
    cwd: `${cloud.folder}/deep/er`,
    env: cloud.env({ USER: 'nobody', TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8' }),
  });
  expect(parsed(elsewhere, planSchema).digest).toBe(plan.digest);

  const steps = reversed(PARTS.steps) as typeof PARTS.steps;
  // The steps of the workflow keep their order; that is no key order.
  const turned = { ...PARTS, steps: steps.map((step) => ({ ...step, desc: `about ${step.step}` })) };
  expect(await digestOf(cloud, turned, '--parallelism', '3')).toBe(plan.digest);

  const polled = { ...PARTS, defaults: { ...PARTS.defaults, poll: { max_attempts: 3 } } };
  expect(await digestOf(cloud, polled)).toBe(plan.digest);
});

it.concurrent('planned in one folder, it is applied from another, where no plan is stored', async () => {
  const cloud = await open();
  cloud.write(PARTS);
  const { plan } = await cloud.plan();
  const cwd = temporaryFolder();
  const ended = await infra(
    ['apply', `${cloud.folder}/playbook.yaml`, '--confirm', plan.digest ?? '', '--format', 'json'],
    { cwd, env: cloud.env() },
  );
  expectExit(ended, 0);
  expect(parsed(ended, applySchema).summary).toMatchObject({ changed: 7 });
});

it.concurrent('is another after any change to what would happen', async () => {
  const cloud = await open();
  const [shared, web, dns, billing, apis, team] = PARTS.steps;
  if (!shared || !web || !dns || !billing || !apis || !team) throw new Error('the playbook has six steps');
  const variants: Readonly<Record<string, PlaybookParts>> = {
    'as it is': PARTS,
    'a step less': { ...PARTS, steps: PARTS.steps.slice(0, 5) },
    'a step more': { ...PARTS, steps: [...PARTS.steps, folder('more', { parent: ORG, display_name: 'more' })] },
    'another name of a step': { ...PARTS, steps: [...PARTS.steps.slice(0, 5), { ...team, step: 'crew' }] },
    'another folder name': {
      ...PARTS,
      steps: [folder('shared', { parent: ORG, display_name: '01-shared' }), ...PARTS.steps.slice(1)],
    },
    'another place': {
      ...PARTS,
      steps: [
        shared,
        project('web', { project_id: 'acme-web', parent: 'folders/99', labels: { team: 'web' } }),
        dns,
        billing,
        apis,
        team,
      ],
    },
    'another label': {
      ...PARTS,
      steps: [
        shared,
        project('web', { project_id: 'acme-web', parent: 'folders/10', labels: { team: 'shop' } }),
        dns,
        billing,
        apis,
        team,
      ],
    },
    'another member': {
      ...PARTS,
      steps: [...PARTS.steps.slice(0, 5), grant('team', { ...TEAM, member: 'group:crew@example.com' })],
    },
    'a condition': {
      ...PARTS,
      steps: [
        ...PARTS.steps.slice(0, 5),
        grant('team', { ...TEAM, condition: { title: 'office', expression: 'request.time.getHours() < 18' } }),
      ],
    },
    'another service': {
      ...PARTS,
      steps: [
        shared,
        web,
        dns,
        billing,
        enable('apis', { project_id: 'acme-web', services: ['dns.googleapis.com', 'run.googleapis.com'] }),
        team,
      ],
    },
    'another stack': { ...PARTS, defaults: { stack: 'test' } },
    'a step held': { ...PARTS, steps: [...PARTS.steps.slice(0, 5), grant('team', TEAM, { dry_run: true })] },
    'a step reported': { ...PARTS, steps: [...PARTS.steps.slice(0, 5), grant('team', TEAM, { reconcile: 'report' })] },
    protection: { ...PARTS, steps: [...PARTS.steps.slice(0, 5), grant('team', TEAM, { protect: true })] },
    'an order': {
      ...PARTS,
      steps: [...PARTS.steps.slice(0, 5), { ...team, depends_on: ['dns'] }],
    },
    'a guard': { ...PARTS, defaults: { ...PARTS.defaults, guard: { require_org: ORG } } },
  };
  const digests = new Map<string, string>();
  for (const [name, parts] of Object.entries(variants)) digests.set(name, await digestOf(cloud, parts));
  digests.set('--target', await digestOf(cloud, PARTS, '--target', 'shared'));
  digests.set('--allow-self-lockout', await digestOf(cloud, PARTS, '--allow-self-lockout'));
  await cloud.outOfBand('PATCH', '/v3/projects/acme-web?updateMask=labels', { labels: { theirs: 'x', team: 'old' } });
  digests.set('a managed field changed live', await digestOf(cloud, PARTS));

  const seen = new Map<string, string>();
  for (const [name, digest] of digests) {
    expect(digest, name).toMatch(/^[0-9a-f]{64}$/);
    expect(seen.get(digest), `${name} has the digest of`).toBeUndefined();
    seen.set(digest, name);
  }
});

it.concurrent("stays valid under a stranger's grant, folder and label elsewhere", async () => {
  const cloud = await open();
  cloud.write(PARTS);
  const { plan } = await cloud.plan();
  await cloud.outOfBand('POST', `/v3/${ORG}:setIamPolicy`, {
    policy: { version: 3, bindings: [{ role: 'roles/viewer', members: ['user:stranger@example.com'] }] },
  });
  await cloud.outOfBand('POST', '/v3/folders', { parent: ORG, displayName: 'new of a stranger' });
  await cloud.outOfBand('PATCH', '/v3/projects/stranger-web?updateMask=labels', { labels: { any: 'thing' } });
  await cloud.outOfBand('POST', '/v1/projects/acme-web/services/pubsub.googleapis.com:enable', {});
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 0);
  expect(applied.report.digest).toBe(plan.digest);
  expect(cloud.membersOf(ORG, 'roles/viewer')).toEqual(['user:stranger@example.com']);
});

it.concurrent('stays valid when someone else relabels our own project outside of what we declare', async () => {
  const cloud = await open();
  cloud.write({ steps: [project('web', { project_id: 'acme-web', parent: ORG, labels: { team: 'web' } })] });
  const { plan } = await cloud.plan();
  await cloud.outOfBand('PATCH', '/v3/projects/acme-web?updateMask=labels', { labels: { theirs: 'y', more: 'z' } });
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.projectOf('acme-web').labels).toEqual({ theirs: 'y', more: 'z', team: 'web' });
});

it.concurrent('a stale one sends nothing, exits 5 and says what moved, in JSON and to people', async () => {
  const cloud = await open();
  cloud.write(PARTS);
  const { plan } = await cloud.plan();
  await cloud.outOfBand('POST', '/v3/projects/acme-web:move', { destinationParent: 'folders/99' });
  await cloud.outOfBand('POST', '/v3/folders', { parent: ORG, displayName: '00-shared' });

  const refused = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect(refused.code).toBe(5);
  expect(codesOf(refused.failure.diagnostics)).toEqual(['DIGEST_STALE']);
  expect(refused.failure.differences).toEqual(
    expect.arrayContaining([
      { address: 'web', field: 'actual.parent', then: ORG, now: 'folders/99' },
      expect.objectContaining({ address: 'shared', field: 'change', then: 'create', now: 'none' }),
    ]),
  );
  expect(cloud.writes).toEqual([]);

  const people = await cloud.run(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect(people.code).toBe(5);
  expect(people.stdout).toBe('');
  for (const word of ['web', 'actual.parent', ORG, 'folders/99', 'shared', 'create', 'none'])
    expect(people.stderr).toContain(word);
  expect(cloud.writes).toEqual([]);

  const stored = await cloud.fail(['apply', '--confirm', plan.digest ?? '']);
  expect(stored.code).toBe(5);
  expect(stored.failure.differences).toEqual(refused.failure.differences);
});

it.concurrent('names what changed in the playbook', async () => {
  const cloud = await open();
  cloud.write(PARTS);
  const { plan } = await cloud.plan();
  cloud.write({
    ...PARTS,
    steps: [
      folder('shared', { parent: ORG, display_name: '01-shared' }),
      ...PARTS.steps.slice(1, 5),
      grant('crew', TEAM),
    ],
  });
  const refused = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expect(refused.code).toBe(5);
  expect(refused.failure.differences).toEqual(
    expect.arrayContaining([
      { address: 'shared', field: 'desired.display_name', then: '00-shared', now: '01-shared' },
      expect.objectContaining({ address: 'team', now: '(none)' }),
      expect.objectContaining({ address: 'crew', then: '(none)' }),
    ]),
  );
  expect(cloud.requests.filter((request) => request.includes('POST /v3/folders'))).toEqual([]);
});

it.concurrent('one that is malformed is exit 3, one that nobody planned exit 5, both before anything is sent', async () => {
  const cloud = await open();
  cloud.write(PARTS);
  for (const malformed of ['abc', 'g'.repeat(64), 'a'.repeat(63), 'a'.repeat(65)]) {
    const ended = await cloud.run(['apply', 'playbook.yaml', '--confirm', malformed]);
    expect([ended.code, malformed]).toEqual([3, malformed]);
  }
  expect(cloud.requests).toEqual([]);
  const wrong = await cloud.fail(['apply', 'playbook.yaml', '--confirm', 'a'.repeat(64)]);
  expect(wrong.code).toBe(5);
  expect(codesOf(wrong.failure.diagnostics)).toEqual(['DIGEST_STALE']);
  expect(cloud.writes).toEqual([]);
  const unknown = await cloud.fail(['apply', '--confirm', 'a'.repeat(64)]);
  expect(unknown.code).toBe(5);
});

it.concurrent('is bound to its target: a digest of the emulator or of another endpoint is refused', async () => {
  const here = await open();
  const there = await open();
  here.write(PARTS);
  there.write(PARTS);
  const [a, b] = [await here.plan(), await there.plan()];
  expect(a.plan.digest).not.toBe(b.plan.digest);
  expect((await there.fail(['apply', 'playbook.yaml', '--confirm', a.plan.digest ?? ''])).code).toBe(5);
  const emulated = await here.plan('--emulator');
  expect(emulated.plan.target).toBe('emulator');
  expect(emulated.plan.digest).not.toBe(a.plan.digest);
  expect((await here.fail(['apply', 'playbook.yaml', '--confirm', emulated.plan.digest ?? ''])).code).toBe(5);
  expect((await here.fail(['apply', '--confirm', emulated.plan.digest ?? ''])).code).toBe(5);
  expect([...here.writes, ...there.writes]).toEqual([]);
});

it.concurrent('a tampered plan store only makes digests differ, and is not needed where the playbook is given', async () => {
  const cloud = await open();
  cloud.write({ steps: [folder('shared', { parent: ORG, display_name: '00-shared' })] });
  const { plan } = await cloud.plan();
  const file = `.infra/plans/${plan.digest}.json`;
  const stored = JSON.parse(cloud.readText(file));
  stored.source.text = stored.source.text.replaceAll('00-shared', '66-theirs');
  cloud.writeText(file, JSON.stringify(stored));
  const refused = await cloud.fail(['apply', '--confirm', plan.digest ?? '']);
  expect([refused.code, codesOf(refused.failure.diagnostics)]).toEqual([5, ['DIGEST_STALE']]);
  expect(refused.failure.differences).toEqual(
    expect.arrayContaining([{ address: 'shared', field: 'desired.display_name', then: '00-shared', now: '66-theirs' }]),
  );
  expect(cloud.writes).toEqual([]);

  cloud.writeText(file, 'no plan at all');
  expect((await cloud.fail(['apply', '--confirm', plan.digest ?? ''])).code).toBe(5);
  expectExit(await cloud.apply(plan.digest), 0);
});

it.concurrent(`holds for ${ORG_ID} with --max-age only while the plan is young enough`, async () => {
  const cloud = await open();
  cloud.write({ steps: [folder('shared', { parent: ORG, display_name: '00-shared' })] });
  const { plan } = await cloud.plan();
  const file = `.infra/plans/${plan.digest}.json`;
  cloud.writeText(file, cloud.readText(file).replace(/"saved_at":"[^"]+"/, '"saved_at":"2020-01-01T00:00:00.000Z"'));
  const old = await cloud.fail(['apply', '--confirm', plan.digest ?? '', '--max-age', '1h']);
  expect([old.code, codesOf(old.failure.diagnostics)]).toEqual([5, ['PLAN_TOO_OLD']]);
  expect(cloud.writes).toEqual([]);
  expectExit(await cloud.apply(plan.digest), 0);
});
