import { describe, expect, it } from 'vitest';
import { ACCOUNT, apply, applyBatch, type Cloud, cloudOf, ORG, sent } from './support/cloud.ts';
import { stepOf } from './support/steps.ts';

const enable = (name: string) =>
  stepOf(name, 'serviceusage.services.enable', { project_id: 'acme-prod', service: name });
const disable = (name: string) =>
  stepOf(name, 'serviceusage.services.disable', { project_id: 'acme-prod', service: name });
const seed = (services: readonly string[] = [], billed = true) => ({
  projects: [
    { projectId: 'acme-prod', number: '77', parent: ORG, services, ...(billed ? { billingAccountName: ACCOUNT } : {}) },
  ],
});
const KINDS = (results: readonly { readonly kind: string }[]) => results.map(({ kind }) => kind);
const named = (count: number) => Array.from({ length: count }, (_, index) => `svc${index}.googleapis.com`);
const BATCH = /services:batchEnable$/;
const batches = (cloud: Cloud) =>
  sent(cloud, 'POST', BATCH).map(({ body }) => (body as { serviceIds: readonly string[] }).serviceIds);

describe('services are enabled', () => {
  it('one by its own method, several in one batch', async () => {
    const cloud = await cloudOf({ seed: seed(), knobs: { rejectSingleBatchEnable: true } });
    expect(KINDS(await applyBatch(cloud, [enable('dns.googleapis.com')]))).toEqual(['done']);
    expect(sent(cloud, 'POST', /dns\.googleapis\.com:enable$/)).toHaveLength(1);
    expect(KINDS(await applyBatch(cloud, [enable('run.googleapis.com'), enable('logging.googleapis.com')]))).toEqual([
      'done',
      'done',
    ]);
    expect(batches(cloud)).toEqual([['run.googleapis.com', 'logging.googleapis.com']]);
    expect(await apply(cloud, enable('run.googleapis.com'))).toBeNull();
  });

  it('in batches of twenty, in order (C4)', async () => {
    const names = named(43);
    const cloud = await cloudOf({ seed: { ...seed(), knownServices: names } });
    const results = await applyBatch(cloud, names.map(enable));
    expect(new Set(KINDS(results))).toEqual(new Set(['done']));
    expect(batches(cloud).map((batch) => batch.length)).toEqual([20, 20, 3]);
    expect(batches(cloud).flat()).toEqual(names);
  });

  it('but for the one that the refusal names', async () => {
    const cloud = await cloudOf({ seed: seed([], false) });
    const results = await applyBatch(cloud, [
      enable('logging.googleapis.com'),
      enable('compute.googleapis.com'),
      enable('nobody-knows.googleapis.com'),
    ]);
    expect(results).toMatchObject([
      { kind: 'done' },
      { kind: 'failed', why: { code: 'BILLING_REQUIRED' } },
      { kind: 'failed', why: { code: 'SERVICE_NOT_FOUND' } },
    ]);
  });

  it('by halves where the refusal names none', async () => {
    const names = ['dns.googleapis.com', 'run.googleapis.com', 'logging.googleapis.com'];
    const cloud = await cloudOf({
      seed: seed(),
      faults: [
        {
          path: 'run.googleapis.com:enable|batchEnable',
          action: {
            kind: 'respond',
            status: 400,
            body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'something is wrong' } },
          },
        },
      ],
    });
    expect(await applyBatch(cloud, names.map(enable))).toMatchObject(
      [{ kind: 'failed' }, { kind: 'failed' }, { kind: 'done' }].map((item, index) =>
        index === 0
          ? { kind: 'done' }
          : index === 1
            ? { kind: 'failed', why: { address: 'run.googleapis.com' } }
            : item,
      ),
    );
  });

  it('not at all, and not by halves, where the caller may not', async () => {
    const cloud = await cloudOf(
      {
        seed: seed(),
        tokens: {
          reader: { name: 'user:r@example.com', permissions: ['serviceusage.services.list', 'resourcemanager.*'] },
        },
      },
      'reader',
    );
    const results = await applyBatch(cloud, [enable('dns.googleapis.com'), enable('run.googleapis.com')]);
    expect(KINDS(results)).toEqual(['failed', 'failed']);
    expect(sent(cloud, 'POST', /services/)).toHaveLength(1);
  });

  it('and believed when the list shows it, however late', async () => {
    const cloud = await cloudOf({ seed: seed(), knobs: { serviceLagReads: 2 } });
    expect(KINDS(await applyBatch(cloud, [enable('dns.googleapis.com')]))).toEqual(['done']);
    expect(cloud.sleeps.filter((ms) => ms >= 1_000)).toEqual([1_000, 3_000]);
  });

  it('and left uncertain when the list never does', async () => {
    const cloud = await cloudOf({ seed: seed(), knobs: { serviceLagReads: 99 } });
    expect(await applyBatch(cloud, [enable('dns.googleapis.com')])).toMatchObject([
      { kind: 'uncertain', why: { address: 'dns.googleapis.com' } },
    ]);
  });

  it("and believed by the operation's word when the list can't be read", async () => {
    const cloud = await cloudOf({
      seed: seed(),
      faults: [
        {
          method: 'GET',
          path: 'services\\?',
          nth: 2,
          times: 99,
          action: {
            kind: 'respond',
            status: 403,
            body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } },
          },
        },
      ],
    });
    expect(KINDS(await applyBatch(cloud, [enable('dns.googleapis.com')]))).toEqual(['done']);
  });

  it('though the answers are lost', async () => {
    const cloud = await cloudOf({
      seed: seed(),
      operationPolls: 0,
      faults: [{ path: 'batchEnable', action: { kind: 'resetAfter' } }],
    });
    expect(KINDS(await applyBatch(cloud, [enable('dns.googleapis.com'), enable('run.googleapis.com')]))).toEqual([
      'done',
      'done',
    ]);
    const never = await cloudOf({ seed: seed(), faults: [{ path: 'batchEnable', action: { kind: 'reset' } }] });
    expect(KINDS(await applyBatch(never, [enable('dns.googleapis.com'), enable('run.googleapis.com')]))).toEqual([
      'uncertain',
      'uncertain',
    ]);
  });

  it('or wait for an operation that the next run picks up', async () => {
    const cloud = await cloudOf({ seed: seed(), operationPolls: 4 });
    const steps = [enable('dns.googleapis.com'), enable('run.googleapis.com')];
    const [first] = await applyBatch(cloud, steps, { poll: { maxAttempts: 1, intervalMs: 100, maxWaitSecs: 10 } });
    if (first?.kind !== 'pending') throw new Error(JSON.stringify(first));
    expect(KINDS(await applyBatch(cloud, steps, { pendingOperation: first.operation, repeat: true }))).toEqual([
      'done',
      'done',
    ]);
    expect(sent(cloud, 'POST', BATCH)).toHaveLength(1);
  });

  it('again where the pending operation left nothing', async () => {
    const cloud = await cloudOf({ seed: seed() });
    expect(
      KINDS(
        await applyBatch(cloud, [enable('dns.googleapis.com')], {
          pendingOperation: 'operations/acf.p2-77-0',
          repeat: true,
        }),
      ),
    ).toEqual(['done']);
  });
});

describe('services are disabled', () => {
  it('one by one, without those that depend on them', async () => {
    const cloud = await cloudOf({ seed: seed(['dns.googleapis.com']) });
    expect(await apply(cloud, disable('dns.googleapis.com'))).toMatchObject({ kind: 'done', resource: null });
    expect(sent(cloud, 'POST', /:disable$/)[0]?.body).toEqual({
      disableDependentServices: false,
      checkIfServiceHasUsage: 'SKIP',
    });
    expect(await apply(cloud, disable('dns.googleapis.com'))).toBeNull();
  });

  it('not while another one depends on it (C7)', async () => {
    const cloud = await cloudOf({ seed: seed(['compute.googleapis.com', 'container.googleapis.com']) });
    expect(await apply(cloud, disable('compute.googleapis.com'))).toMatchObject({
      kind: 'failed',
      why: { code: 'SERVICE_HAS_DEPENDENTS' },
    });
  });

  it('after those that depend on it, where they go as well', async () => {
    const cloud = await cloudOf({ seed: seed(['compute.googleapis.com', 'container.googleapis.com']) });
    expect(
      KINDS(await applyBatch(cloud, [disable('compute.googleapis.com'), disable('container.googleapis.com')])),
    ).toEqual(['done', 'done']);
  });

  it('where they are off by now: nothing to do', async () => {
    const cloud = await cloudOf({ seed: seed(['dns.googleapis.com']), knobs: { strictDisable: true } });
    const { operationOf, see, writeAll } = await import('./support/cloud.ts');
    const { declaration, desired, observation } = await see(cloud, disable('dns.googleapis.com'));
    await apply(cloud, disable('dns.googleapis.com'));
    expect(KINDS(await writeAll(cloud, [operationOf(declaration, desired, observation, 'delete')]))).toEqual(['noop']);
  });
});
