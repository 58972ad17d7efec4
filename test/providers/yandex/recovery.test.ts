import { describe, expect, it } from 'vitest';
import type { Recovery } from '../../../src/providers/lifecycle-provider.ts';
import { type Cloud, cloudOf, idOf, mutations, NONCE, run, targetOf } from './support/cloud.ts';
import { declared, firewall, network, subnet } from './support/steps.ts';

function recoveryOf({ provider }: Cloud): Recovery {
  if (provider.recovery === undefined) throw new Error('the provider can not recover');
  return provider.recovery;
}

const NETWORK = () => targetOf(declared(network()));

describe('a lost create', () => {
  it('is found by its nonce', async () => {
    const cloud = await cloudOf();
    cloud.fake.addFaults({ argv: ' create ', action: { kind: 'exit', when: 'after' } });
    await run(cloud, [network()]);
    cloud.fake.clearFaults();
    expect(await recoveryOf(cloud).findOperation(NETWORK(), NONCE)).toMatchObject({
      kind: 'found',
      resource: { name: 'gateway-network', kind: 'network' },
    });
    expect(await recoveryOf(cloud).findOperation(NETWORK(), 'b'.repeat(32))).toEqual({ kind: 'not_found' });
  });

  it('that was never made is not found, which proves nothing', async () => {
    const cloud = await cloudOf();
    expect(await recoveryOf(cloud).findOperation(NETWORK(), NONCE)).toEqual({ kind: 'not_found' });
  });

  it('that can not be looked for is unreadable', async () => {
    const cloud = await cloudOf();
    cloud.fake.addFaults({ argv: ' list ', action: { kind: 'fail', failure: 'unavailable' } });
    expect(await recoveryOf(cloud).findOperation(NETWORK(), NONCE)).toMatchObject({ kind: 'unreadable' });
  });

  it("whose nonce stands on someone else's, or on two, is a conflict", async () => {
    const cloud = await cloudOf();
    await run(cloud, [network({}, { stack: 'theirs' })]);
    expect(await recoveryOf(cloud).findOperation(NETWORK(), NONCE)).toMatchObject({ kind: 'conflict' });
    await run(cloud, [network({ name: 'second' })]);
    expect(await recoveryOf(cloud).findOperation(NETWORK(), NONCE)).toMatchObject({ kind: 'found' });
    cloud.fake.change((state) => {
      for (const item of Object.values(state.resources.network))
        item.labels = { ...item.labels, 'infra-stack': 'gateway' };
    });
    expect(await recoveryOf(cloud).findOperation(NETWORK(), NONCE)).toMatchObject({ kind: 'conflict' });
  });
});

describe('a rollback', () => {
  it('removes what the nonce made, and nothing that another run made', async () => {
    const cloud = await cloudOf();
    const id = idOf(await run(cloud, [network()]), 'network');
    const other = await recoveryOf(cloud).rollBack(NETWORK(), { id, nonce: 'b'.repeat(32) }, null);
    expect(other).toMatchObject({ kind: 'failed', why: { code: 'NOT_OURS' } });
    expect(mutations(cloud)).toHaveLength(1);
    expect(await recoveryOf(cloud).rollBack(NETWORK(), { id, nonce: NONCE }, null)).toMatchObject({ kind: 'done' });
    expect(Object.keys(cloud.fake.state().resources.network)).toEqual([]);
    expect(await recoveryOf(cloud).rollBack(NETWORK(), { id, nonce: NONCE }, null)).toMatchObject({ kind: 'noop', id });
  });

  it.each(['infra-operation', 'infra-stack', 'infra-resource'])(
    'takes what has another %s by now for nobody else than someone to be left alone',
    async (label) => {
      const cloud = await cloudOf();
      const id = idOf(await run(cloud, [network()]), 'network');
      cloud.fake.change((state) => {
        for (const item of Object.values(state.resources.network)) item.labels = { ...item.labels, [label]: 'other' };
      });
      const result = await recoveryOf(cloud).rollBack(NETWORK(), { id, nonce: NONCE }, null);
      expect(result).toMatchObject({ kind: 'failed', why: { code: 'NOT_OURS', detail: expect.stringContaining(id) } });
      expect(mutations(cloud)).toHaveLength(1);
    },
  );

  it('believes no list that shows nothing: the id is read', async () => {
    const cloud = await cloudOf();
    const id = idOf(await run(cloud, [network()]), 'network');
    cloud.fake.addFaults({ match: 'vpc network list', action: { kind: 'exit', code: 0, stdout: '[]' } });
    expect(await recoveryOf(cloud).rollBack(NETWORK(), { id, nonce: NONCE }, null)).toMatchObject({ kind: 'done' });
    expect(Object.keys(cloud.fake.state().resources.network)).toEqual([]);
  });

  it('keeps what something else depends on by now', async () => {
    const cloud = await cloudOf();
    const turns = await run(cloud, [network(), subnet()], { nonces: { subnet: 'c'.repeat(32) } });
    const made = { id: idOf(turns, 'network'), nonce: NONCE };
    const result = await recoveryOf(cloud).rollBack(NETWORK(), made, null);
    expect(result).toMatchObject({
      kind: 'failed',
      why: { code: 'CONFLICT', detail: expect.stringContaining('what this run did not make: subnet') },
    });
    expect(mutations(cloud)).not.toContain('vpc network delete');
  });

  it('does not call the rest of the same run a strange thing', async () => {
    const cloud = await cloudOf();
    const turns = await run(cloud, [network(), subnet()]);
    const made = { id: idOf(turns, 'network'), nonce: NONCE };
    expect(await recoveryOf(cloud).rollBack(NETWORK(), made, null)).toMatchObject({
      kind: 'failed',
      why: {
        code: 'CONFLICT',
        detail: expect.stringMatching(/is used by what this run made and that is still there: subnet [a-z0-9]{20}\.$/),
      },
    });
  });

  it('goes newest first through what a run made', async () => {
    const cloud = await cloudOf();
    const nonces = { network: '1'.repeat(32), subnet: '2'.repeat(32), firewall: '3'.repeat(32) };
    const turns = await run(cloud, [network(), subnet(), firewall()], { nonces });
    const recovery = recoveryOf(cloud);
    for (const step of [firewall(), subnet(), network()]) {
      const target = targetOf(declared(step, step.address === 'network' ? [] : [network()]));
      const nonce = nonces[step.address as keyof typeof nonces];
      const made = { id: idOf(turns, step.address), nonce };
      expect(await recovery.rollBack(target, made, null)).toMatchObject({ kind: 'done' });
    }
    expect(mutations(cloud).slice(3)).toEqual(['vpc security-group delete', 'vpc subnet delete', 'vpc network delete']);
  });

  it('never takes an update for a create', async () => {
    const cloud = await cloudOf();
    const id = idOf(await run(cloud, [network()]), 'network');
    await run(cloud, [network({ description: 'x' })], { nonces: { network: 'd'.repeat(32) } });
    const made = { id, nonce: 'd'.repeat(32) };
    expect(await recoveryOf(cloud).rollBack(NETWORK(), made, null)).toMatchObject({ kind: 'failed' });
  });

  it('whose end can not be read is uncertain', async () => {
    const cloud = await cloudOf();
    const id = idOf(await run(cloud, [network()]), 'network');
    cloud.fake.addFaults({ argv: ' delete ', action: { kind: 'exit', when: 'after' } });
    const result = await recoveryOf(cloud).rollBack(NETWORK(), { id, nonce: NONCE }, null);
    expect(result).toMatchObject({ kind: 'uncertain', why: { hint: expect.stringContaining(id) } });
  });
});
