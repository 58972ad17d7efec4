import { inspect } from 'node:util';
import { describe, expect, it, test } from 'vitest';
import type { FakeYcFault } from '../../../src/emulator/yc/options.ts';
import { CommandResult, type CommandRunner } from '../../../src/providers/command-runner.ts';
import { hasLabels } from '../../../src/providers/yandex/ownership.ts';
import { createYandexReader } from '../../../src/providers/yandex/provider.ts';
import { cloudOf, idOf, OTHER_FOLDER, run } from './support/cloud.ts';
import { address, declared, FOLDER, gateway, linked, network, stepOf, subnet } from './support/steps.ts';

const SETTINGS = { folderId: FOLDER, commandTimeout: 45, mutationTimeout: 300, inventoryLimit: 10_000 };
const PLACE = { folder: null, allowed: [], uid: null, tempFolder: '/tmp' };
const CANARY = 'canary-11aa';

/** A runner that answers from a table of command words, and keeps what it was asked. */
function answering(answers: Readonly<Record<string, string>>, exitCode = 0, stderr = '') {
  const asked: (readonly string[])[] = [];
  const runner: CommandRunner = {
    run: (command) => {
      asked.push(command);
      const words = command
        .slice(
          0,
          command.findIndex((word) => word.startsWith('--')),
        )
        .join(' ');
      const stdout = exitCode === 0 ? (answers[words || String(command[0])] ?? '[]') : '';
      return Promise.resolve(new CommandResult({ end: 'exited', exitCode, stdout, stderr, elapsedMs: 1 }));
    },
  };
  const reader = createYandexReader({ runner, settings: SETTINGS, profile: 'p', userData: PLACE });
  return { asked, reader };
}

const NET = { id: 'enp00000000000000001', folder_id: FOLDER, name: 'net' };
const list = (...rows: readonly object[]) => ({ 'vpc network list': JSON.stringify(rows) });

describe('a reader', () => {
  it('runs nothing until it is asked something', () => {
    const { asked, reader } = answering({});
    expect(reader.identity).toEqual({
      providerId: 'yandex-cloud',
      scopeId: FOLDER,
      authenticationSource: 'cli-profile',
    });
    expect(reader.capabilities).toEqual(['inventory', 'resource_lookup']);
    expect('write' in reader).toBe(false);
    expect(asked).toEqual([]);
  });

  it('asks for the version alone to know whether yc is there', async () => {
    const { asked, reader } = answering({ '--version': 'Yandex Cloud CLI 1.15.0 linux/amd64\n' });
    expect(await reader.checkAvailability()).toMatchObject({ available: true, authenticated: null, errorCode: null });
    expect(asked).toEqual([['--version']]);
    expect(await answering({ '--version': 'something else' }).reader.checkAvailability()).toMatchObject({
      available: false,
      errorCode: 'INVALID_RESPONSE',
    });
  });

  it('asks for no more rows than the API gives', async () => {
    const { asked, reader } = answering({});
    await reader.listResources('network');
    expect(asked[0]?.slice(0, 5)).toEqual(['vpc', 'network', 'list', '--limit', '1000']);
  });

  it('knows an empty list, however it is printed, and takes nothing for none', async () => {
    for (const empty of ['[]', 'null', '[]\n\n'])
      expect(await answering({ 'vpc network list': empty }).reader.listResources('network')).toEqual({
        kind: 'complete',
        found: [],
      });
    for (const strange of ['', '\uFEFF[]'])
      expect(await answering({ 'vpc network list': strange }).reader.listResources('network')).toMatchObject({
        kind: 'failed',
        why: { code: 'INVALID_RESPONSE' },
      });
  });

  it('gives normalised resources, sorted by id', async () => {
    const other = { ...NET, id: 'enp00000000000000000', status: 'SOMETHING', secret: CANARY, labels: { a: 'b' } };
    const found = await answering(list(NET, other)).reader.listResources('network');
    expect(found).toEqual({
      kind: 'complete',
      found: [
        {
          provider_id: 'yandex-cloud',
          scope_id: FOLDER,
          kind: 'network',
          id: 'enp00000000000000000',
          name: 'net',
          status: 'UNKNOWN',
          zone_id: null,
          labels: { a: 'b' },
          public_addresses: [],
        },
        expect.objectContaining({ id: NET.id }),
      ],
    });
  });
});

const REFUSED: readonly [what: string, rows: readonly object[] | string, code: string][] = [
  ['text that is no JSON', 'ID | NAME', 'INVALID_RESPONSE'],
  ['an object instead of a list', '{}', 'INVALID_RESPONSE'],
  ['two documents', '[]\n[]', 'INVALID_RESPONSE'],
  ['a row without an id', [{ folder_id: FOLDER }], 'INVALID_RESPONSE'],
  ['an id that would be a flag', [{ ...NET, id: '--help' }], 'INVALID_RESPONSE'],
  ['an id that is a number', [{ ...NET, id: 7 }], 'INVALID_RESPONSE'],
  ['an id twice', [NET, { ...NET, name: 'other' }], 'INVALID_RESPONSE'],
  ['a row without a folder', [{ id: NET.id }], 'INVALID_RESPONSE'],
  ['a row of another folder', [NET, { ...NET, id: 'enp00000000000000002', folder_id: OTHER_FOLDER }], 'SCOPE_MISMATCH'],
  ['a name with control characters', [{ ...NET, name: 'a\u001b[31m' }], 'INVALID_RESPONSE'],
  ['labels that are a list', [{ ...NET, labels: ['a'] }], 'INVALID_RESPONSE'],
  ['a label that is a number', [{ ...NET, labels: { a: 1 } }], 'INVALID_RESPONSE'],
  ['a null row', [null as unknown as object], 'INVALID_RESPONSE'],
];

test.each(REFUSED)('%s fails closed', async (_what, rows, code) => {
  const answer = { 'vpc network list': typeof rows === 'string' ? rows : JSON.stringify(rows) };
  expect(await answering(answer).reader.listResources('network')).toMatchObject({ kind: 'failed', why: { code } });
  expect(await answering(answer).reader.discoverInventory()).toMatchObject({ kind: 'failed', why: { code } });
});

test.each(['address', 'instance'])('a malformed endpoint of an %s fails closed', async (kind) => {
  const row = {
    address: { ...NET, external_ipv4_address: { address: 'not-an-address', zone_id: 'ru-central1-a' } },
    instance: {
      ...NET,
      zone_id: 'ru-central1-a',
      resources: { memory: '1', cores: '2' },
      network_interfaces: [{ subnet_id: NET.id, primary_v4_address: { one_to_one_nat: { address: '1.2.3' } } }],
    },
  }[kind];
  const answers = { [`${kind === 'address' ? 'vpc' : 'compute'} ${kind} list`]: JSON.stringify([row]) };
  expect(await answering(answers).reader.listResources(kind)).toMatchObject({ why: { code: 'INVALID_RESPONSE' } });
});

describe('an inventory', () => {
  it('has all kinds in their order', async () => {
    const cloud = await cloudOf();
    await run(cloud, gateway());
    const found = await cloud.provider.discoverInventory();
    if (found.kind === 'failed') throw new Error(found.why.detail);
    const kinds = found.found.map(({ kind }) => kind);
    expect([...new Set(kinds)]).toEqual(['instance', 'disk', 'network', 'subnet', 'address', 'security_group']);
    expect(cloud.provider.kinds).toEqual([...new Set(kinds)]);
    const machine = found.found.find(({ kind }) => kind === 'instance');
    expect(machine).toMatchObject({
      status: 'RUNNING',
      zone_id: 'ru-central1-a',
      public_addresses: [expect.any(String)],
    });
    expect(JSON.stringify(found)).not.toContain('ssh-keys');
  });

  it('that may have more than it shows is an error', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network(), network({ name: 'second' }, { address: 'second' })]);
    const small = cloud.open({ settings: { ...SETTINGS, inventoryLimit: 2 } });
    expect(await small.listResources('network')).toMatchObject({
      kind: 'failed',
      why: { code: 'INCOMPLETE_INVENTORY' },
    });
    expect(await small.listResources('subnet')).toEqual({ kind: 'complete', found: [] });
  });

  it('of which one kind fails fails as a whole', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    cloud.fake.addFaults({ match: 'vpc address list', action: { kind: 'fail', failure: 'permission_denied' } });
    expect(await cloud.provider.discoverInventory()).toMatchObject({
      kind: 'failed',
      why: { code: 'PERMISSION_DENIED' },
    });
  });
});

describe('a reference', () => {
  const reference = { provider_id: 'yandex-cloud', scope_id: FOLDER, kind: 'network', id: NET.id };

  it('to another scope or provider is refused before anything is looked up', async () => {
    const { asked, reader } = answering({});
    for (const foreign of [
      { ...reference, scope_id: OTHER_FOLDER },
      { ...reference, provider_id: 'google' },
    ])
      expect(await reader.getResource(foreign)).toMatchObject({ kind: 'failed', why: { code: 'SCOPE_MISMATCH' } });
    expect(asked).toEqual([]);
  });

  it('is answered by exactly that resource, of exactly that folder', async () => {
    const cloud = await cloudOf();
    const id = idOf(await run(cloud, [network()]), 'network');
    expect(await cloud.provider.getResource({ ...reference, id })).toMatchObject({ kind: 'complete', found: { id } });
    expect(await cloud.provider.getResource(reference)).toMatchObject({ kind: 'failed', why: { code: 'NOT_FOUND' } });
    const elsewhere = cloud.open({ settings: { ...SETTINGS, folderId: OTHER_FOLDER } });
    expect(await elsewhere.getResource({ ...reference, scope_id: OTHER_FOLDER, id })).toMatchObject({
      kind: 'failed',
      why: { code: 'SCOPE_MISMATCH' },
    });
  });
});

describe('authentication', () => {
  it('is that the folder can be read and is active', async () => {
    const cloud = await cloudOf();
    expect(await cloud.provider.checkAvailability()).toMatchObject({ available: true, authenticated: null });
    expect(await cloud.provider.checkAuthentication()).toMatchObject({
      available: true,
      authenticated: true,
      errorCode: null,
    });
  });

  const STATES: readonly [what: string, fault: FakeYcFault['action'], authenticated: boolean | null, code: string][] = [
    ['H11: expired', { kind: 'fail', failure: 'token_invalid' }, false, 'AUTHENTICATION'],
    ['of a kind that is over', { kind: 'fail', failure: 'oauth_end_of_life' }, false, 'AUTHENTICATION'],
    ['without permission', { kind: 'fail', failure: 'permission_denied' }, false, 'PERMISSION_DENIED'],
    ['for a folder that is deleted', { kind: 'patch', set: { status: 'DELETING' } }, false, 'CONFLICT'],
    ['for another folder', { kind: 'patch', set: { id: OTHER_FOLDER } }, null, 'SCOPE_MISMATCH'],
    ['not to be told', { kind: 'fail', failure: 'unavailable' }, null, 'COMMAND_FAILED'],
  ];
  it.each(STATES)('%s is not had', async (_what, action, authenticated, errorCode) => {
    const cloud = await cloudOf();
    cloud.fake.addFaults({ match: 'resource-manager folder get', action });
    expect(await cloud.provider.checkAuthentication()).toMatchObject({ authenticated, errorCode });
  });
});

/** What is printed, with the code and the answer to whether another try may help. */
const PRINTED: readonly [stderr: string, code: string, retryable: boolean][] = [
  ['ERROR: rpc error: code = Unauthenticated desc = The token is invalid', 'AUTHENTICATION', false],
  [
    'ERROR: rpc error: code = Internal desc = iam token create failed: rpc error: code = NotFound desc = x',
    'AUTHENTICATION',
    false,
  ],
  ['ERROR: rpc error: code = PermissionDenied desc = Permission denied', 'PERMISSION_DENIED', false],
  ['ERROR: execute command: run command: rpc error: code = NOT_FOUND desc = Network x not found', 'NOT_FOUND', false],
  ['ERROR: rpc error: code = Internal desc = rpc error: code = NotFound desc = nested', 'COMMAND_FAILED', false],
  ['ERROR: network with name "x" not found', 'NOT_FOUND', false],
  ['ERROR: execute command: run command: folder with id or name "x" not found', 'NOT_FOUND', false],
  [
    'ERROR: rpc error: code = ResourceExhausted desc = Quota limit vpc.networks.count exceeded',
    'COMMAND_FAILED',
    false,
  ],
  [
    'ERROR: rpc error: code = ResourceExhausted desc = The limit on maximum number of instances has exceeded.',
    'COMMAND_FAILED',
    false,
  ],
  ['ERROR: rpc error: code = ResourceExhausted desc = slow down', 'THROTTLED', true],
  ['ERROR: rpc error: code = AlreadyExists desc = Network with name x already exists', 'CONFLICT', false],
  ['ERROR: rpc error: code = FailedPrecondition desc = Address in use', 'CONFLICT', false],
  ['ERROR: rpc error: code = DeadlineExceeded desc = context deadline exceeded', 'TIMEOUT', true],
  ['ERROR: rpc error: code = InvalidArgument desc = x', 'COMMAND_FAILED', false],
  ['Unknown error', 'COMMAND_FAILED', false],
  ['', 'COMMAND_FAILED', false],
];

test.each(PRINTED)('%j is %s', async (stderr, code, retryable) => {
  const { reader } = answering({}, 1, `${stderr}\n\nserver-request-id: ${CANARY}\n`);
  const answer = await reader.listResources('network');
  expect(answer).toMatchObject({ kind: 'failed', why: { code, retryable } });
  expect(inspect(answer, { depth: 9, showHidden: true })).not.toContain(CANARY);
});

test('the name of a quota is shown, and nothing else of the text', async () => {
  const stderr = `rpc error: code = ResourceExhausted desc = Quota limit vpc.networks.count exceeded ${CANARY}`;
  const answer = await answering({}, 1, stderr).reader.listResources('network');
  expect(JSON.stringify(answer)).toContain('vpc.networks.count');
  expect(JSON.stringify(answer)).not.toContain(CANARY);
});

test('labels match only where there are some to match', () => {
  expect(hasLabels({ a: 'b' }, { a: 'b' })).toBe(true);
  expect(hasLabels({ a: 'b' }, {})).toBe(false);
  expect(hasLabels({}, { a: 'b' })).toBe(false);
});

describe('reads of a playbook', () => {
  it('list, get and discover', async () => {
    const cloud = await cloudOf();
    const id = idOf(await run(cloud, [network(), subnet(), address()]), 'network');
    const session = cloud.provider.openSession();
    const read = (step: ReturnType<typeof stepOf>) => {
      const declaration = declared(step);
      return session.read(declaration, declaration.desired);
    };
    expect(await read(stepOf('l', 'vpc.subnet.list'))).toMatchObject({
      kind: 'done',
      resource: { resources: [{ name: 'gateway-subnet' }] },
    });
    expect(await read(stepOf('g', 'vpc.network.get', { id }))).toMatchObject({
      kind: 'done',
      resource: { id, kind: 'network' },
    });
    const all = await read(stepOf('d', 'inventory.discover'));
    expect(all.kind === 'done' && JSON.stringify(all.resource)).toContain('gateway-address');
  });

  it('come after earlier-written steps that change what they look at', async () => {
    const { declarations } = linked([
      network(),
      address(),
      stepOf('l', 'vpc.network.list'),
      stepOf('d', 'inventory.discover'),
    ]);
    expect(declarations.get('l')?.dependsOn).toEqual(['network']);
    expect(declarations.get('d')?.dependsOn).toEqual(['network', 'address']);
  });
});

describe('the guard', () => {
  const guard = { requireOrg: null, requireOrgDisplayName: null, requireBillingAccount: null, requireFolder: null };

  it('asks which cloud the folder is in', async () => {
    const cloud = await cloudOf();
    const check = (requireCloudId: string) => cloud.provider.openSession().checkGuard({ ...guard, requireCloudId }, []);
    expect(await check('b1gfakecloud00000001')).toEqual([]);
    expect((await check('b1gothercloud0000001')).map(({ code }) => code)).toEqual(['GUARD']);
    cloud.fake.addFaults({ match: 'resource-manager', action: { kind: 'fail', failure: 'permission_denied' } });
    expect((await check('b1gfakecloud00000001')).map(({ code }) => code)).toEqual(['GUARD']);
  });
});
