import { describe, expect, it } from 'vitest';
import { childProcesses } from '../../../src/cli/child-process.ts';
import type { Step } from '../../../src/core/step.ts';
import type { FakeYcFaultAction } from '../../../src/emulator/yc/options.ts';
import { yandexCatalogue } from '../../../src/providers/yandex/catalogue.ts';
import {
  type Cloud,
  changes,
  cloudOf,
  HOOKS,
  mutations,
  NONCE,
  operationOf,
  results,
  run,
  whyOf,
} from './support/cloud.ts';
import {
  address,
  declared,
  disk,
  FOLDER,
  firewall,
  gateway,
  instance,
  linked,
  network,
  stepOf,
  subnet,
} from './support/steps.ts';

const CANARY = 'canary-7f3a';
const SETTINGS = { folderId: FOLDER, commandTimeout: 20, mutationTimeout: 1, inventoryLimit: 1000 };

/** Each way in which a create can end without anyone knowing what became of it. */
const LOST: readonly [what: string, action: FakeYcFaultAction, word: string][] = [
  ['is done, and the answer is lost', { kind: 'exit', when: 'after', stderr: `ERROR: ${CANARY}` }, 'COMMAND_FAILED'],
  ['says nothing with exit 0', { kind: 'reshape', as: 'empty' }, 'INVALID_RESPONSE'],
  ['answers with half a document', { kind: 'reshape', as: 'truncated' }, 'INVALID_RESPONSE'],
  ['answers with two documents', { kind: 'reshape', as: 'two_documents' }, 'INVALID_RESPONSE'],
  ['answers with garbage', { kind: 'reshape', as: 'garbage' }, 'INVALID_RESPONSE'],
  ['answers about another folder', { kind: 'patch', set: { folder_id: 'b1gsomebodyelses0001' } }, 'SCOPE_MISMATCH'],
  [
    'answers with another nonce',
    { kind: 'patch', set: { labels: { 'infra-operation': 'f'.repeat(32) } } },
    'SCOPE_MISMATCH',
  ],
  ['answers with another name', { kind: 'patch', set: { name: 'other' } }, 'SCOPE_MISMATCH'],
  ['is killed', { kind: 'die', when: 'after' }, 'signal'],
  ['is refused: no permission', { kind: 'fail', failure: 'permission_denied' }, 'PERMISSION_DENIED'],
  ['is refused: a quota', { kind: 'fail', failure: 'quota' }, 'vpc.networks.count'],
  ['is throttled', { kind: 'fail', failure: 'throttled' }, 'THROTTLED'],
  ['is not let in', { kind: 'fail', failure: 'unauthenticated' }, 'AUTHENTICATION'],
  ['comes too late', { kind: 'fail', failure: 'deadline' }, 'TIMEOUT'],
  ['fails in the operation', { kind: 'fail', failure: 'operation_failed' }, 'yc operation get'],
  ['fails for an unknown reason', { kind: 'fail', failure: 'unknown_error' }, 'COMMAND_FAILED'],
  [
    'is refused by something that resembles the parser',
    { kind: 'exit', stderr: 'ERROR: execute command: unknown flag: --never-passed' },
    'COMMAND_FAILED',
  ],
];

async function expectLost(cloud: Cloud, steps: readonly Step[], made: Step, action: FakeYcFaultAction, word: string) {
  cloud.fake.clearFaults();
  const before = cloud.fake.state();
  cloud.fake.addFaults({ argv: ' create ', action });
  const sent = mutations(cloud).length;
  const turns = await run(cloud, steps);
  const why = whyOf(turns, made.address);
  expect(results(turns)[made.address]).toBe('uncertain');
  expect(why).toMatch(/^OUTCOME_UNKNOWN/);
  for (const told of [word, FOLDER, NONCE, 'yc ', 'infra recover']) expect(why).toContain(told);
  expect(JSON.stringify(turns)).not.toContain(CANARY);
  expect(mutations(cloud)).toHaveLength(sent + 1);
  cloud.fake.clearFaults();
  cloud.fake.change((state) => Object.assign(state, before));
}

describe('a create that', () => {
  it.each(LOST)('H10: %s is uncertain, and sent once', async (_what, action, word) => {
    const cloud = await cloudOf();
    const made = network();
    await expectLost(cloud, [made], made, action, word);
  });

  it('hangs is stopped at its time and uncertain', async () => {
    const cloud = await cloudOf(undefined, { settings: SETTINGS });
    const made = network();
    await expectLost(cloud, [made], made, { kind: 'hang', when: 'after' }, 'TIMEOUT');
  });

  it('H8: is bounded by the timeout of its step as well', async () => {
    const cloud = await cloudOf();
    cloud.fake.addFaults({ argv: ' create ', action: { kind: 'hang' } });
    const { declarations } = linked([network()]);
    const declaration = declarations.get('network');
    if (declaration === undefined) throw new Error('no declaration');
    const operation = operationOf({
      declaration,
      desired: declaration.desired,
      seen: { kind: 'absent' },
      change: 'create',
    });
    const [result] = await cloud.provider.write([{ ...operation, timeoutMs: 800 }], HOOKS);
    expect(result?.kind).toBe('uncertain');
  });

  const OTHERS: readonly [kind: string, steps: readonly Step[], made: Step][] = [
    ['subnet', [network(), subnet()], subnet()],
    ['security group', [network(), firewall()], firewall()],
    ['address', [address()], address()],
    ['disk', [disk()], disk()],
    ['instance', gateway(), instance()],
  ];
  it.each(OTHERS)(
    'is one of a %s is uncertain in the same ways',
    async (_kind, steps, made) => {
      const cloud = await cloudOf();
      await run(cloud, steps.slice(0, -1));
      for (const [, action, word] of LOST) {
        if (['exit', 'reshape', 'die'].includes(action.kind))
          await expectLost(cloud, steps, made, action, word === 'vpc.networks.count' ? '' : word);
      }
    },
    60_000,
  );
});

it('of a quota only what is the name of one is shown', async () => {
  const cloud = await cloudOf();
  const limit = (name: string) => `ERROR: rpc error: code = ResourceExhausted desc = Quota limit ${name} exceeded`;
  for (const name of [CANARY, `vpc.${CANARY}`, 'AQVNs3cr3tOfTheVendor', 't1.9euelZqbzc7Lz']) {
    cloud.fake.clearFaults();
    cloud.fake.addFaults({ argv: ' create ', action: { kind: 'exit', stderr: limit(name) } });
    const told = whyOf(await run(cloud, [network()]), 'network');
    expect(told).toContain('a quota is used up');
    expect(told).not.toContain(name);
  }
});

describe('the operation of a lost create', () => {
  const OPERATION = 'enp00000000000000042';
  const answer = (fields: object) =>
    JSON.stringify({
      id: OPERATION,
      metadata: { '@type': 'type.googleapis.com/yandex.cloud.vpc.v1.CreateNetworkMetadata' },
      ...fields,
    });
  const NAMED: readonly [what: string, action: FakeYcFaultAction, operation: string | null][] = [
    ['in an error', { kind: 'exit', stderr: `ERROR: operation (id=${OPERATION}) failed: ${CANARY}` }, OPERATION],
    ['in place of the answer', { kind: 'exit', code: 0, stdout: answer({ description: CANARY }) }, OPERATION],
    ['of another shape in an error', { kind: 'exit', stderr: `ERROR: operation (id=${CANARY};rm) failed` }, null],
    ['of another shape in an answer', { kind: 'exit', code: 0, stdout: answer({ id: `${CANARY}; rm` }) }, null],
    ['nowhere', { kind: 'exit', stderr: `ERROR: ${CANARY} ${OPERATION}` }, null],
  ];
  it.each(NAMED)('%s', async (_what, action, operation) => {
    const cloud = await cloudOf();
    cloud.fake.addFaults({ argv: ' create ', action });
    const turns = await run(cloud, [network()]);
    const [{ result } = { result: null }] = turns;
    expect(result).toMatchObject({ kind: 'uncertain', why: { operation } });
    const told = whyOf(turns, 'network');
    expect(told.includes('yc operation get')).toBe(operation !== null);
    expect(told.includes(`yc operation get ${OPERATION}`)).toBe(operation !== null);
    expect(JSON.stringify(turns)).not.toContain(CANARY);
  });

  it('is offered to be looked up, but nothing else that a log may hold', () => {
    const declaration = declared(network());
    const interrupted = { change: 'create', nonce: NONCE, resourceId: null } as const;
    const hint = (operation: string | null) => yandexCatalogue.lookupOf?.(declaration, { ...interrupted, operation });
    expect(hint(OPERATION)).toContain(`infra-operation: ${NONCE}); yc operation get ${OPERATION}`);
    expect(hint('x; rm -rf ~')).toBe(hint(null));
  });

  it('of a change or a deletion is beside a command that shows the resource itself', () => {
    const interrupted = { change: 'delete', nonce: NONCE, operation: OPERATION } as const;
    const hint = (resourceId: string | null) =>
      yandexCatalogue.lookupOf?.(declared(network()), { ...interrupted, resourceId });
    expect(hint('enp00000000000000001')).toBe(
      `yc vpc network get --id enp00000000000000001 --folder-id ${FOLDER} --format json; yc operation get ${OPERATION}`,
    );
    for (const id of [null, '$(id)']) {
      expect(hint(id)).toContain('yc vpc network list');
      expect(hint(id)).not.toContain('infra-operation');
    }
  });
});

describe('certain, and no more than failed, is', () => {
  it("the parser's refusal of a flag that was passed", async () => {
    const cloud = await cloudOf();
    cloud.fake.addFaults({ argv: ' create ', action: { kind: 'fail', failure: 'unknown_flag' } });
    const turns = await run(cloud, [network()]);
    expect(results(turns)).toEqual({ network: 'failed' });
    expect(whyOf(turns, 'network')).toContain('does not know --name');
  });

  it('the refusal of a rule without a port', async () => {
    const cloud = await cloudOf();
    cloud.fake.addFaults({
      match: 'vpc security-group create',
      action: { kind: 'fail', failure: 'missing_rule_port' },
    });
    expect(results(await run(cloud, [network(), firewall()]))).toEqual({ network: 'done', firewall: 'failed' });
  });

  it('not that refusal where no rule was passed', async () => {
    const cloud = await cloudOf();
    cloud.fake.addFaults({ match: 'vpc network create', action: { kind: 'fail', failure: 'missing_rule_port' } });
    expect(results(await run(cloud, [network()]))).toEqual({ network: 'uncertain' });
  });

  it('a program that can not be started', async () => {
    const cloud = await cloudOf();
    const { declarations } = linked([network()]);
    const declaration = declarations.get('network');
    if (declaration === undefined) throw new Error('no declaration');
    const gone = cloud.open({ runner: childProcesses({ executable: '/nonexistent/yc', environment: {} }) });
    const operation = operationOf({
      declaration,
      desired: declaration.desired,
      seen: { kind: 'absent' },
      change: 'create',
    });
    expect((await gone.write([operation], HOOKS))[0]?.kind).toBe('failed');
  });

  it('a dependency that is not ready, or not ours any more', async () => {
    const cloud = await cloudOf();
    await run(cloud, gateway().slice(0, -1));
    cloud.fake.addFaults({
      match: 'compute disk get',
      action: { kind: 'patch', set: { status: 'CREATING' } },
      times: 1,
    });
    expect(whyOf(await run(cloud, gateway()), 'instance')).toMatch(/BLOCKED.*CREATING/);
    cloud.fake.clearFaults();
    cloud.fake.addFaults({ match: 'vpc subnet get', action: { kind: 'patch', set: { labels: null } } });
    expect(whyOf(await run(cloud, gateway()), 'instance')).toContain('NOT_OURS');
    expect(mutations(cloud)).not.toContain('compute instance create');
  });

  it('something that appeared since the plan: nothing is created', async () => {
    const cloud = await cloudOf();
    const [dry] = await run(cloud, [network()], { dry: true });
    await run(cloud, [network()]);
    if (dry === undefined) throw new Error('no turn');
    const [result] = await cloud.provider.write([operationOf(dry, 'b'.repeat(32))], HOOKS);
    expect(result).toMatchObject({ kind: 'stale', why: { code: 'STALE' } });
    const [repeated] = await cloud.provider.write([operationOf(dry)], HOOKS);
    expect(repeated?.kind).toBe('done');
  });
});

describe('a delete', () => {
  const drop = stepOf('drop', 'vpc.network.delete', {}, { logicalId: 'network' });

  it('that is still readable afterwards is uncertain', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    cloud.fake.addFaults({ argv: ' delete ', action: { kind: 'exit', code: 0 } });
    const turns = await run(cloud, [drop]);
    expect(results(turns)).toEqual({ drop: 'uncertain' });
    expect(whyOf(turns, 'drop')).toContain('yc vpc network get --id');
  });

  it('whose proof can not be read is uncertain', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    cloud.fake.addFaults({ match: 'vpc network get', nth: 2, action: { kind: 'fail', failure: 'permission_denied' } });
    expect(results(await run(cloud, [drop]))).toEqual({ drop: 'uncertain' });
  });

  it('that the cloud refuses is uncertain: nothing is assumed', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    cloud.fake.addFaults({ argv: ' delete ', action: { kind: 'fail', failure: 'address_in_use' } });
    expect(results(await run(cloud, [drop]))).toEqual({ drop: 'uncertain' });
  });

  it('prints what it likes', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    cloud.fake.addFaults({ argv: ' delete ', action: { kind: 'echo', text: '{"half":', stream: 'stdout' } });
    expect(results(await run(cloud, [drop]))).toEqual({ drop: 'done' });
  });
});

describe('an update', () => {
  it('whose answer is lost is uncertain, and its digest is not written', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    cloud.fake.addFaults({ match: 'vpc network update', action: { kind: 'exit', when: 'after' } });
    expect(results(await run(cloud, [network({ description: 'x' })]))).toEqual({ network: 'uncertain' });
    expect(mutations(cloud)).not.toContain('vpc network add-labels');
    cloud.fake.clearFaults();
    const again = await run(cloud, [network({ description: 'x' })]);
    expect(changes(again)).toEqual({ network: 'update' });
    expect(results(again)).toEqual({ network: 'done' });
    expect(mutations(cloud).at(-1)).toBe('vpc network add-labels');
  });
});
