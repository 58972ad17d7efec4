import { describe, expect, it } from 'vitest';
import { ACCOUNT_ID, type Cloud, codesOf, execLines, ORG, ORG_ID, openCloudInside } from '../../support/e2e/cloud.ts';
import { folder, google, grant, link, project, type Step } from '../../support/e2e/playbooks.ts';

const OTHER = 'organizations/999999999999';
const MEMBER = 'group:team@example.com';
const BY_NAME = { require_org_display_name: 'acme.example' };
const THEIR_ACCOUNT = 'billingAccounts/AAAAAA-BBBBBB-CCCCCC';
const NOBODYS_ACCOUNT = 'billingAccounts/DDDDDD-EEEEEE-FFFFFF';
const WORLD = {
  organizations: [
    { id: ORG_ID, displayName: 'acme.example' },
    { id: '999999999999', displayName: 'other.example' },
  ],
  billingAccounts: [
    { id: ACCOUNT_ID, parent: ORG },
    { id: 'AAAAAA-BBBBBB-CCCCCC', parent: OTHER },
    { id: 'DDDDDD-EEEEEE-FFFFFF', parent: '' },
  ],
  folders: [
    { id: '600', displayName: 'theirs', parent: OTHER },
    { id: '601', displayName: 'empty', parent: OTHER },
    { id: '700', displayName: 'ours', parent: ORG },
  ],
  projects: [
    { projectId: 'their-web', parent: 'folders/600', displayName: 'Their Web', services: ['run.googleapis.com'] },
    { projectId: 'their-api', parent: 'folders/600' },
    { projectId: 'acme-dns', parent: 'folders/700' },
  ],
};

/** Writes that reach into another organisation without naming it. */
const STRAYS: readonly Step[] = [
  folder('at_the_top', { parent: OTHER, display_name: 'more' }),
  folder('inside', { parent: 'folders/600', display_name: 'more' }),
  project('made', { project_id: 'own-web-1', parent: 'folders/600' }),
  project('moved', { project_id: 'their-web', parent: ORG }),
  grant('granted', { organization: OTHER, role: 'roles/browser', member: MEMBER }),
  google('on', 'serviceusage.services.enable', { project_id: 'their-api', service: 'iam.googleapis.com' }),
  google('project_gone', 'cloudresourcemanager.projects.delete', { project_id: 'their-web' }),
  google('folder_gone', 'cloudresourcemanager.folders.delete', { parent: OTHER, display_name: 'empty' }),
  google('lent', 'cloudresourcemanager.projects.iam.ensure_binding', {
    project_id: 'acme-dns',
    role: 'projects/their-api/roles/reader',
    member: MEMBER,
  }),
  grant('audited', { organization: ORG, role: `${OTHER}/roles/auditor`, member: MEMBER }),
  link('billed', { project_id: 'acme-dns', billing_account: THEIR_ACCOUNT }),
];

async function applied(cloud: Cloud, step: Step, guard: object): Promise<readonly unknown[]> {
  cloud.write({ steps: [step], defaults: { guard } });
  const { plan } = await cloud.plan();
  const { code, failure } = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  return [code, codesOf(failure.diagnostics)[0]];
}

/** All steps in one run: each has its own line and its own refusal. */
async function executed(cloud: Cloud, steps: readonly Step[], guard: object): Promise<readonly unknown[]> {
  cloud.write({ steps, defaults: { guard, dry_run: false } });
  const ended = await cloud.run(['exec', 'playbook.yaml']);
  return [ended.code, ...execLines(ended).map((line) => `${line.step} ${line.error?.code}`)];
}

const refusals = (steps: readonly Step[]) => [5, ...steps.map(({ step }) => `${step} GUARD`)];

describe.concurrent('a guard that pins a display name alone', () => {
  it('refuses whatever another organisation has, in apply', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    for (const step of STRAYS.filter(({ step }) => ['inside', 'folder_gone'].includes(step)))
      expect(await applied(cloud, step, BY_NAME), step.step).toEqual([5, 'GUARD']);
    expect(cloud.writes).toEqual([]);
  });

  it('refuses it in exec as well', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    const unconfirmed = STRAYS.filter(({ step }) => !step.endsWith('_gone'));
    expect(await executed(cloud, unconfirmed, BY_NAME)).toEqual(refusals(unconfirmed));
    expect(cloud.writes).toEqual([]);
  });

  it('refuses an organisation whose name can not be read', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    cloud.deny(`^/v3/${ORG}$`);
    const step = folder('inside', { parent: 'folders/700', display_name: 'more' });
    expect(await applied(cloud, step, BY_NAME)).toEqual([5, 'GUARD']);
    expect(await executed(cloud, [step], BY_NAME)).toEqual(refusals([step]));
    expect(cloud.writes).toEqual([]);
  });

  it('lets the organisation of that name through', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    cloud.write({
      steps: [
        folder('inside', { parent: 'folders/700', display_name: 'more' }),
        grant('granted', { organization: ORG, role: 'roles/browser', member: MEMBER }),
      ],
      defaults: { guard: BY_NAME },
    });
    expect((await cloud.converge()).code).toBe(0);
  });
});

describe.concurrent('what a guard can not verify', () => {
  it('is refused: a billing account that belongs to no organisation', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    const step = link('billed', { project_id: 'acme-dns', billing_account: NOBODYS_ACCOUNT });
    expect(await executed(cloud, [step], { require_org: ORG })).toEqual(refusals([step]));
    expect(await executed(cloud, [step], BY_NAME)).toEqual(refusals([step]));
    expect(cloud.writes).toEqual([]);
  });

  it('but for the account that the guard itself pins', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    cloud.write({
      steps: [link('billed', { project_id: 'acme-dns', billing_account: NOBODYS_ACCOUNT })],
      defaults: { guard: { require_org: ORG, require_billing_account: NOBODYS_ACCOUNT } },
    });
    expect((await cloud.converge()).code).toBe(0);
  });

  it('is a project that a step without that guard makes elsewhere in the same run', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    cloud.write({
      steps: [
        project('made', { project_id: 'own-web-1', parent: 'folders/600' }),
        google(
          'on',
          'serviceusage.services.enable',
          { project_id: 'own-web-1', service: 'iam.googleapis.com' },
          { guard: { require_org: ORG } },
        ),
      ],
    });
    const { code, report } = await cloud.converge();
    expect([code, report.steps.map((step) => step.outcome)]).toEqual([5, ['changed', 'refused']]);
    expect(cloud.writes.filter((request) => request.includes('services'))).toEqual([]);
  });
});

describe.concurrent('reads and removals beyond the guard', () => {
  const guards = [{ require_org: ORG }, BY_NAME];
  const reads = [
    google('look', 'cloudresourcemanager.folders.list', { parent: 'folders/600' }),
    google('ask', 'cloudresourcemanager.projects.describe', { project_id: 'their-web' }),
    google('services', 'serviceusage.services.list_enabled', { project_id: 'their-web' }),
  ];

  it('reads are refused in apply and exec alike', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    for (const guard of guards) expect(await executed(cloud, reads, guard)).toEqual(refusals(reads));
    for (const step of reads) expect(await applied(cloud, step, { require_org: ORG }), step.step).toEqual([5, 'GUARD']);
  });

  it('an organisation that is read by its number is held to its name', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    const step = google('who', 'cloudresourcemanager.organizations.get', { organization: OTHER });
    expect(await executed(cloud, [step], BY_NAME)).toEqual(refusals([step]));
    expect(await applied(cloud, step, BY_NAME)).toEqual([5, 'GUARD']);
  });

  it('removing what is not there is refused where the project is not ours to touch', async () => {
    const cloud = await openCloudInside({ seed: WORLD });
    const removals = [
      google('unlinked', 'cloudbilling.projects.unlink', { project_id: 'their-web' }),
      google('off', 'serviceusage.services.disable', { project_id: 'their-web', service: 'dns.googleapis.com' }),
    ];
    for (const step of removals)
      expect(await applied(cloud, step, { require_org: ORG }), step.step).toEqual([5, 'GUARD']);
  });
});

it('what is held, reported or dry shows nothing from beyond the guard either', async () => {
  const cloud = await openCloudInside({ seed: WORLD });
  const step = (tool: object) => project('theirs', { project_id: 'their-web', parent: ORG }, { ...tool });
  const guard = { require_org: ORG };
  for (const tool of [{ dry_run: true }, { reconcile: 'report' }])
    expect(await applied(cloud, step(tool), guard)).toEqual([5, 'GUARD']);
  const gone = google('gone', 'cloudresourcemanager.projects.delete', { project_id: 'their-web' }, { dry_run: true });
  cloud.write({ steps: [step({ reconcile: 'report' }), gone], defaults: { guard } });
  const { code, lines } = await cloud.exec();
  expect([code, lines.map(({ error }) => error?.code)]).toEqual([5, ['GUARD', 'GUARD']]);
  expect(cloud.writes).toEqual([]);
});
