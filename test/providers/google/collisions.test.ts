import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import {
  ACCOUNT,
  type Cloud,
  changeFor,
  cloudOf,
  make,
  ORG,
  operationOf,
  see,
  sent,
  writeAll,
} from './support/cloud.ts';
import { stepOf } from './support/steps.ts';

const ensure = (more: Record<string, Json> = {}) =>
  stepOf('p', 'cloudresourcemanager.projects.ensure', { project_id: 'acme-prod', parent: 'folders/10', ...more });
const wanted = ensure({ display_name: 'Acme New', labels: { env: 'prod' } });
const project = {
  projectId: 'acme-prod',
  number: '77',
  parent: 'folders/10',
  displayName: 'Acme Prod',
  labels: { env: 'dev' },
};
const seed = {
  folders: [
    { id: '10', displayName: 'media', parent: ORG },
    { id: '11', displayName: 'shared', parent: ORG },
  ],
  projects: [project],
};
const ABORTED = {
  kind: 'respond' as const,
  status: 409,
  body: { error: { code: 409, status: 'ABORTED', message: 'There were concurrent changes.' } },
};

/** Writes what was decided before `meanwhile`. */
async function late(cloud: Cloud, step: ReturnType<typeof stepOf>, meanwhile: () => Promise<unknown>) {
  const { declaration, desired, observation } = await see(cloud, step);
  const change = changeFor(declaration, desired, observation);
  if (change === null) throw new Error('nothing to do');
  await meanwhile();
  const before = cloud.emulator.requests.length;
  const [result] = await writeAll(cloud, [operationOf(declaration, desired, observation, change)]);
  const requests = cloud.emulator.requests.slice(before).filter(({ method }) => method !== 'GET');
  return { result, requests: requests.map(({ method, status, body }) => ({ method, status, body })) };
}

describe('a write that meets the change of another one', () => {
  it('is made from a new read: their labels stay', async () => {
    const cloud = await cloudOf({ seed });
    const theirs = ensure({ labels: { cost: '42' } });
    const { result, requests } = await late(cloud, wanted, () => make(cloud, theirs));
    expect(result).toMatchObject({
      kind: 'done',
      resource: { displayName: 'Acme New', labels: { env: 'prod', cost: '42' } },
    });
    expect(requests.map(({ status }) => status)).toEqual([409, 200]);
  });

  it.each([
    ['its name', { display_name: 'Third Party' }, wanted],
    ['a label of ours', { labels: { env: 'test' } }, wanted],
    ['any label, where all are ours', { labels: { cost: '42' } }, ensure({ labels: {}, labels_authoritative: true })],
  ])('is refused where %s is not what was confirmed', async (_, theirs, step) => {
    const cloud = await cloudOf({ seed });
    const { result, requests } = await late(cloud, step, () => make(cloud, ensure(theirs)));
    expect(result).toMatchObject({ kind: 'stale', why: { code: 'STALE', address: 'p' } });
    expect(requests.map(({ status }) => status)).toEqual([409]);
  });

  it('is needless where theirs is the same', async () => {
    const cloud = await cloudOf({ seed });
    const { result, requests } = await late(cloud, wanted, () => make(cloud, wanted));
    expect(result).toMatchObject({ kind: 'noop', id: 'projects/77', resource: { displayName: 'Acme New' } });
    expect(requests).toHaveLength(1);
  });

  it('goes on to the move, which names no state', async () => {
    const cloud = await cloudOf({ seed });
    const step = ensure({ parent: 'folders/11', display_name: 'Acme New' });
    const { result } = await late(cloud, step, () => make(cloud, ensure({ labels: { cost: '42' } })));
    expect(result).toMatchObject({ kind: 'done', resource: { parent: 'folders/11', displayName: 'Acme New' } });
  });

  it('is given up after some tries, each on a new read', async () => {
    const cloud = await cloudOf({ seed, faults: [{ method: 'PATCH', action: ABORTED }] });
    const { result } = await late(cloud, wanted, () => Promise.resolve());
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'CONFLICT' } });
    expect(sent(cloud, 'PATCH', /./)).toHaveLength(6);
  });

  it('is not a second move', async () => {
    const cloud = await cloudOf({ seed, faults: [{ path: ':move$', action: ABORTED }] });
    const { result } = await late(cloud, ensure({ parent: 'folders/11' }), () => Promise.resolve());
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'CONFLICT' } });
    expect(sent(cloud, 'POST', /:move$/)).toHaveLength(1);
  });
});

describe('a deletion or a link that meets the change of another one', () => {
  const remove = stepOf('p', 'cloudresourcemanager.projects.delete', { project_id: 'acme-prod' });
  const link = stepOf('l', 'cloudbilling.projects.link', { project_id: 'acme-prod', billing_account: ACCOUNT });

  it('is refused where what goes is not what was confirmed', async () => {
    const cloud = await cloudOf({ seed, faults: [{ method: 'DELETE', nth: 1, action: ABORTED }] });
    const { result } = await late(cloud, remove, () => make(cloud, ensure({ labels: { keep: 'yes' } })));
    expect(result).toMatchObject({ kind: 'stale', why: { code: 'STALE' } });
    expect(sent(cloud, 'DELETE', /./)).toHaveLength(1);
  });

  it.each([
    ['DELETE', remove],
    ['PUT', link],
  ])('is sent again where nothing moved: %s', async (method, step) => {
    const cloud = await cloudOf({ seed, faults: [{ method, nth: 1, action: ABORTED }] });
    const { result } = await late(cloud, step, () => Promise.resolve());
    expect(result).toMatchObject({ kind: 'done' });
    expect(sent(cloud, method, /./)).toHaveLength(2);
  });
});
