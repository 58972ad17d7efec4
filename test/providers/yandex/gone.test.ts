import { describe, expect, it, test } from 'vitest';
import { CommandResult } from '../../../src/providers/command-runner.ts';
import { saysGone } from '../../../src/providers/yandex/absence.ts';
import {
  type Cloud,
  changes,
  cloudOf,
  idOf,
  mutations,
  NONCE,
  results,
  run,
  targetOf,
  whyOf,
} from './support/cloud.ts';
import { declared, FOLDER, network, stepOf } from './support/steps.ts';

const ID = 'enp00000000000000001';
const TRACE = '\n\n\nserver-request-id: 31834484\nclient-trace-id: 1de63d12\n';
const rpc = (text: string) => `ERROR: rpc error: code = NotFound desc = ${text}${TRACE}`;

function answer(stderr: string, stdout = ''): CommandResult {
  return new CommandResult({ end: 'exited', exitCode: 1, stdout, stderr, elapsedMs: 1 });
}

describe('that a resource is gone', () => {
  const SAID: readonly (readonly [kind: Parameters<typeof saysGone>[1]['kind'], stderr: string])[] = [
    ['network', rpc(`Network ${ID} not found`)],
    ['subnet', rpc(`Subnet ${ID} not found`)],
    ['address', rpc(`Address ${ID} not found`)],
    ['disk', rpc(`Disk ${ID} not found.`)],
    ['instance', rpc(`Instance ${ID} not found`)],
    ['security_group', rpc(`Security group SecurityGroup.Id(value=${ID}) not found`)],
    ['security_group', rpc(`Security group ${ID} not found`)],
    ['folder', rpc(`Folder with id ${ID} not found`)],
    ['network', `ERROR: execute command: run command: rpc error: code = NOT_FOUND desc = Network ${ID} not found\n`],
    ['network', `There is a newer version: yc components update\n${rpc(`Network ${ID} not found`)}`],
    ['network', `ERROR: network with id or name "${ID}" not found\n\nclient-trace-id: x\n`],
    ['disk', `ERROR: execute command: run command: disk with id "${ID}" not found\n`],
  ];
  it.each(SAID)('%s: %j says so', (kind, stderr) => {
    expect(saysGone(answer(stderr), { kind, id: ID })).toBe(true);
  });

  it.each(elsewhere(ID))('%j does not say so', (stderr) => {
    expect(saysGone(answer(stderr), { kind: 'network', id: ID })).toBe(false);
  });

  it('is not said beside an answer', () => {
    const stderr = rpc(`Network ${ID} not found`);
    expect(saysGone(answer(stderr, '{}'), { kind: 'network', id: ID })).toBe(false);
  });
});

/** Texts that tell of something missing, but not of a network of this id. */
function elsewhere(id: string): readonly string[] {
  return [
    `ERROR: folder with id or name "${FOLDER}" not found\n`,
    `ERROR: execute command: run command: folder with id or name "${FOLDER}" not found\n`,
    'ERROR: profile with name "sandbox" not found\n',
    'ERROR: profile "sandbox" not found\n',
    'ERROR: network with name "gateway-network" not found\n',
    `ERROR: network with name "${id}" not found\n`,
    rpc(`Folder with id ${FOLDER} not found`),
    rpc('Subnet e9bzzzzzzzzzzzzzzzzz not found'),
    rpc('Network enpzzzzzzzzzzzzzzzzz not found'),
    rpc(`Network ${id}0 not found`),
    rpc(`Folder ${FOLDER} of network ${id} not found`),
    rpc(`Route table of network ${id} not found`),
    rpc(`Subnet ${id} not found`),
    rpc('Network not found'),
    rpc('not found'),
    rpc(`Network ${id} not found: folder ${FOLDER} not found`),
    `ERROR: rpc error: code = Internal desc = rpc error: code = NotFound desc = Network ${id} not found${TRACE}`,
    `ERROR: rpc error: code = Unavailable desc = Network ${id} not found${TRACE}`,
    `ERROR: profile "sandbox" not found\nERROR: Network ${id} not found\n`,
    `Network ${id} not found\n`,
  ];
}

const drop = () => stepOf('drop', 'vpc.network.delete', {}, { logicalId: 'network' });

/** A network that was made, which no read finds any more for a reason that is not its own. */
async function hidden(
  stderr: (id: string) => string,
  nth = 1,
): Promise<{ readonly cloud: Cloud; readonly id: string }> {
  const cloud = await cloudOf();
  const id = idOf(await run(cloud, [network()]), 'network');
  cloud.fake.addFaults({ match: 'vpc network get', nth, times: 99, action: { kind: 'exit', stderr: stderr(id) } });
  return { cloud, id };
}

const TEXTS = elsewhere(ID).map((_text, index) => [(id: string) => String(elsewhere(id)[index])] as const);

describe.each(TEXTS)('where a get says that something else is missing (%#)', (stderr) => {
  it('nothing is taken to be deleted before a delete', async () => {
    const { cloud } = await hidden(stderr);
    const turns = await run(cloud, [drop()]);
    expect(results(turns)).toEqual({ drop: 'failed' });
    expect(whyOf(turns, 'drop')).not.toContain('NOT_FOUND');
    expect(mutations(cloud)).toEqual(['vpc network create']);
  });

  it('nor after one', async () => {
    const { cloud } = await hidden(stderr, 2);
    cloud.fake.addFaults({ argv: ' delete ', action: { kind: 'exit', code: 0 } });
    expect(results(await run(cloud, [drop()]))).toEqual({ drop: 'uncertain' });
  });

  it('nor in a rollback', async () => {
    const { cloud, id } = await hidden(stderr);
    const made = { id, nonce: NONCE };
    const result = await cloud.provider.recovery?.rollBack(targetOf(declared(network())), made, null);
    expect(result).toMatchObject({ kind: 'failed' });
  });

  it('and nothing is created', async () => {
    const { cloud, id } = await hidden(stderr);
    cloud.fake.addFaults({ match: 'vpc network list', action: { kind: 'exit', code: 0, stdout: '[]\n\n' } });
    const turns = await run(cloud, [network()], { recorded: { network: id } });
    expect(changes(turns)).toEqual({ network: 'blocked' });
    expect(mutations(cloud)).toEqual(['vpc network create']);
  });
});

test('a profile that is not there is not taken for a folder that is not', async () => {
  const cloud = await cloudOf();
  const status = async (stderr: string) => {
    cloud.fake.clearFaults();
    cloud.fake.addFaults({ match: 'resource-manager', action: { kind: 'exit', stderr } });
    return await cloud.provider.checkAuthentication();
  };
  const gone = { authenticated: false, errorCode: 'NOT_FOUND' };
  expect(await status(rpc(`Folder with id ${FOLDER} not found`))).toMatchObject(gone);
  expect(await status('ERROR: profile with name "x" not found')).toMatchObject({
    authenticated: null,
    errorCode: 'COMMAND_FAILED',
  });
});
