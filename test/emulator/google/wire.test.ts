import { describe, expect, it } from 'vitest';
import { detailOf, ORG, PEOPLED, startEmulator } from './support.ts';

describe('the front end', () => {
  it('sends the headers of the real services', async () => {
    const client = await startEmulator();
    const { headers, text } = await client.get(`/v3/${ORG}`);
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(headers.get('vary')).toBe('Origin, X-Origin, Referer');
    expect(headers.get('server')).toBe('ESF');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('x-xss-protection')).toBe('0');
    expect(text).toContain('\n  "name"');
  });

  it('sends compact JSON for prettyPrint=false', async () => {
    const client = await startEmulator();
    expect((await client.get(`/v3/${ORG}?alt=json&prettyPrint=false`)).text).not.toContain('\n');
  });

  it.each([
    '/v3/folders/folders/1',
    '/v9/projects',
    '/',
    '/v1/projects/acme-web:getIamPolicy',
    '/v3/projects:unknown/x',
  ])('answers the unknown URL %s with HTML', async (path) => {
    const client = await startEmulator();
    const answer = await client.get(path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.text).toContain('was not found on this server');
  });

  it('asks for a bearer token', async () => {
    const client = await startEmulator();
    for (const authorization of ['', 'Basic abc', 'Bearer ']) {
      const answer = await client.get(`/v3/${ORG}`, { authorization });
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
      expect(detailOf(answer, 'ErrorInfo')).toMatchObject({
        reason: 'CREDENTIALS_MISSING',
        metadata: { service: 'cloudresourcemanager.googleapis.com' },
      });
    }
  });

  it('refuses an unknown query parameter but takes the standard ones', async () => {
    const client = await startEmulator();
    const refused = await client.get(`/v3/folders?parent=${ORG}&pagesize=2`);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Unknown name \\"pagesize\\": Cannot bind query parameter.');
    const standard = 'alt=json&$alt=json&prettyPrint=true&key=k&quotaUser=q&fields=folders';
    expect((await client.get(`/v3/folders?parent=${ORG}&${standard}`)).status).toBe(200);
  });

  it('refuses an unknown JSON field, naming where it stands', async () => {
    const client = await startEmulator();
    const flat = await client.post('/v3/folders', { displayName: 'a', parent: ORG, nope: 1 });
    expect(flat.json).toMatchObject({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'Invalid JSON payload received. Unknown name "nope" at \'folder\': Cannot find field.',
      },
    });
    expect(detailOf(flat, 'BadRequest')).toMatchObject({ fieldViolations: [{ field: 'folder' }] });
    const nested = await client.post(`/v3/${ORG}:setIamPolicy`, { policy: { bindings: [{ rol: 'x' }] } });
    expect(nested.text).toContain("at 'policy.bindings[0]'");
  });

  it('takes field names in snake case and refuses values of another type', async () => {
    const client = await startEmulator();
    expect((await client.post('/v3/folders', { display_name: 'snake', parent: ORG })).status).toBe(200);
    const refused = await client.post('/v3/folders', { displayName: 5, parent: ORG });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("Invalid value at 'folder.display_name' (TYPE_STRING), 5");
  });

  it.each(['{', '[]', '"x"', 'null'])('refuses the body %s', async (body) => {
    const client = await startEmulator();
    const answer = await client.post('/v3/folders', body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Invalid JSON payload received.');
  });

  it('refuses a body of more than ten megabytes', async () => {
    const client = await startEmulator();
    const answer = await client.post('/v3/folders', `{"displayName":"${'x'.repeat(10 * 1024 * 1024)}"}`);
    expect(answer.status).toBe(413);
    expect(answer.headers.get('content-type')).toContain('text/html');
  });

  it('answers only the fields asked for', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const { json } = await client.get(`/v3/folders?parent=${ORG}&fields=folders(name,displayName),nextPageToken`);
    expect(json).toEqual({
      folders: [
        { name: 'folders/1002', displayName: 'platform' },
        { name: 'folders/1001', displayName: 'shared' },
      ],
    });
    expect((await client.get(`/v3/folders?parent=${ORG}&fields=folders/name`)).json).toEqual({
      folders: [{ name: 'folders/1002' }, { name: 'folders/1001' }],
    });
    expect((await client.get(`/v3/folders?parent=${ORG}&fields=folders(name`)).status).toBe(400);
  });
});

describe('service prefixes', () => {
  it('pins a path to its service', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    expect((await client.get(`/crm/v3/${ORG}`)).status).toBe(200);
    expect((await client.get('/crm/v1/projects/acme-web')).status).toBe(200);
    expect((await client.get('/billing/v1/billingAccounts')).status).toBe(200);
    expect((await client.get('/serviceusage/v1/projects/acme-web/services')).status).toBe(200);
    for (const path of [`/billing/v3/${ORG}`, '/crm/v1/billingAccounts', '/crm/v1/projects/acme-web/services']) {
      const answer = await client.get(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toContain('text/html');
    }
  });
});

describe('the quota project', () => {
  const asProject = (project: string) => ({ 'x-goog-user-project': project });

  it('must exist', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    const answer = await client.get(`/v3/${ORG}`, asProject('no-such-project'));
    expect(answer.status).toBe(403);
    expect(detailOf(answer, 'ErrorInfo')).toMatchObject({
      reason: 'USER_PROJECT_DENIED',
      domain: 'googleapis.com',
      metadata: { consumer: 'projects/no-such-project' },
    });
    expect((await client.get(`/v3/${ORG}`, asProject('acme-web'))).status).toBe(200);
  });

  it('must have the called API on, when that is enforced', async () => {
    const client = await startEmulator({ seed: PEOPLED, knobs: { enforceQuotaProject: true } });
    const answer = await client.get('/v1/billingAccounts', asProject('acme-web'));
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(
      'Cloud Billing API has not been used in project 555000111222 before or it is disabled.',
    );
    expect(detailOf(answer, 'ErrorInfo')).toMatchObject({
      reason: 'SERVICE_DISABLED',
      metadata: { consumer: 'projects/555000111222', service: 'cloudbilling.googleapis.com' },
    });
    await client.post('/v1/projects/acme-web/services/cloudbilling.googleapis.com:enable');
    expect((await client.get('/v1/billingAccounts', asProject('acme-web'))).status).toBe(200);
  });

  it('must not be deleted', async () => {
    const client = await startEmulator({ seed: PEOPLED });
    await client.delete('/v3/projects/acme-web');
    const answer = await client.get(`/v3/${ORG}`, asProject('acme-web'));
    expect(detailOf(answer, 'ErrorInfo')).toMatchObject({ reason: 'CONSUMER_INVALID' });
  });
});
