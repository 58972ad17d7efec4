import { expect, it } from 'vitest';
import { ACCOUNT, ACCOUNT_ID, codesOf, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { enable, folder, google, link, project } from '../../support/e2e/playbooks.ts';

const WEB = { projectId: 'acme-web', number: '555', displayName: 'Acme Web', parent: ORG };
const CLOSED = { id: 'FFFFFF-000000-FFFFFF', open: false, parent: ORG };
const MANY =
  'accessapproval accesscontextmanager admin analytics bigquery calendar-json chat cloudasset cloudbilling cloudidentity cloudtrace datastore dlp docs drive fcm firestore forms gmail iam iap'
    .split(' ')
    .map((name) => `${name}.googleapis.com`);

it.concurrent('C4 21 services of one project go in batches of 20 and 1', async () => {
  const cloud = await openCloudInside({ seed: { projects: [WEB] } });
  cloud.write({ steps: [enable('apis', { project_id: 'acme-web', services: MANY })] });
  expect(MANY).toHaveLength(21);
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ create: 21 });
  expect(plan.batches.map(({ addresses }) => addresses)).toEqual([
    MANY.slice(0, 20).map((service) => `apis[${service}]`),
  ]);
  expect(cloud.requests).toHaveLength(1);
  cloud.resetRequests();
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 0);
  const sent = cloud.emulator.requests.filter(({ method }) => method === 'POST');
  const batches = sent.filter(({ path }) => path.endsWith(':batchEnable'));
  const singles = sent.filter(({ path }) => path.endsWith(':enable'));
  expect(batches.map(({ body }) => (body as { serviceIds: string[] }).serviceIds.length)).toEqual([20]);
  expect(singles).toHaveLength(1);
  expect(cloud.enabledServices('acme-web')).toEqual(expect.arrayContaining(MANY));
  // One intent and one fact a service.
  const types = cloud.rows.map((row) => row['type']);
  expect(types.filter((type) => type === 'provider.intent')).toHaveLength(21);
  expect(types.filter((type) => type === 'provider.fact')).toHaveLength(21);
});

it.concurrent('C6 a hundred services of one project cost one read', async () => {
  const cloud = await openCloudInside({ seed: { projects: [{ ...WEB, services: MANY }] } });
  cloud.write({ steps: [enable('apis', { project_id: 'acme-web', services: MANY })] });
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ none: 21 });
  expect(cloud.requests).toEqual(['GET /v1/projects/acme-web/services']);
});

it.concurrent('one service of a batch that the cloud refuses is dropped and named; the others are enabled', async () => {
  const cloud = await openCloudInside({ seed: { projects: [WEB] } });
  cloud.write({
    steps: [
      enable('apis', {
        project_id: 'acme-web',
        services: ['dlp.googleapis.com', 'nosuchthing.googleapis.com', 'iap.googleapis.com'],
      }),
    ],
  });
  const applied = await cloud.converge();
  expectExit(applied, 7);
  expect(codesOf(stepAt(applied.report, 'apis[nosuchthing.googleapis.com]').diagnostics)).toContain(
    'SERVICE_NOT_FOUND',
  );
  expect(cloud.enabledServices('acme-web')).toEqual(['dlp.googleapis.com', 'iap.googleapis.com']);
});

it.concurrent('"another activation is in progress" is waited for', async () => {
  const cloud = await openCloudInside({ seed: { projects: [WEB] } });
  cloud.write({ steps: [enable('api', { project_id: 'acme-web', service: 'dlp.googleapis.com' })] });
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({
    path: ':enable$',
    nth: 1,
    action: {
      kind: 'respond',
      status: 400,
      headers: { 'retry-after': '0' },
      body: {
        error: {
          code: 400,
          status: 'FAILED_PRECONDITION',
          message: 'Another activation or deactivation is in progress for the following service(s): dlp.googleapis.com',
        },
      },
    },
  });
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.enabledServices('acme-web')).toEqual(['dlp.googleapis.com']);
});

it.concurrent('C7 a service that others need is not disabled: the dependants are in the plan; in order both go', async () => {
  const cloud = await openCloudInside({
    seed: {
      projects: [
        { ...WEB, billingAccountName: ACCOUNT, services: ['container.googleapis.com', 'compute.googleapis.com'] },
      ],
    },
  });
  const disable = (step: string, service_name: string) =>
    google(step, 'serviceusage.services.disable', { project_id: 'acme-web', service_name });
  cloud.write({ steps: [disable('compute', 'compute.googleapis.com')] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'compute').diagnostics).toContainEqual(
    expect.objectContaining({
      code: 'SERVICE_HAS_DEPENDENTS',
      severity: 'warning',
      urn: 'google:serviceusage:service:acme-web/container.googleapis.com',
      detail: expect.stringContaining('container.googleapis.com needs compute.googleapis.com and is enabled'),
    }),
  );
  const applied = await cloud.converge();
  expect([5, 6]).toContain(applied.code);
  expect(codesOf(stepAt(applied.report, 'compute').diagnostics)).toContain('SERVICE_HAS_DEPENDENTS');
  expect(cloud.enabledServices('acme-web')).toContain('compute.googleapis.com');
  for (const { body, path } of cloud.emulator.requests)
    if (path.endsWith(':disable')) expect(body).not.toMatchObject({ disableDependentServices: true });

  cloud.write({
    steps: [disable('compute', 'compute.googleapis.com'), { ...disable('container', 'container.googleapis.com') }].map(
      (step) => (step.step === 'compute' ? { ...step, depends_on: ['container'] } : step),
    ),
  });
  cloud.resetRequests();
  const both = await cloud.plan();
  expect(stepAt(both.plan, 'compute').diagnostics.map(({ severity }) => severity)).toEqual(['note']);
  expectExit(await cloud.converge(), 0);
  expect(cloud.writes).toEqual([
    'POST /v1/projects/acme-web/services/container.googleapis.com:disable',
    'POST /v1/projects/acme-web/services/compute.googleapis.com:disable',
  ]);
  expect(cloud.enabledServices('acme-web')).not.toContain('compute.googleapis.com');
});

it.concurrent('services.disable and unlink are planned with a digest and done', async () => {
  const cloud = await openCloudInside({
    operationPolls: 2,
    seed: { projects: [{ ...WEB, billingAccountName: ACCOUNT, services: ['dlp.googleapis.com'] }] },
  });
  cloud.write({
    steps: [
      google('api', 'serviceusage.services.disable', { project_id: 'acme-web', service: 'dlp.googleapis.com' }),
      google('money', 'cloudbilling.projects.unlink', { project_id: 'acme-web' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ delete: 2 });
  cloud.resetRequests();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.projectOf('acme-web').billingAccountName).toBe('');
  expect(cloud.enabledServices('acme-web')).toEqual([]);
  // The operation is polled where it was issued.
  expect(cloud.requests.filter((request) => /operations\//.test(request))).toEqual(
    expect.arrayContaining([expect.stringMatching(/^GET \/v1\/operations\//)]),
  );
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
});

it.concurrent('an unlink step leaves a link to another account than the recorded one alone, unless it names that', async () => {
  const other = 'billingAccounts/AAAAAA-BBBBBB-CCCCCC';
  const cloud = await openCloudInside({
    seed: {
      billingAccounts: [
        { id: ACCOUNT_ID, parent: ORG },
        { id: 'AAAAAA-BBBBBB-CCCCCC', parent: ORG },
      ],
      projects: [WEB],
    },
  });
  cloud.write({ steps: [link('money', { project_id: 'acme-web', billing_account: ACCOUNT })] });
  expectExit(await cloud.converge(), 0);
  await cloud.outOfBand('PUT', '/v1/projects/acme-web/billingInfo', { billingAccountName: other });
  cloud.write({ steps: [google('cut', 'cloudbilling.projects.unlink', { project_id: 'acme-web' })] });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'cut').change).toBe('blocked');
  expect(codesOf(stepAt(plan, 'cut').diagnostics)).toContain('NOT_OURS');
  expect(stepAt(plan, 'cut').diagnostics[0]?.hint).toContain(`billing_account: ${other}`);
  expect((await cloud.apply(plan.digest)).code).toBe(5);
  expect(cloud.projectOf('acme-web').billingAccountName).toBe(other);

  cloud.write({
    steps: [google('cut', 'cloudbilling.projects.unlink', { project_id: 'acme-web', billing_account: other })],
  });
  expectExit(await cloud.converge(), 0);
  expect(cloud.projectOf('acme-web').billingAccountName).toBe('');
});

it.concurrent('a billing link is a PUT only where it differs, and away from another account a shown update', async () => {
  const cloud = await openCloudInside({
    seed: {
      billingAccounts: [
        { id: ACCOUNT_ID, parent: ORG },
        { id: 'AAAAAA-BBBBBB-CCCCCC', parent: ORG },
      ],
      projects: [
        { ...WEB, billingAccountName: 'billingAccounts/AAAAAA-BBBBBB-CCCCCC' },
        { projectId: 'acme-ok', parent: ORG, billingAccountName: ACCOUNT },
      ],
    },
  });
  cloud.write({
    steps: ['acme-web', 'acme-ok'].map((project_id) => link(project_id, { project_id, billing_account: ACCOUNT })),
  });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'acme-web')).toMatchObject({
    change: 'update',
    diff: { billing_account: { desired: ACCOUNT, actual: 'billingAccounts/AAAAAA-BBBBBB-CCCCCC' } },
  });
  expect(stepAt(plan, 'acme-ok').change).toBe('none');
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toEqual(['PUT /v1/projects/acme-web/billingInfo']);
});

it.concurrent('a closed billing account is a warning in the plan and after the link', async () => {
  const cloud = await openCloudInside({ seed: { billingAccounts: [CLOSED], projects: [WEB] } });
  cloud.write({ steps: [link('money', { project_id: 'acme-web', billing_account: `billingAccounts/${CLOSED.id}` })] });
  const { plan } = await cloud.plan();
  const warned = stepAt(plan, 'money').diagnostics.filter(({ severity }) => severity !== 'note');
  expect(codesOf(warned)).toEqual([expect.stringMatching(/^BILLING_(CLOSED|DISABLED)$/)]);
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 0);
  expect(codesOf(stepAt(applied.report, 'money').diagnostics)).toContain('BILLING_DISABLED');
});

it.concurrent('D1 the cap of projects on a billing account: the details, how to raise it, and the rest goes on', async () => {
  const cloud = await openCloudInside({
    seed: {
      billingAccounts: [{ id: ACCOUNT_ID, parent: ORG, projectCap: 1 }],
      projects: [WEB, { projectId: 'acme-first', parent: ORG, billingAccountName: ACCOUNT }],
    },
  });
  cloud.write({
    steps: [
      link('money', { project_id: 'acme-web', billing_account: ACCOUNT }),
      folder('free', { parent: ORG, display_name: 'free one' }),
    ],
  });
  const applied = await cloud.converge();
  expectExit(applied, 7);
  const found = stepAt(applied.report, 'money').diagnostics.find(({ code }) => code === 'BILLING_CAP');
  expect(`${found?.detail} ${found?.hint}`).toContain('https://support.google.com/code/contact/billing_quota_increase');
  expect(stepAt(applied.report, 'free').outcome).toBe('changed');
});

it.concurrent('E2 an operation pending beyond the poll bound: exit 7, named, recorded; the next run resumes it', async () => {
  const cloud = await openCloudInside({ operationPolls: 6 });
  cloud.write({
    defaults: { poll: { max_attempts: 2, interval_ms: 1 } },
    steps: [project('dns', { project_id: 'acme-dns', parent: ORG })],
  });
  const { plan } = await cloud.plan();
  const first = await cloud.apply(plan.digest);
  expectExit(first, 7);
  const step = stepAt(first.report, 'dns');
  expect(step.outcome).toBe('pending');
  expect(step.operation).toMatch(/^operations\//);
  const found = step.diagnostics.find(({ code }) => code === 'OPERATION_PENDING');
  expect(`${found?.detail} ${found?.operation}`).toContain(String(step.operation));
  expect(cloud.rows.at(-1)).toMatchObject({
    type: 'provider.outcome',
    status: 'pending',
    operation_name: step.operation,
  });

  cloud.resetRequests();
  const second = await cloud.apply(plan.digest);
  expect(cloud.writes).toEqual([]);
  expect([0, 7]).toContain(second.code);
  // However many runs it takes, nothing is created twice.
  for (let run = 0; run < 4 && (await cloud.plan('--detailed-exitcode')).code !== 0; run += 1)
    await cloud.apply(plan.digest);
  expect(cloud.writes).toEqual([]);
  expect((await cloud.plan('--detailed-exitcode')).code).toBe(0);
  expect(Object.values(cloud.state.projects)).toHaveLength(1);
});

it.concurrent('E3 a poll that is answered 500 and 503 goes on; an error in the operation is the result', async () => {
  const cloud = await openCloudInside({ operationPolls: 3 });
  cloud.write({ steps: [folder('shared', { parent: ORG, display_name: '00-shared' })] });
  const { plan } = await cloud.plan();
  for (const [nth, status] of [
    [1, 500],
    [2, 503],
  ] as const)
    cloud.emulator.addFault({
      path: '/operations/',
      nth,
      action: { kind: 'respond', status, body: { error: { code: status, status: 'UNAVAILABLE', message: 'x' } } },
    });
  expectExit(await cloud.apply(plan.digest), 0);

  const other = await openCloudInside({ operationPolls: 1 });
  other.write({ steps: [project('p', { project_id: 'acme-dns', parent: ORG })] });
  const planned = await other.plan();
  other.emulator.addFault({
    method: 'POST',
    path: '^/v3/projects$',
    action: {
      kind: 'lroError',
      error: {
        code: 8,
        message: 'The project cannot be created because you have exceeded your allotted project quota.',
      },
    },
  });
  const applied = await other.apply(planned.plan.digest);
  expectExit(applied, 6);
  expect(codesOf(stepAt(applied.report, 'p').diagnostics)).toContain('PROJECT_QUOTA');
});

it.concurrent('an operation that is done at once, or without a name, is not polled', async () => {
  const cloud = await openCloudInside({
    operationPolls: 0,
    seed: {
      folders: [{ id: '9', displayName: 'old one', parent: ORG }],
      projects: [{ ...WEB, services: ['dlp.googleapis.com'] }],
    },
  });
  cloud.write({
    steps: [
      google('gone', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'old one' }),
      enable('api', { project_id: 'acme-web', service: 'iap.googleapis.com' }),
    ],
  });
  expectExit(await cloud.converge(), 0);
  expect(cloud.requests.filter((request) => request.includes('operations'))).toEqual([]);
});
