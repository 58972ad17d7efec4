import { describe, expect, it } from 'vitest';
import { ACCOUNT, type Client, ORG, PEOPLED, SEED, startEmulator } from './support.ts';

function manyFolders(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: String(5000 + index),
    displayName: `f ${String(count - index).padStart(3, '0')}`,
    parent: ORG,
  }));
}

/** All pages of a list; the display names in the order of arrival. */
async function allPages(client: Client, path: string, member: string): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  let token = '';
  do {
    const { json } = await client.get(`${path}&pageToken=${token}`);
    const items: unknown = json[member] ?? [];
    pages.push(Array.isArray(items) ? items.map((item) => String(item.displayName ?? item.projectId)) : []);
    token = String(json['nextPageToken'] ?? '');
  } while (token !== '' && pages.length < 500);
  return pages;
}

describe('paging', () => {
  it('goes in the order of display names, by 50 unless asked otherwise', async () => {
    const client = await startEmulator({ seed: { ...SEED, folders: manyFolders(120) } });
    const pages = await allPages(client, `/v3/folders?parent=${ORG}`, 'folders');
    expect(pages.map((page) => page.length)).toEqual([50, 50, 20]);
    expect(pages.flat()).toEqual([...pages.flat()].sort());
    const large = await allPages(client, `/v3/folders?parent=${ORG}&pageSize=1000`, 'folders');
    expect(large.map((page) => page.length)).toEqual([120]);
  });

  it('clamps at 500', async () => {
    const projects = Array.from({ length: 501 }, (_, index) => ({ projectId: `acme-p${index}`, parent: ORG }));
    const client = await startEmulator({ seed: { ...SEED, projects } });
    const pages = await allPages(client, `/v3/projects?parent=${ORG}&pageSize=1000`, 'projects');
    expect(pages.map((page) => page.length)).toEqual([500, 1]);
    expect(new Set(pages.flat()).size).toBe(501);
  });

  it('can be forced to small pages everywhere', async () => {
    const projects = [
      { projectId: 'acme-one', parent: ORG, billingAccountName: ACCOUNT },
      { projectId: 'acme-two', parent: ORG, billingAccountName: ACCOUNT },
    ];
    const client = await startEmulator({ seed: { ...PEOPLED, projects }, pageSize: 1 });
    const lengths = async (path: string, member: string) =>
      (await allPages(client, path, member)).map((page) => page.length);
    expect(await lengths(`/v3/folders?parent=${ORG}&pageSize=100`, 'folders')).toEqual([1, 1]);
    expect(await lengths(`/v3/projects?parent=${ORG}`, 'projects')).toEqual([1, 1]);
    expect(await lengths('/v3/projects:search?query=', 'projects')).toEqual([1, 1]);
    expect(await lengths('/v1/projects?filter=', 'projects')).toEqual([1, 1]);
    expect(await lengths('/v1/billingAccounts?filter=', 'billingAccounts')).toEqual([1, 1]);
    expect(await lengths(`/v1/${ACCOUNT}/projects?pageSize=100`, 'projectBillingInfo')).toEqual([1, 1]);
    expect((await client.get('/v1/projects/acme-one/services?pageSize=200')).json['services']).toHaveLength(1);
  });

  it('binds a token to the other parameters', async () => {
    const client = await startEmulator({ seed: PEOPLED, pageSize: 1 });
    const token = (await client.get(`/v3/folders?parent=${ORG}`)).json['nextPageToken'];
    expect((await client.get(`/v3/folders?parent=${ORG}&pageSize=7&pageToken=${token}`)).status).toBe(200);
    for (const path of [
      `/v3/folders?parent=${ORG}&showDeleted=true&pageToken=${token}`,
      `/v3/folders?parent=folders/1001&pageToken=${token}`,
      `/v3/projects?parent=${ORG}&pageToken=${token}`,
      `/v3/folders:search?pageToken=${token}`,
      `/v3/folders?parent=${ORG}&pageToken=nonsense`,
    ]) {
      expect((await client.get(path)).json).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
    }
  });

  it('neither repeats nor skips when the list changes between two pages', async () => {
    const client = await startEmulator({ seed: { ...SEED, folders: manyFolders(4) }, pageSize: 2 });
    const first = (await client.get(`/v3/folders?parent=${ORG}`)).json;
    await client.delete('/v3/folders/5003');
    await client.settle(client.post('/v3/folders', { displayName: 'a new first', parent: ORG }));
    const second = (await client.get(`/v3/folders?parent=${ORG}&pageToken=${first['nextPageToken']}`)).json;
    expect(second).toMatchObject({ folders: [{ displayName: 'f 003' }, { displayName: 'f 004' }] });
    expect(second).not.toHaveProperty('nextPageToken');
  });

  it('leaves out what is empty on Resource Manager', async () => {
    const client = await startEmulator();
    expect((await client.get(`/v3/folders?parent=${ORG}`)).json).toEqual({});
    expect((await client.get(`/v3/projects?parent=${ORG}`)).json).toEqual({});
    expect((await client.get('/v3/folders:search')).json).toEqual({});
  });

  it('refuses a page size that is negative or no number, and a missing parent', async () => {
    const client = await startEmulator();
    expect((await client.get(`/v3/folders?parent=${ORG}&pageSize=-1`)).status).toBe(400);
    expect((await client.get(`/v3/folders?parent=${ORG}&pageSize=many`)).status).toBe(400);
    expect((await client.get(`/v3/folders?parent=${ORG}&showDeleted=yes`)).status).toBe(400);
    expect((await client.get('/v3/folders')).status).toBe(400);
    expect((await client.get('/v3/projects?parent=projects/1')).status).toBe(400);
  });
});

describe('searching', () => {
  async function finder(options: Parameters<typeof startEmulator>[0] = {}) {
    const folders = [...(PEOPLED.folders ?? []), { id: '1003', displayName: 'KCC x', parent: 'folders/1001' }];
    const client = await startEmulator({ seed: { ...PEOPLED, folders }, ...options });
    const find = async (kind: string, query: string) => {
      const { status, json } = await client.get(`/v3/${kind}:search?query=${encodeURIComponent(query)}`);
      const items: unknown = json[kind] ?? [];
      return status === 200 && Array.isArray(items) ? items.map((item) => item.displayName) : status;
    };
    return { client, find };
  }

  it.each([
    ['state=ACTIVE AND parent=folders/1001 AND displayName="KCC x"', ['KCC x']],
    ['displayName:kcc*', ['KCC x']],
    ['displayName:x', ['KCC x']],
    ['displayName=x', []],
    ['lifecycleState:ACTIVE NOT displayName=shared', ['platform', 'KCC x']],
    ['displayName=shared OR displayName=platform AND parent=folders/1001', ['shared']],
    ['(displayName=shared OR displayName=platform) AND parent=organizations/123456789012', ['shared', 'platform']],
    ['displayName="KCC\\" x"', []],
    ['', ['shared', 'platform', 'KCC x']],
    ['owner=me', 400],
    ['displayName', 400],
    ['(displayName=a', 400],
    ['displayName=a )', 400],
    ['AND', 400],
  ])('finds folders by %s', async (query, expected) => {
    const { find } = await finder();
    expect(await find('folders', query)).toEqual(expected);
  });

  it('matches any of several fields of a project', async () => {
    const { client, find } = await finder();
    await client.settle(
      client.post('/v3/projects', {
        projectId: 'acme-etl',
        displayName: 'Acme ETL',
        parent: ORG,
        labels: { team: 'data' },
      }),
    );
    const both = ['Acme ETL', 'Acme Web'];
    expect((await find('projects', 'id:acme-web labels.team:data')).toString().split(',').sort()).toEqual(both);
    expect(await find('projects', 'id:acme-web AND labels.team:data')).toEqual([]);
    expect(await find('projects', 'labels:team')).toEqual(['Acme ETL']);
    expect(await find('projects', 'parent:folders/1001')).toEqual(['Acme Web']);
    expect(await find('projects', 'parent.type:folder')).toEqual(['Acme Web']);
    expect(await find('projects', 'parent=organizations/*')).toEqual(['Acme ETL']);
  });

  it('can lag behind changes that reads already see', async () => {
    const { client, find } = await finder({ knobs: { searchLagReads: 2 } });
    const operation = await client.settle(client.post('/v3/folders', { displayName: 'new', parent: ORG }));
    expect((await client.get(`/v3/${operation['response']?.['name']}`)).status).toBe(200);
    expect(await find('folders', 'displayName=new')).toEqual([]);
    expect(await find('folders', 'displayName=new')).toEqual([]);
    expect(await find('folders', 'displayName=new')).toEqual(['new']);
  });
});
