import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/json.ts';
import type { FakeYcFaultAction } from '../../../src/emulator/yc/options.ts';
import type { CommandRunner } from '../../../src/providers/command-runner.ts';
import { type Cloud, cloudOf, mutations, ownProcesses, results, run, whyOf } from './support/cloud.ts';
import { FOLDER, gateway, instance, network, ZONE } from './support/steps.ts';

const SUFFIX = ['--profile', 'default', '--folder-id', FOLDER, '--format', 'json', '--no-browser', '--retry', '0'];

/** What differs between two runs of the same commands on two clouds: random numbers, and times. */
function comparable(text: string): string {
  return text
    .replaceAll(/\b(enp|e9b|fhm|epd)[a-z0-9]{17}\b/g, '<id>')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16}\b/g, '<id of a request>')
    .replaceAll(/\bd0:0d(:[0-9a-f]{2}){4}\b/g, '<mac>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.-]+/g, '<time>');
}

/** The result of each command, the state that they left, and what the log of commands says of them. */
async function talk(cloud: Cloud, runner: CommandRunner, commands: readonly Talk[]) {
  const ends = [];
  for (const { argv, action, timeout = 20 } of commands) {
    cloud.fake.clearFaults();
    if (action !== undefined) cloud.fake.addFaults({ action });
    const { end, exitCode, stdout, stderr, isSuccess } = await runner.run(argv, timeout);
    ends.push({ argv, end, exitCode, isSuccess, stdout: comparable(stdout), stderr: comparable(stderr) });
  }
  const log = cloud.fake.commands().map(({ pid: _pid, time: _time, files, ...line }) => ({
    ...line,
    files: files.map(({ mode }) => mode),
  }));
  return { ends, log, state: comparable(JSON.stringify(cloud.fake.state().resources)) };
}

interface Talk {
  readonly argv: readonly string[];
  readonly action?: FakeYcFaultAction;
  readonly timeout?: number;
}

const LIST = ['vpc', 'network', 'list', ...SUFFIX];

/** Each end that the tests which run it inside rely on. */
function everyEnd(userData: string): readonly Talk[] {
  const disk = ['--name', 'disk', '--description', 'größer \u{1f5a5}', '--zone', ZONE, '--size', '10'];
  const subnet = ['--name', 'subnet', '--network-name', 'net', '--range', '10.0.0.0/24', '--zone', ZONE];
  const parts = ['--create-boot-disk', 'size=10', '--network-interface', 'subnet-name=subnet'];
  const machine = ['--name', 'machine', '--zone', ZONE, '--cores', '2', '--memory', '2', ...parts];
  return [
    { argv: LIST },
    { argv: ['vpc', 'network', 'create', '--name', 'net', '--description', 'of “us”', ...SUFFIX] },
    { argv: LIST },
    { argv: ['vpc', 'network', 'create', '--name', 'net', ...SUFFIX] },
    { argv: ['compute', 'disk', 'create', ...disk, ...SUFFIX] },
    { argv: ['vpc', 'subnet', 'create', ...subnet, ...SUFFIX] },
    { argv: ['compute', 'instance', 'create', ...machine, '--metadata-from-file', `user-data=${userData}`, ...SUFFIX] },
    { argv: ['compute', 'instance', 'create', ...machine, '--metadata-from-file', 'user-data=nowhere', ...SUFFIX] },
    { argv: ['compute', 'instance', 'list', ...SUFFIX] },
    { argv: ['vpc', 'nothing', 'like', 'this'] },
    { argv: ['vpc', 'network', 'list', '--never-passed'] },
    { argv: LIST, action: { kind: 'reshape', as: 'garbage' } },
    { argv: LIST, action: { kind: 'reshape', as: 'bom' } },
    { argv: LIST, action: { kind: 'reshape', as: 'truncated' } },
    { argv: LIST, action: { kind: 'exit', code: 3, stdout: 'half \ud800', stderr: 'ERROR: \u001b[31m\r\n' } },
    { argv: LIST, action: { kind: 'echo', stream: 'stderr', text: 'beside' } },
    { argv: LIST, action: { kind: 'die', when: 'after' } },
    { argv: LIST, action: { kind: 'hang', stdout: '{"half":' }, timeout: 0.5 },
    { argv: LIST, action: { kind: 'delay', ms: 20_000 }, timeout: 0.5 },
  ];
}

it('gives what the fake gives inside a test, and leaves the same behind', async () => {
  const [inside, outside] = [await cloudOf(), await cloudOf()];
  const userData = join(inside.folder, 'user-data');
  await writeFile(userData, '#cloud-config\n{}\n', { mode: 0o600 });
  const commands = everyEnd(userData);
  const real = await talk(outside, await ownProcesses(outside), commands);
  expect(await talk(inside, inside.runner, commands)).toEqual(real);
  const ends = real.ends.map(({ end }) => end).filter((end) => end !== 'exited');
  expect(ends).toEqual(['signal', 'timeout', 'timeout']);
}, 60_000);

describe('a create in a process of its own', () => {
  it('hangs with what it started, ignores SIGTERM, is killed at its time and is uncertain', async () => {
    const cloud = await cloudOf();
    const settings = { folderId: FOLDER, commandTimeout: 20, mutationTimeout: 1, inventoryLimit: 1000 };
    const provider = cloud.open({ settings, runner: await ownProcesses(cloud) });
    cloud.fake.addFaults({
      argv: ' create ',
      action: { kind: 'hang', when: 'after', ignoreSigterm: true, grandchild: true },
    });
    const turns = await run(cloud, [network()], { provider });
    expect(results(turns)).toEqual({ network: 'uncertain' });
    expect(whyOf(turns, 'network')).toContain('TIMEOUT');
    expect(mutations(cloud)).toEqual(['vpc network create']);
  });

  it('reads user data from a private copy, of which nothing is left', async () => {
    const cloud = await cloudOf();
    const data = '#cloud-config\n{"runcmd": ["true"]}\n';
    await writeFile(join(cloud.folder, 'user-data.json'), data, { mode: 0o600 });
    const input = { user_data_file: 'user-data.json', user_data_sha256: sha256Hex(Buffer.from(data)) };
    const steps = gateway(instance(input));
    await run(cloud, steps.slice(0, -1));
    const turns = await run(cloud, steps, { provider: cloud.open({ runner: await ownProcesses(cloud) }) });
    expect(results(turns)['instance']).toBe('done');
    const [made] = cloud.fake.commands().filter(({ argv }) => argv[2] === 'create' && argv[1] === 'instance');
    expect(made?.files).toEqual([{ path: expect.stringContaining('infra-user-data-'), mode: '0600' }]);
    expect(await readdir(cloud.folder)).not.toContainEqual(expect.stringContaining('infra-user-data-'));
  });
});
