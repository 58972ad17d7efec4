import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import type { WriteOperation } from '../../../src/providers/lifecycle-provider.ts';
import { ACCOUNT, apply, type Cloud, cloudOf, ORG, operationOf, see, sent, writeAll } from './support/cloud.ts';
import { stepOf } from './support/steps.ts';

const ensure = (more: Record<string, Json> = {}) =>
  stepOf('p', 'cloudresourcemanager.projects.ensure', { project_id: 'acme-prod', parent: 'folders/10', ...more });
const remove = stepOf('p', 'cloudresourcemanager.projects.delete', { project_id: 'acme-prod' });
const folders = [
  { id: '10', displayName: 'media', parent: ORG },
  { id: '11', displayName: 'shared', parent: ORG },
];
const existing = {
  projectId: 'acme-prod',
  number: '77',
  parent: 'folders/10',
  displayName: 'Acme Prod',
  labels: { team: 'x', env: 'dev' },
};
const CREATE = { method: 'POST', path: '/v3/projects$' };
const TAKEN = { error: { code: 409, status: 'ALREADY_EXISTS', message: 'Requested entity already exists' } };

async function create(cloud: Cloud, more: Partial<WriteOperation> = {}) {
  const { declaration, desired } = await see(cloud, ensure());
  return (await writeAll(cloud, [operationOf(declaration, desired, { kind: 'absent' }, 'create', more)]))[0];
}

describe('a project is created', () => {
  it('under its parent, called by its id, with its labels', async () => {
    const cloud = await cloudOf({ seed: { folders } });
    expect(await apply(cloud, ensure({ labels: { env: 'prod' } }))).toMatchObject({
      kind: 'done',
      id: expect.stringMatching(/^projects\/\d+$/),
      resource: { projectId: 'acme-prod', parent: 'folders/10', displayName: 'acme-prod', labels: { env: 'prod' } },
    });
    expect(sent(cloud, 'POST', /projects$/)[0]?.body).toEqual({
      projectId: 'acme-prod',
      displayName: 'acme-prod',
      parent: 'folders/10',
      labels: { env: 'prod' },
    });
    expect(await apply(cloud, ensure({ labels: { env: 'prod' } }))).toBeNull();
  });

  it('though the answer was lost', async () => {
    const cloud = await cloudOf({
      seed: { folders },
      operationPolls: 0,
      faults: [{ ...CREATE, nth: 1, action: { kind: 'resetAfter' } }],
    });
    expect(await create(cloud)).toMatchObject({ kind: 'done', resource: { projectId: 'acme-prod' } });
    expect(sent(cloud, 'POST', /projects$/)).toHaveLength(1);
  });

  it.each([
    ['a reset before anything was done', { kind: 'reset' as const }],
    [
      'a 503',
      { kind: 'respond' as const, status: 503, body: { error: { code: 503, status: 'UNAVAILABLE', message: 'x' } } },
    ],
  ])('though %s met the first attempt: it is sent again after a look', async (_, action) => {
    const cloud = await cloudOf({ seed: { folders }, faults: [{ ...CREATE, nth: 1, action }] });
    expect(await create(cloud)).toMatchObject({ kind: 'done', resource: { projectId: 'acme-prod' } });
    expect(sent(cloud, 'POST', /projects$/)).toHaveLength(2);
  });

  it('and nothing shows it after a lost answer: uncertain', async () => {
    const cloud = await cloudOf({ seed: { folders }, faults: [{ ...CREATE, action: { kind: 'reset' } }] });
    expect(await create(cloud)).toMatchObject({ kind: 'uncertain', why: { code: 'OUTCOME_UNKNOWN' } });
  });

  it('where it is already, under the right parent: done', async () => {
    expect(await create(await cloudOf({ seed: { folders, projects: [existing] } }))).toMatchObject({
      kind: 'done',
      id: 'projects/77',
    });
  });

  it('where it is already, elsewhere: the next plan moves it', async () => {
    const cloud = await cloudOf({ seed: { folders, projects: [{ ...existing, parent: 'folders/11' }] } });
    const result = await create(cloud);
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'ALREADY_EXISTS' } });
    expect(JSON.stringify(result)).toMatch(/folders\/11.*move/);
  });

  it('where it is pending deletion: undelete is offered, with the day it is gone (A5)', async () => {
    const result = await create(
      await cloudOf({ seed: { folders, projects: [{ ...existing, state: 'DELETE_REQUESTED' as const }] } }),
    );
    expect(result).toMatchObject({
      kind: 'failed',
      why: { code: 'PENDING_DELETION', hint: expect.stringContaining('undelete: true') },
    });
    expect(JSON.stringify(result)).toMatch(/gone for good after \d{4}-\d\d-\d\d/);
  });

  it('where someone else has the id: taken, and nothing is claimed (A4)', async () => {
    const cloud = await cloudOf({
      seed: { folders },
      faults: [{ ...CREATE, action: { kind: 'respond', status: 409, body: TAKEN } }],
    });
    const result = await create(cloud);
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'PROJECT_ID_TAKEN' } });
    expect(JSON.stringify(result)).toContain('deleted within 30 days');
  });

  it('after an attempt whose answer was lost: "exists" or "denied" is ours, under way', async () => {
    for (const [status, body] of [
      [409, TAKEN],
      [403, { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } }],
    ] as const) {
      const cloud = await cloudOf({
        seed: { folders },
        faults: [{ ...CREATE, action: { kind: 'respond', status, body } }],
      });
      expect(await create(cloud, { repeat: true })).toMatchObject({
        kind: 'pending',
        why: { code: 'OPERATION_PENDING' },
      });
    }
  });

  it('after an attempt that made it in the end', async () => {
    expect(await create(await cloudOf({ seed: { folders, projects: [existing] } }), { repeat: true })).toMatchObject({
      kind: 'done',
      id: 'projects/77',
    });
  });

  it('not where the quota is used up', async () => {
    const cloud = await cloudOf({
      seed: { folders, projects: [{ projectId: 'other-prod', parent: ORG }] },
      knobs: { projectQuota: 1 },
    });
    expect(await create(cloud)).toMatchObject({ kind: 'failed', why: { code: 'PROJECT_QUOTA' } });
  });

  it('not when the answer is about another one', async () => {
    const cloud = await cloudOf({
      seed: { folders },
      faults: [
        {
          ...CREATE,
          action: {
            kind: 'respond',
            status: 200,
            body: { done: true, response: { name: 'projects/5', projectId: 'another' } },
          },
        },
      ],
    });
    expect(await create(cloud)).toMatchObject({ kind: 'failed', why: { code: 'INVALID_RESPONSE' } });
  });
});

describe('a project is changed', () => {
  const seed = { folders, projects: [existing] };

  it('by a mask of just what differs; labels of others stay (G7)', async () => {
    const cloud = await cloudOf({ seed });
    expect(await apply(cloud, ensure({ display_name: 'Acme Prod', labels: { env: 'prod' } }))).toMatchObject({
      kind: 'done',
      resource: { labels: { team: 'x', env: 'prod' } },
    });
    expect(sent(cloud, 'PATCH', /projects\/acme-prod$/)[0]).toMatchObject({
      query: { updateMask: ['labels'] },
      body: { labels: { team: 'x', env: 'prod' }, etag: expect.any(String) },
    });
  });

  it('with labels that replace those of others', async () => {
    const cloud = await cloudOf({ seed });
    expect(await apply(cloud, ensure({ labels: {}, labels_authoritative: true }))).toMatchObject({ kind: 'done' });
    expect(await apply(cloud, ensure({ labels: {}, labels_authoritative: true }))).toBeNull();
  });

  it('in name and place', async () => {
    const cloud = await cloudOf({ seed });
    const step = ensure({ parent: 'folders/11', display_name: 'Acme Other' });
    expect(await apply(cloud, step)).toMatchObject({
      kind: 'done',
      resource: { parent: 'folders/11', displayName: 'Acme Other' },
    });
    expect(
      cloud.emulator.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    ).toEqual(['PATCH /v3/projects/acme-prod', 'POST /v3/projects/acme-prod:move']);
    expect(await apply(cloud, step)).toBeNull();
  });

  it('not where nothing differs by now', async () => {
    const cloud = await cloudOf({ seed });
    const { declaration, desired, observation } = await see(cloud, ensure());
    expect((await writeAll(cloud, [operationOf(declaration, desired, observation, 'update')]))[0]).toMatchObject({
      kind: 'noop',
      id: 'projects/77',
    });
  });

  it('from deleted to what is desired', async () => {
    const cloud = await cloudOf({ seed: { folders, projects: [{ ...existing, state: 'DELETE_REQUESTED' as const }] } });
    expect(
      await apply(cloud, ensure({ undelete: true, display_name: 'Acme Again', parent: 'folders/11' })),
    ).toMatchObject({ kind: 'done', resource: { state: 'ACTIVE', displayName: 'Acme Again', parent: 'folders/11' } });
  });
});

describe('a project is deleted', () => {
  it('and then counts as gone', async () => {
    const cloud = await cloudOf({ seed: { folders, projects: [{ ...existing, billingAccountName: ACCOUNT }] } });
    expect(await apply(cloud, remove)).toMatchObject({
      kind: 'done',
      id: 'projects/77',
      resource: { state: 'DELETE_REQUESTED' },
    });
    expect(await apply(cloud, remove)).toBeNull();
  });

  it('not where a lien keeps it', async () => {
    const cloud = await cloudOf({ seed: { folders, projects: [existing] } });
    await fetch(`${cloud.emulator.url}/v3/liens`, {
      method: 'POST',
      headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
      body: JSON.stringify({
        parent: 'projects/77',
        restrictions: ['resourcemanager.projects.delete'],
        reason: 'keep',
        origin: 'tests',
      }),
    });
    const { observation } = await see(cloud, remove);
    expect(observation).toMatchObject({ blockers: [{ code: 'LIEN', severity: 'error' }] });
    expect(await apply(cloud, remove)).toMatchObject({ kind: 'failed', why: { code: 'LIEN' } });
  });

  it('and where its liens may not be read, that is said', async () => {
    const cloud = await cloudOf({
      seed: { folders, projects: [existing] },
      faults: [
        {
          path: '^/v3/liens',
          action: {
            kind: 'respond',
            status: 403,
            body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } },
          },
        },
      ],
    });
    const { observation } = await see(cloud, remove);
    expect(observation).toMatchObject({
      blockers: [{ code: 'LIEN', severity: 'warning', detail: expect.stringContaining("can't be told") }],
    });
    expect(await apply(cloud, remove)).toMatchObject({ kind: 'done' });
  });

  it('by someone else in the meantime: nothing to do', async () => {
    const cloud = await cloudOf({
      seed: { folders, projects: [existing] },
      faults: [
        {
          method: 'DELETE',
          action: {
            kind: 'respond',
            status: 404,
            body: { error: { code: 404, status: 'NOT_FOUND', message: 'gone' } },
          },
        },
      ],
    });
    const { declaration, desired, observation } = await see(cloud, remove);
    await fetch(`${cloud.emulator.url}/v3/projects/acme-prod`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer x' },
    });
    expect((await writeAll(cloud, [operationOf(declaration, desired, observation, 'delete')]))[0]).toMatchObject({
      kind: expect.stringMatching(/^(failed|noop)$/),
    });
  });
});
