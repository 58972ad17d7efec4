import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import { apply, cloudOf, make, ORG, operationOf, see, sent, writeAll } from './support/cloud.ts';
import { stepOf } from './support/steps.ts';

const ensure = (display_name: string, more: Record<string, Json> = {}) =>
  stepOf('f', 'cloudresourcemanager.folders.ensure', { parent: ORG, display_name, ...more });
const remove = (display_name: string) =>
  stepOf('f', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name });
const seed = {
  folders: [
    { id: '10', displayName: 'media', parent: ORG },
    { id: '11', displayName: 'shared', parent: ORG },
  ],
};
const CREATE = { method: 'POST', path: '/v3/folders$' };
const UNAVAILABLE = {
  kind: 'respond' as const,
  status: 503,
  body: { error: { code: 503, status: 'UNAVAILABLE', message: 'The service is currently unavailable.' } },
};

describe('a folder is created', () => {
  it('once: the next look finds it as desired (A3)', async () => {
    const cloud = await cloudOf();
    const noted = { operations: [] as string[] };
    const { declaration, desired, observation } = await see(cloud, ensure('media'));
    const [result] = await writeAll(cloud, [operationOf(declaration, desired, observation, 'create')], noted);
    expect(result).toMatchObject({
      kind: 'done',
      id: expect.stringMatching(/^folders\/\d+$/),
      resource: { displayName: 'media', parent: ORG, state: 'ACTIVE' },
    });
    expect(result).not.toHaveProperty('resource.@type');
    expect(noted.operations[0]).toMatch(/^f operations\/fc\.\d+ 0$/);
    expect(await apply(cloud, ensure('media'))).toBeNull();
  });

  it('though the answer was lost: it is looked for and found, not made again', async () => {
    const cloud = await cloudOf({ faults: [{ ...CREATE, nth: 1, action: { kind: 'resetAfter' } }], operationPolls: 0 });
    expect(await apply(cloud, ensure('media'))).toMatchObject({ kind: 'done', resource: { displayName: 'media' } });
    expect(sent(cloud, 'POST', /folders$/)).toHaveLength(1);
  });

  it.each([
    ['a reset before anything was done', { kind: 'reset' as const }],
    ['a 503', UNAVAILABLE],
    ['a 500', { ...UNAVAILABLE, status: 500 }],
  ])('though %s met the first attempt: it is sent again after a look', async (_, action) => {
    const cloud = await cloudOf({ faults: [{ ...CREATE, nth: 1, action }] });
    expect(await apply(cloud, ensure('media'))).toMatchObject({ kind: 'done', resource: { displayName: 'media' } });
    expect(sent(cloud, 'POST', /folders$/)).toHaveLength(2);
    expect(await apply(cloud, ensure('media'))).toBeNull();
  });

  it('and nothing shows it however often it is sent: uncertain', async () => {
    const cloud = await cloudOf({ faults: [{ ...CREATE, action: { kind: 'reset' } }] });
    expect(await apply(cloud, ensure('media'))).toMatchObject({
      kind: 'uncertain',
      why: { code: 'OUTCOME_UNKNOWN', address: 'f', urn: `google:cloudresourcemanager:folder:${ORG}/media` },
    });
    expect(sent(cloud, 'POST', /folders$/)).toHaveLength(6);
  });

  it('though it shows only after the second attempt was refused for its name', async () => {
    const hidden = { kind: 'respond' as const, status: 200, body: {} };
    const cloud = await cloudOf({
      operationPolls: 0,
      faults: [
        { ...CREATE, nth: 1, action: { kind: 'resetAfter' } },
        { method: 'GET', path: '/v3/folders[?]', nth: 2, times: 4, action: hidden },
      ],
    });
    expect(await apply(cloud, ensure('media'))).toMatchObject({ kind: 'done', resource: { displayName: 'media' } });
    expect(sent(cloud, 'POST', /folders$/)).toHaveLength(2);
  });

  it('and stays invisible though its name is taken: ours, under way', async () => {
    const hidden = { kind: 'respond' as const, status: 200, body: {} };
    const cloud = await cloudOf({
      operationPolls: 0,
      faults: [
        { ...CREATE, nth: 1, action: { kind: 'resetAfter' } },
        { method: 'GET', path: '/v3/folders[?]', action: hidden },
      ],
    });
    expect(await apply(cloud, ensure('media'))).toMatchObject({ kind: 'pending', why: { code: 'OPERATION_PENDING' } });
    expect(sent(cloud, 'POST', /folders$/)).toHaveLength(2);
  });

  it('not where a quota is used up, which is none of projects', async () => {
    const error = { code: 8, message: 'Quota exceeded.' };
    const cloud = await cloudOf({ faults: [{ ...CREATE, nth: 1, action: { kind: 'lroError', error } }] });
    const result = await apply(cloud, ensure('media'));
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'REQUEST_REFUSED' } });
    expect(JSON.stringify(result)).not.toContain('projects');
  });

  it('though someone was faster: the sibling is named and adoption offered (A2)', async () => {
    const cloud = await cloudOf({ seed });
    const { declaration, desired } = await see(cloud, ensure('media'));
    const [result] = await writeAll(cloud, [operationOf(declaration, desired, { kind: 'absent' }, 'create')]);
    expect(result).toMatchObject({
      kind: 'failed',
      why: { code: 'FOLDER_NAME_TAKEN', hint: expect.stringContaining('adopt') },
    });
    expect(JSON.stringify(result)).toContain('folders/10');
    expect(sent(cloud, 'POST', /folders$/)).toHaveLength(1);
  });

  it('though an earlier attempt of ours made it', async () => {
    const cloud = await cloudOf({ seed });
    const { declaration, desired } = await see(cloud, ensure('media'));
    const [result] = await writeAll(cloud, [
      operationOf(declaration, desired, { kind: 'absent' }, 'create', { repeat: true }),
    ]);
    expect(result).toMatchObject({ kind: 'done', id: 'folders/10' });
  });

  it('and the bound is reached first: pending, and picked up by its operation', async () => {
    const cloud = await cloudOf({ operationPolls: 5 });
    const { declaration, desired, observation } = await see(cloud, ensure('media'));
    const poll = { maxAttempts: 2, intervalMs: 100, maxWaitSecs: 10 };
    const [first] = await writeAll(cloud, [operationOf(declaration, desired, observation, 'create', { poll })]);
    if (first?.kind !== 'pending') throw new Error(JSON.stringify(first));
    expect(first.why.code).toBe('OPERATION_PENDING');
    const [second] = await writeAll(cloud, [
      operationOf(declaration, desired, observation, 'create', { repeat: true, pendingOperation: first.operation }),
    ]);
    expect(second).toMatchObject({ kind: 'done', resource: { displayName: 'media' } });
    expect(sent(cloud, 'POST', /folders$/)).toHaveLength(1);
  });

  it('though the pending operation is gone: what it made is found, else it is made', async () => {
    const cloud = await cloudOf({ seed });
    const { declaration, desired } = await see(cloud, ensure('media'));
    const gone = { repeat: true, pendingOperation: 'operations/fc.1' };
    expect(
      (await writeAll(cloud, [operationOf(declaration, desired, { kind: 'absent' }, 'create', gone)]))[0],
    ).toMatchObject({ kind: 'done', id: 'folders/10' });
    const fresh = await see(cloud, ensure('fresh'));
    expect(
      (await writeAll(cloud, [operationOf(fresh.declaration, fresh.desired, { kind: 'absent' }, 'create', gone)]))[0],
    ).toMatchObject({ kind: 'done', resource: { displayName: 'fresh' } });
  });

  it('unless the operation ends in an error', async () => {
    const cloud = await cloudOf({
      faults: [{ ...CREATE, action: { kind: 'lroError', error: { code: 8, message: 'no more' } } }],
    });
    expect(await apply(cloud, ensure('media'))).toMatchObject({ kind: 'failed', why: { address: 'f' } });
  });

  it('not at all without a connection', async () => {
    const cloud = await cloudOf();
    const { declaration, desired, observation } = await see(cloud, ensure('media'));
    await cloud.emulator.close();
    expect((await writeAll(cloud, [operationOf(declaration, desired, observation, 'create')]))[0]).toMatchObject({
      kind: expect.stringMatching(/^(failed|uncertain)$/),
    });
  });
});

describe('a folder is changed', () => {
  it('by its former name, with a mask and the etag that was seen', async () => {
    const cloud = await cloudOf({ seed });
    const { observation } = await see(cloud, ensure('films', { was: { display_name: 'media' } }));
    expect(await apply(cloud, ensure('films', { was: { display_name: 'media' } }))).toMatchObject({
      kind: 'done',
      id: 'folders/10',
      resource: { displayName: 'films' },
    });
    const [patch] = sent(cloud, 'PATCH', /folders\/10$/);
    expect(patch).toMatchObject({
      query: { updateMask: ['displayName'] },
      body: { displayName: 'films', etag: observation.kind === 'present' ? observation.etag : '' },
    });
  });

  it('into another parent and name at once', async () => {
    const cloud = await cloudOf({ seed });
    const step = stepOf('f', 'cloudresourcemanager.folders.ensure', {
      parent: 'folders/11',
      display_name: 'films',
      was: { parent: ORG, display_name: 'media' },
    });
    expect(await apply(cloud, step)).toMatchObject({
      kind: 'done',
      id: 'folders/10',
      resource: { parent: 'folders/11', displayName: 'films' },
    });
    expect(await apply(cloud, step)).toBeNull();
  });

  it('in part, where the second of its requests is refused', async () => {
    const refused = { error: { code: 400, status: 'FAILED_PRECONDITION', message: 'no' } };
    const faults = [{ path: ':move$', action: { kind: 'respond' as const, status: 400, body: refused } }];
    const cloud = await cloudOf({ seed, faults });
    const step = stepOf('f', 'cloudresourcemanager.folders.ensure', {
      parent: 'folders/11',
      display_name: 'films',
      was: { parent: ORG, display_name: 'media' },
    });
    expect(await apply(cloud, step)).toMatchObject({
      kind: 'failed',
      partly: { code: 'PARTLY_DONE', detail: expect.stringContaining('PATCH folders/10') },
    });
  });

  it('not where a name is taken meanwhile: the folder that has it where the request went is named', async () => {
    const cloud = await cloudOf({ seed });
    const step = stepOf('f', 'cloudresourcemanager.folders.ensure', {
      parent: 'folders/11',
      display_name: 'films',
      was: { parent: ORG, display_name: 'media' },
    });
    const { declaration, desired, observation } = await see(cloud, step);
    const taken = await make(cloud, ensure('films'));
    const [result] = await writeAll(cloud, [operationOf(declaration, desired, observation, 'move')]);
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'FOLDER_NAME_TAKEN' } });
    expect(JSON.stringify(result)).toContain(taken.kind === 'done' ? String(taken.id) : 'none');
    expect(JSON.stringify(result)).toContain(`in ${ORG}`);
  });

  it('not where it changed since it was looked at: stale', async () => {
    const cloud = await cloudOf({ seed });
    const step = ensure('films', { was: { display_name: 'media' } });
    const { declaration, desired, observation } = await see(cloud, step);
    await make(cloud, ensure('others', { was: { display_name: 'media' } }));
    expect((await writeAll(cloud, [operationOf(declaration, desired, observation, 'update')]))[0]).toMatchObject({
      kind: 'stale',
      why: { code: 'STALE' },
    });
  });

  it("not into a sibling's name: that one is named (A1)", async () => {
    const cloud = await cloudOf({ seed });
    const { declaration, desired } = await see(cloud, ensure('shared', { was: { display_name: 'media' } }));
    const media = await see(cloud, ensure('media'));
    const [result] = await writeAll(cloud, [operationOf(declaration, desired, media.observation, 'update')]);
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'FOLDER_NAME_TAKEN' } });
    expect(JSON.stringify(result)).toContain('folders/11');
  });

  it('though the answer was lost', async () => {
    const cloud = await cloudOf({
      seed,
      operationPolls: 0,
      faults: [{ method: 'POST', path: ':move$', nth: 1, action: { kind: 'resetAfter' } }],
    });
    const step = stepOf('f', 'cloudresourcemanager.folders.ensure', {
      parent: 'folders/11',
      display_name: 'media',
      was: { parent: ORG },
    });
    expect(await apply(cloud, step)).toMatchObject({ kind: 'done', resource: { parent: 'folders/11' } });
    expect(sent(cloud, 'POST', /:move$/)).toHaveLength(1);
  });
});

describe('a folder is deleted', () => {
  it('and is gone; what is gone needs nothing', async () => {
    const cloud = await cloudOf({ seed });
    const { declaration, desired } = await see(cloud, remove('media'));
    expect(await apply(cloud, remove('media'))).toMatchObject({
      kind: 'done',
      id: 'folders/10',
      resource: { state: 'DELETE_REQUESTED' },
    });
    expect(await apply(cloud, remove('media'))).toBeNull();
    expect((await writeAll(cloud, [operationOf(declaration, desired, { kind: 'absent' }, 'delete')]))[0]).toEqual({
      kind: 'noop',
      id: null,
      resource: null,
    });
  });

  it('not while something is inside', async () => {
    const cloud = await cloudOf({
      seed: { folders: [...seed.folders, { id: '12', displayName: 'inner', parent: 'folders/10' }] },
    });
    expect(await apply(cloud, remove('media'))).toMatchObject({ kind: 'failed', why: { code: 'FOLDER_NOT_EMPTY' } });
    expect(cloud.sleeps).toEqual([]);
  });

  it('after a while where this run has just emptied it', async () => {
    const violation = {
      error: {
        code: 400,
        status: 'FAILED_PRECONDITION',
        message: 'Precondition check failed.',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.PreconditionFailure',
            violations: [{ type: 'FOLDER_TO_DELETE_NON_EMPTY_VIOLATION', subject: 'folders/10', description: '' }],
          },
        ],
      },
    };
    const cloud = await cloudOf({
      seed,
      faults: [{ method: 'DELETE', nth: 1, times: 2, action: { kind: 'respond', status: 400, body: violation } }],
    });
    expect(await apply(cloud, remove('media'), { freshDependencies: true })).toMatchObject({ kind: 'done' });
    expect(cloud.sleeps).toEqual([5_000, 10_000]);
  });

  it('though the answers are lost', async () => {
    const cloud = await cloudOf({ seed, faults: [{ method: 'DELETE', action: { kind: 'resetAfter' } }] });
    expect(await apply(cloud, remove('media'))).toMatchObject({ kind: 'done' });
  });

  it('brought back where that is asked for', async () => {
    const cloud = await cloudOf({
      seed: { folders: [{ id: '10', displayName: 'media', parent: ORG, state: 'DELETE_REQUESTED' as const }] },
    });
    const step = ensure('media', { undelete: true });
    expect(await apply(cloud, step, {}, { resourceId: 'folders/10' })).toMatchObject({
      kind: 'done',
      id: 'folders/10',
      resource: { state: 'ACTIVE' },
    });
  });
});
