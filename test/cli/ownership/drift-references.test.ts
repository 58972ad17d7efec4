import { expect, it } from 'vitest';
import { type Cloud, expectExit, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { drift } from '../../support/e2e/ownership.ts';
import { folder, google, grant, project, type Step } from '../../support/e2e/playbooks.ts';

const FORBIDDEN = {
  kind: 'respond',
  status: 403,
  body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'The caller does not have permission' } },
} as const;

/** What lies in a folder that another step makes, and what takes a value from a read and from a decision on one. */
const STEPS: readonly Step[] = [
  folder('outer', { parent: ORG, display_name: 'outer' }),
  folder('inner', { parent: '{{ steps.outer.resource.name }}', display_name: 'inner' }),
  google('home', 'cloudresourcemanager.organizations.get', { organization: ORG }),
  project('app', {
    project_id: 'acme-app',
    parent: '{{ steps.inner.resource.name }}',
    display_name: "{{ steps.home.resource.displayName | replace('.', ' ') }}",
    labels: { home: '{{ steps.home.resource.state | lower }}' },
  }),
  grant('team', { folder: '{{ steps.inner.resource.name }}', role: 'roles/viewer', member: 'group:team@example.com' }),
];

async function made(steps = STEPS): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod', reconcile: 'enforce' }, steps });
  return cloud;
}

async function verdicts(cloud: Cloud): Promise<Readonly<Record<string, string>>> {
  const { document } = await drift(cloud, 'playbook.yaml');
  return Object.fromEntries(document.resources.map(({ urn, drift: verdict }) => [urn, verdict]));
}

const OUTER_URN = `google:cloudresourcemanager:folder:${ORG}/outer`;
const INNER_URN = `${OUTER_URN}/inner`;
const APP_URN = 'google:cloudresourcemanager:project:acme-app';

it('what is live and not owned is untracked, whatever it refers to', async () => {
  const cloud = await made();
  expectExit(await cloud.converge(), 0);
  cloud.writeText('.infra/eventlog.jsonl', '');
  const { [OUTER_URN]: outer, [INNER_URN]: inner, [APP_URN]: app, ...team } = await verdicts(cloud);
  expect([outer, inner, app, ...Object.values(team)]).toEqual(Array(4).fill('untracked'));
  expect(Object.keys(team)).toEqual([expect.stringMatching(/binding:folders\/\d+\/roles/)]);
}, 60_000);

it('the same of what lies in something owned', async () => {
  const cloud = await made();
  expectExit(await cloud.converge(), 0);
  const rows = cloud.readText('.infra/eventlog.jsonl').split('\n');
  cloud.writeText('.infra/eventlog.jsonl', rows.filter((row) => !row.includes('acme-app')).join('\n'));
  expect(await verdicts(cloud)).toMatchObject({ [INNER_URN]: 'in_sync', [APP_URN]: 'untracked' });
}, 60_000);

it('what would lie in something that is not there is not managed, and is told all the same', async () => {
  const cloud = await made();
  expect(await verdicts(cloud)).toEqual({
    [OUTER_URN]: 'not_managed',
    [INNER_URN]: 'not_managed',
    // Google does not say which projects there are.
    [APP_URN]: 'unchecked',
    'google:iam:binding:(known after apply: inner.resource.name)/roles/viewer/group:team@example.com': 'not_managed',
  });
});

it('what can not be looked up because of what it refers to is unchecked, with the reason', async () => {
  const cloud = await made();
  cloud.emulator.addFault({ path: '/v3/folders', action: FORBIDDEN });
  const { document } = await drift(cloud, 'playbook.yaml');
  expect(document.summary).toMatchObject({ unchecked: 4, not_managed: 0 });
  for (const { why } of document.resources) expect(why).toContain('does not have permission');
});

it('what is looked up by a name that leads nowhere is unchecked rather than left out', async () => {
  const cloud = await made([
    grant('team', {
      folder: 'folders/by-display-name/none',
      organization: ORG,
      role: 'roles/viewer',
      member: 'group:team@example.com',
    }),
  ]);
  const { document } = await drift(cloud, 'playbook.yaml');
  expect(document.resources).toEqual([
    expect.objectContaining({ drift: 'unchecked', why: expect.stringContaining('none') }),
  ]);
});
