import { describe, expect, it } from 'vitest';
import { ACCOUNT, CLOSED_ACCOUNT, type Client, detailOf, ORG, PEOPLED, startEmulator } from './support.ts';

const INFO = '/v1/projects/acme-web/billingInfo';

function start(options: Parameters<typeof startEmulator>[0] = {}): Promise<Client> {
  return startEmulator({ seed: PEOPLED, ...options });
}

describe('billing accounts', () => {
  it('are written with their zero values', async () => {
    const client = await start();
    const account = {
      name: ACCOUNT,
      open: true,
      displayName: 'Main',
      masterBillingAccount: '',
      parent: ORG,
      currencyCode: 'USD',
    };
    expect((await client.get(`/v1/${ACCOUNT}`)).json).toEqual(account);
    expect((await client.get('/v1/billingAccounts')).json).toEqual({
      billingAccounts: [account, { ...account, name: CLOSED_ACCOUNT, open: false, displayName: 'Closed' }],
      nextPageToken: '',
    });
    expect((await client.get(`/v1/${ORG}/billingAccounts`)).json['billingAccounts']).toHaveLength(2);
    expect((await client.get('/v1/organizations/1/billingAccounts')).json).toEqual({
      billingAccounts: [],
      nextPageToken: '',
    });
  });

  it('filter by their master', async () => {
    const billingAccounts = [
      { id: 'AAAAAA-AAAAAA-AAAAAA' },
      { id: 'BBBBBB-BBBBBB-BBBBBB', masterBillingAccount: 'billingAccounts/AAAAAA-AAAAAA-AAAAAA' },
    ];
    const client = await start({ seed: { ...PEOPLED, billingAccounts } });
    const filtered = await client.get(
      '/v1/billingAccounts?filter=master_billing_account%3DbillingAccounts/AAAAAA-AAAAAA-AAAAAA',
    );
    expect(filtered.json['billingAccounts']).toHaveLength(1);
    expect(
      (await client.get('/v1/billingAccounts/AAAAAA-AAAAAA-AAAAAA/subAccounts')).json['billingAccounts'],
    ).toHaveLength(1);
    expect((await client.get('/v1/billingAccounts?filter=open%3Dtrue')).status).toBe(400);
  });

  it('take a new display name', async () => {
    const client = await start();
    const renamed = await client.patch(`/v1/${ACCOUNT}?updateMask=displayName`, { displayName: 'Renamed' });
    expect(renamed.json).toMatchObject({ displayName: 'Renamed' });
    expect((await client.patch(`/v1/${ACCOUNT}?updateMask=open`, { open: false })).status).toBe(400);
  });

  it('refuse a malformed name and hide a missing one', async () => {
    const client = await start();
    expect((await client.get('/v1/billingAccounts/nonsense')).status).toBe(400);
    expect((await client.get('/v1/billingAccounts/000000-000000-000000')).json).toEqual({
      error: { code: 403, message: 'The caller does not have permission', status: 'PERMISSION_DENIED' },
    });
  });
});

describe('the link of a project', () => {
  it('is there, empty, before anything is linked', async () => {
    const client = await start();
    const unlinked = {
      name: 'projects/acme-web/billingInfo',
      projectId: 'acme-web',
      billingAccountName: '',
      billingEnabled: false,
    };
    expect((await client.get(INFO)).json).toEqual(unlinked);
    expect((await client.get('/v1/projects/555000111222/billingInfo')).json).toEqual(unlinked);
  });

  it('is set, changed and removed at once', async () => {
    const client = await start();
    const linked = await client.put(INFO, { billingAccountName: ACCOUNT });
    expect(linked.json).toEqual({
      name: 'projects/acme-web/billingInfo',
      projectId: 'acme-web',
      billingAccountName: ACCOUNT,
      billingEnabled: true,
    });
    expect((await client.get(INFO)).json).toEqual(linked.json);
    expect((await client.get(`/v1/${ACCOUNT}/projects`)).json).toEqual({
      projectBillingInfo: [linked.json],
      nextPageToken: '',
    });
    for (const body of [{ billingAccountName: '' }, {}]) {
      expect((await client.put(INFO, body)).json).toMatchObject({ billingAccountName: '', billingEnabled: false });
    }
    expect((await client.get(`/v1/${ACCOUNT}/projects`)).json).toEqual({ projectBillingInfo: [], nextPageToken: '' });
  });

  it('to a closed account succeeds but pays for nothing', async () => {
    const client = await start();
    expect((await client.put(INFO, { billingAccountName: CLOSED_ACCOUNT })).json).toMatchObject({
      billingAccountName: CLOSED_ACCOUNT,
      billingEnabled: false,
    });
  });

  it('is refused to an account that is malformed or missing', async () => {
    const client = await start();
    expect((await client.put(INFO, { billingAccountName: '0A1B2C-3D4E5F-6A7B8C' })).status).toBe(400);
    expect((await client.put(INFO, { billingAccountName: 'billingAccounts/000000-000000-000000' })).status).toBe(403);
  });

  it('stops at the cap of the account', async () => {
    const projects = [...(PEOPLED.projects ?? []), { projectId: 'acme-two', parent: ORG }];
    const client = await start({ seed: { ...PEOPLED, projects }, knobs: { billingProjectCap: 1 } });
    await client.put(INFO, { billingAccountName: ACCOUNT });
    expect((await client.put(INFO, { billingAccountName: ACCOUNT })).status).toBe(200);
    const refused = await client.put('/v1/projects/acme-two/billingInfo', { billingAccountName: ACCOUNT });
    expect(refused.json).toMatchObject({
      error: { code: 400, status: 'FAILED_PRECONDITION', message: 'Precondition check failed.' },
    });
    expect(detailOf(refused, 'QuotaFailure')).toMatchObject({
      violations: [{ subject: ACCOUNT, description: expect.stringContaining('Cloud billing quota exceeded') }],
    });
  });

  it('can be read late', async () => {
    const client = await start({ knobs: { billingLagReads: 1 } });
    expect((await client.put(INFO, { billingAccountName: ACCOUNT })).json).toMatchObject({
      billingAccountName: ACCOUNT,
    });
    expect((await client.get(INFO)).json).toMatchObject({ billingAccountName: '', billingEnabled: false });
    expect((await client.get(INFO)).json).toMatchObject({ billingAccountName: ACCOUNT, billingEnabled: true });
  });

  it('takes no other verb', async () => {
    const client = await start();
    expect((await client.patch(INFO, {})).status).toBe(404);
    expect((await client.put(INFO, { account: ACCOUNT })).status).toBe(400);
  });
});
