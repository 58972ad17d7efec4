import { describe, expect, it } from 'vitest';
import { ACCOUNT, type Answer, CLOSED_ACCOUNT, type Client, detailOf, ORG, PEOPLED, startEmulator } from './support.ts';

const SERVICES = '/v1/projects/acme-web/services';
const NUMBERED = 'projects/555000111222/services';

function start(options: Parameters<typeof startEmulator>[0] = {}): Promise<Client> {
  const projects = [{ projectId: 'acme-web', number: '555000111222', parent: ORG, billingAccountName: ACCOUNT }];
  return startEmulator({ seed: { ...PEOPLED, projects }, ...options });
}

function enable(client: Client, service: string): Promise<Answer> {
  return client.post(`${SERVICES}/${service}.googleapis.com:enable`);
}

function disable(client: Client, service: string, body = {}): Promise<Answer> {
  return client.post(`${SERVICES}/${service}.googleapis.com:disable`, body);
}

async function enabled(client: Client): Promise<readonly string[]> {
  const { json } = await client.get(`${SERVICES}?filter=state:ENABLED&pageSize=200`);
  const services: unknown = json['services'];
  return Array.isArray(services)
    ? services.map((service) => String(service.config.name).replace('.googleapis.com', ''))
    : [];
}

describe('reading services', () => {
  it('answers by number, and shows no parent before the first enabling', async () => {
    const client = await start();
    const { json } = await client.get(`${SERVICES}/dns.googleapis.com`);
    expect(json).toEqual({
      name: `${NUMBERED}/dns.googleapis.com`,
      config: { name: 'dns.googleapis.com', title: expect.any(String) },
      state: 'DISABLED',
    });
    await client.settle(enable(client, 'dns'));
    expect((await client.get(`${SERVICES}/dns.googleapis.com`)).json).toMatchObject({
      parent: 'projects/555000111222',
      state: 'ENABLED',
    });
    await client.settle(disable(client, 'dns'));
    expect((await client.get(`${SERVICES}/dns.googleapis.com`)).json).toMatchObject({
      parent: 'projects/555000111222',
      state: 'DISABLED',
    });
  });

  it('lists in pages of 50, up to 200, and refuses more', async () => {
    const client = await start();
    const first = (await client.get(SERVICES)).json;
    expect(first['services']).toHaveLength(50);
    expect((await client.get(`${SERVICES}?pageSize=200`)).json['services']).toHaveLength(200);
    expect((await client.get(`${SERVICES}?pageSize=201`)).status).toBe(400);
    const second = (await client.get(`${SERVICES}?pageToken=${first['nextPageToken']}`)).json;
    expect(second['services']).toHaveLength(50);
    expect((await client.get(`${SERVICES}?filter=state:ENABLED&pageToken=${first['nextPageToken']}`)).status).toBe(400);
  });

  it('takes two filters and no other', async () => {
    const client = await start();
    expect((await client.get(`${SERVICES}?filter=state:ENABLED`)).json).toEqual({});
    expect((await client.get(`${SERVICES}?filter=state:DISABLED`)).json['services']).toHaveLength(50);
    expect((await client.get(`${SERVICES}?filter=state%3DENABLED`)).status).toBe(400);
  });

  it('gets up to 30 at once, all below the parent', async () => {
    const client = await start();
    const get = (names: readonly string[]) =>
      client.get(`${SERVICES}:batchGet?${names.map((name) => `names=${name}`).join('&')}`);
    const both = await get(['projects/acme-web/services/dns.googleapis.com', `${NUMBERED}/run.googleapis.com`]);
    expect(both.json).toMatchObject({
      services: [{ name: `${NUMBERED}/dns.googleapis.com` }, { name: `${NUMBERED}/run.googleapis.com` }],
    });
    expect(detailOf(await get([]), 'ErrorInfo')).toMatchObject({ reason: 'SU_MISSING_NAMES' });
    expect((await get(Array.from({ length: 31 }, () => `${NUMBERED}/dns.googleapis.com`))).status).toBe(400);
    expect((await get(['projects/other/services/dns.googleapis.com'])).status).toBe(400);
    expect((await get(['dns.googleapis.com'])).status).toBe(400);
    expect((await get([`${NUMBERED}/no-such.googleapis.com`])).status).toBe(403);
  });

  it('knows no state on folders and organisations', async () => {
    const client = await start();
    const { json } = await client.get(`/v1/${ORG}/services/dns.googleapis.com`);
    expect(json).toEqual({ name: `${ORG}/services/dns.googleapis.com`, config: expect.anything() });
    expect((await client.get('/v1/folders/1001/services')).status).toBe(200);
    expect((await client.get('/v1/folders/77/services')).status).toBe(403);
  });
});

describe('enabling', () => {
  it('starts with a bare name and ends with the service', async () => {
    const client = await start();
    const started = await enable(client, 'runtimeconfig');
    expect(started.json).toEqual({ name: expect.stringMatching(/^operations\/acf\.p2-555000111222-[0-9a-f-]{36}$/) });
    const { json } = await client.get(`/v1/${started.json['name']}`);
    expect(json).toEqual({
      name: started.json['name'],
      metadata: { '@type': 'type.googleapis.com/google.protobuf.Empty', value: {} },
      done: true,
      response: {
        '@type': 'type.googleapis.com/google.api.serviceusage.v1.EnableServiceResponse',
        service: {
          name: `${NUMBERED}/runtimeconfig.googleapis.com`,
          parent: 'projects/555000111222',
          state: 'ENABLED',
        },
      },
    });
  });

  it('what is on already answers a finished operation that cannot be polled', async () => {
    const client = await start();
    await client.settle(enable(client, 'dns'));
    const { json } = await enable(client, 'dns');
    expect(json).toMatchObject({
      name: 'operations/noop.DONE_OPERATION',
      done: true,
      response: { service: { name: `${NUMBERED}/dns.googleapis.com`, state: 'ENABLED' } },
    });
    expect((await client.get('/v1/operations/noop.DONE_OPERATION')).status).toBe(404);
  });

  it('turns on what the service needs', async () => {
    const client = await start();
    await client.settle(enable(client, 'container'));
    expect(await enabled(client)).toEqual([
      'compute',
      'container',
      'iam',
      'iamcredentials',
      'logging',
      'monitoring',
      'oslogin',
    ]);
  });

  it('refuses an unknown service, unless the seed knows it', async () => {
    const client = await start();
    const refused = await enable(client, 'gmail-api');
    expect(refused.json).toMatchObject({ error: { code: 403, status: 'PERMISSION_DENIED' } });
    expect(refused.text).toContain(
      'Not found or permission denied for service(s): gmail-api.googleapis.com.\\nHelp Token: A',
    );
    expect(detailOf(refused, 'PreconditionFailure')).toMatchObject({
      violations: [{ type: 'googleapis.com', subject: '?error_code=220002&services=gmail-api.googleapis.com' }],
    });
    expect(detailOf(refused, 'ErrorInfo')).toMatchObject({ reason: 'SERVICE_CONFIG_NOT_FOUND_OR_PERMISSION_DENIED' });
    const partner = await startEmulator({ seed: { ...PEOPLED, knownServices: ['api.partner.example'] } });
    expect((await partner.post(`${SERVICES}/api.partner.example:enable`)).status).toBe(200);
  });

  it.each([
    ['without an account', '', 'UREQ_PROJECT_BILLING_NOT_FOUND'],
    ['on a closed one', CLOSED_ACCOUNT, 'UREQ_PROJECT_BILLING_NOT_OPEN'],
  ])('refuses a paid service %s', async (_, billingAccountName, reason) => {
    const client = await start();
    await client.put('/v1/projects/acme-web/billingInfo', { billingAccountName });
    const refused = await enable(client, 'compute');
    expect(refused.json).toMatchObject({ error: { code: 400, status: 'FAILED_PRECONDITION' } });
    expect(detailOf(refused, 'ErrorInfo')).toMatchObject({
      reason,
      domain: 'serviceusage.googleapis.com/billing-enabled',
      metadata: { project: '555000111222', services: 'compute.googleapis.com' },
    });
    expect((await enable(client, 'youtube')).status).toBe(200);
  });

  it('refuses a second change of a service while the first runs', async () => {
    const client = await start({ operationPolls: 2 });
    await enable(client, 'container');
    const refused = await enable(client, 'compute');
    expect(refused.json).toMatchObject({ error: { code: 400, status: 'FAILED_PRECONDITION' } });
    expect(refused.text).toContain(
      'Another activation or deactivation is in progress for the following service(s): compute.googleapis.com',
    );
    expect((await disable(client, 'compute')).status).toBe(400);
    expect((await enable(client, 'dns')).status).toBe(200);
    expect((await enable(client, 'compute')).json).toMatchObject({ name: 'operations/noop.DONE_OPERATION' });
  });

  it('can let reads lag behind', async () => {
    const client = await start({ knobs: { serviceLagReads: 2 } });
    await client.settle(enable(client, 'dns'));
    expect(await enabled(client)).toEqual([]);
    expect((await client.get(`${SERVICES}/dns.googleapis.com`)).json).toMatchObject({ state: 'DISABLED' });
    expect(await enabled(client)).toEqual(['dns']);
  });
});

describe('batch enabling', () => {
  const batch = (client: Client, names: readonly string[]) =>
    client.post(`${SERVICES}:batchEnable`, { serviceIds: names.map((name) => `${name}.googleapis.com`) });

  it('is all or nothing', async () => {
    const client = await start();
    expect((await batch(client, ['dns', 'no-such', 'run'])).status).toBe(403);
    expect(await enabled(client)).toEqual([]);
    const operation = await client.settle(batch(client, ['dns', 'youtube']));
    expect(operation['response']).toEqual({
      '@type': 'type.googleapis.com/google.api.serviceusage.v1.BatchEnableServicesResponse',
      services: ['dns', 'youtube'].map((name) => ({
        name: `${NUMBERED}/${name}.googleapis.com`,
        parent: 'projects/555000111222',
        state: 'ENABLED',
      })),
    });
    expect((await batch(client, ['dns', 'youtube'])).json).toMatchObject({
      name: 'operations/noop.DONE_OPERATION',
      done: true,
    });
  });

  it('takes at most twenty, and more than one where that is enforced', async () => {
    const client = await start({ knobs: { rejectSingleBatchEnable: true } });
    expect(
      (
        await batch(
          client,
          Array.from({ length: 21 }, (_, index) => `s${index}`),
        )
      ).status,
    ).toBe(400);
    expect((await batch(client, [])).status).toBe(400);
    expect((await batch(client, ['dns'])).status).toBe(400);
    expect((await batch(client, ['dns', 'youtube'])).status).toBe(200);
  });
});

describe('disabling', () => {
  it('starts with name and metadata, ends with the service', async () => {
    const client = await start();
    await client.settle(enable(client, 'dns'));
    const started = await disable(client, 'dns');
    expect(started.json).toEqual({
      name: expect.stringMatching(/^operations\/acat\.p17-555000111222-/),
      metadata: { '@type': 'type.googleapis.com/google.protobuf.Empty', value: {} },
    });
    expect((await client.get(`/v1/${started.json['name']}`)).json).toMatchObject({
      done: true,
      response: {
        '@type': 'type.googleapis.com/google.api.serviceusage.v1.DisableServiceResponse',
        service: { state: 'DISABLED' },
      },
    });
  });

  it('refuses to pull a service from under others, unless told to', async () => {
    const client = await start();
    await client.settle(enable(client, 'container'));
    const refused = await disable(client, 'compute');
    expect(refused.text).toContain(
      'The service compute.googleapis.com is depended on by the following active service(s): container.googleapis.com; ' +
        'Please specify disable_dependent_services=true if you want to proceed with disabling all services.',
    );
    expect(detailOf(refused, 'ErrorInfo')).toMatchObject({
      reason: 'COMMON_SU_SERVICE_HAS_DEPENDENT_SERVICES',
      metadata: { service_name: 'compute.googleapis.com', services: 'container.googleapis.com' },
    });
    await client.settle(disable(client, 'compute', { disableDependentServices: true }));
    expect(await enabled(client)).toEqual(['iam', 'iamcredentials', 'logging', 'monitoring', 'oslogin']);
  });

  it('what is off already is a finished operation, or an error where that is enforced', async () => {
    expect((await disable(await start(), 'dns')).json).toMatchObject({
      name: 'operations/noop.DONE_OPERATION',
      done: true,
    });
    const strict = await start({ knobs: { strictDisable: true } });
    expect((await disable(strict, 'dns')).json).toMatchObject({ error: { status: 'FAILED_PRECONDITION' } });
    expect((await disable(strict, 'no-such')).status).toBe(403);
  });

  it('checks the usage when asked', async () => {
    const client = await start({ knobs: { servicesInUse: ['projects/acme-web/services/dns.googleapis.com'] } });
    await client.settle(enable(client, 'dns'));
    const refused = await disable(client, 'dns', { checkIfServiceHasUsage: 'CHECK' });
    expect(detailOf(refused, 'ErrorInfo')).toMatchObject({ reason: 'COMMON_SU_SERVICE_HAS_USAGE' });
    expect((await disable(client, 'dns', { checkIfServiceHasUsage: 'SKIP' })).status).toBe(200);
  });
});
