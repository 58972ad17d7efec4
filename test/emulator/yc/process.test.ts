import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/emulator/yc/commands.ts';
import { installFakeYc } from '../../../src/emulator/yc/install.ts';
import { bundleFakeYc } from './bundle.ts';
import { FOLDER, fakeYc, IMAGE, SEED, SUFFIX } from './support.ts';

test('The executable is its owner’s alone, and names its node and its state', async () => {
  const { path, control } = await fakeYc();
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect((await stat(control.stateFile)).mode & 0o777).toBe(0o600);
  const text = await readFile(path, 'utf8');
  expect(text.split('\n')[0]).toBe(`#!${process.execPath}`);
  expect(text).toContain(control.stateFile);
});

test('Installed again, it keeps what is there and adds what is new', async () => {
  const { quick, control, folder } = await fakeYc({ folders: [{ id: FOLDER }] });
  await quick('vpc network create --name net');
  const bin = join(folder, 'bin');
  await installFakeYc({ folder: bin, stateFile: control.stateFile, program: await bundleFakeYc(), seed: SEED });
  expect(Object.keys(control.state().resources.network)).toHaveLength(1);
  expect(Object.keys(control.state().images)).toEqual([IMAGE]);
});

test('It runs in a folder of modules too, and the environment may name another state', async () => {
  const { folder, control } = await fakeYc();
  const modules = join(folder, 'modules');
  await mkdir(modules);
  await writeFile(join(modules, 'package.json'), '{"type":"module"}');
  const other = join(folder, 'other.json');
  const path = await installFakeYc({ folder: modules, stateFile: other, program: await bundleFakeYc() });
  const env = { HOME: '/', INFRA_FAKE_YC_STATE: control.stateFile };
  expect((await execa(path, ['vpc', 'network', 'list', ...SUFFIX], { env })).stdout.trim()).toBe('[]');
  expect((await execa(path, ['vpc', 'network', 'list', ...SUFFIX], { reject: false })).stderr).toContain(
    'PermissionDenied',
  );
});

test('Without a state it says so', async () => {
  const { run } = await fakeYc();
  const env = { INFRA_FAKE_YC_STATE: '/nonexistent/state.json' };
  expect(await run(['--version'], { env })).toMatchObject({
    exitCode: 70,
    stdout: '',
    stderr: 'fake yc: there is no state at /nonexistent/state.json\n',
  });
});

test('What was called is logged: arguments, folder, names of the environment, and what stdin was', async () => {
  const { run, folder, control } = await fakeYc();
  await run(['--version'], { cwd: folder, env: { TOKEN: 'secret' } });
  await execa(control.stateFile.replace('state.json', 'bin/yc'), ['vpc', 'nope'], { reject: false, input: '' });
  expect(control.commands()).toMatchObject([
    { argv: ['--version'], cwd: folder, env: ['HOME', 'TOKEN'], stdin: 'null', exitCode: 0, files: [] },
    { argv: ['vpc', 'nope'], stdin: 'pipe', exitCode: 1 },
  ]);
  expect(readFileSync(`${control.stateFile}.commands.jsonl`, 'utf8')).not.toContain('secret');
  control.clearCommands();
  expect(control.commands()).toEqual([]);
});

test('Parallel commands lose nothing and never give an id or an address twice', async () => {
  const { yc, control } = await fakeYc();
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, at) => yc(`vpc address create --name a${at} --external-ipv4 zone=ru-central1-a`)),
  );
  expect(made.every(({ exitCode }) => exitCode === 0)).toBe(true);
  const addresses = Object.values(control.state().resources.address);
  expect(addresses).toHaveLength(12);
  expect(new Set(addresses.map(({ address }) => address)).size).toBe(12);
});

test('Of parallel creates of one name, one succeeds', async () => {
  const { yc } = await fakeYc();
  const ran = await Promise.all(Array.from({ length: 6 }, () => yc('vpc network create --name one')));
  expect(ran.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
  expect(ran.filter(({ stderr }) => stderr.includes('AlreadyExists'))).toHaveLength(5);
});

test('The lock of a dead process holds nobody up', async () => {
  const { yc, quick, control } = await fakeYc();
  const dead = spawn(process.execPath, ['-e', '0']);
  await new Promise((done) => dead.on('exit', done));
  await writeFile(`${control.stateFile}.lock`, String(dead.pid));
  expect((await quick('vpc network list')).exitCode).toBe(0);
  await writeFile(`${control.stateFile}.lock`, String(dead.pid));
  expect((await yc('vpc network list')).exitCode).toBe(0);
});

test('A reader that goes away ends it', async () => {
  const { path, control } = await fakeYc();
  control.addFaults({ action: { kind: 'flood', bytes: 50_000_000 } });
  const child = spawn(path, ['vpc', 'network', 'list'], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await new Promise((done) => child.on('exit', done))).toBe(141);
});

/** Each command as a process: once well, once not. */
const GOOD = `vpc network create --name net
vpc network add-labels net --labels a=1
vpc network remove-labels net --labels a
vpc network update net --description x
vpc network get net
vpc network list
vpc subnet create --name subnet --zone ru-central1-a --network-name net --range 10.0.0.0/24
vpc subnet add-labels subnet --labels a=1
vpc subnet remove-labels subnet --labels a
vpc subnet update subnet --description x
vpc subnet get subnet
vpc subnet list
vpc security-group create --name sg --network-name net
vpc security-group add-labels sg --labels a=1
vpc security-group remove-labels sg --labels a
vpc security-group update sg --description x
vpc security-group update-rules sg --add-rule direction=egress,protocol=icmp,v4-cidrs=[0.0.0.0/0]
vpc security-group get sg
vpc security-group list
vpc address create --name ip --external-ipv4 zone=ru-central1-a
vpc address update ip --labels a=1
vpc address get ip
vpc address list
compute disk create --name disk --zone ru-central1-a
compute disk add-labels disk --labels a=1
compute disk remove-labels disk --labels a
compute disk update disk --size 20
compute disk get disk
compute disk list
compute instance create --name vm --zone ru-central1-a --use-boot-disk disk-name=disk --network-interface subnet-name=subnet
compute instance add-labels vm --labels a=1
compute instance remove-labels vm --labels a
compute instance update vm --description x
compute instance get vm
compute instance list
compute instance stop vm
compute instance start vm
compute instance delete vm
compute disk delete disk
vpc address delete ip
vpc security-group delete sg
vpc subnet delete subnet
vpc network delete net
resource-manager folder get ${FOLDER}
compute image get ${IMAGE}`.split('\n');

test('Every command works as a process, and fails with exit 1 and nothing on stdout', async () => {
  const { yc, control } = await fakeYc();
  const called = new Set<string>();
  for (const words of GOOD) {
    const name = COMMANDS.find(
      (command) => words.startsWith(`${command.words}`) && /^(?: |$)/.test(words.slice(command.words.length)),
    );
    called.add(name?.words ?? words);
    expect(await yc(words), words).toMatchObject({ exitCode: 0 });
  }
  const [operation = ''] = Object.keys(control.state().operations);
  for (const verb of ['get', 'wait']) {
    called.add(`operation ${verb}`);
    expect((await yc(`operation ${verb} ${operation}`)).json).toMatchObject({ done: true });
  }
  expect([...called].sort()).toEqual(COMMANDS.map(({ words }) => words).sort());
  const failures = COMMANDS.map(async ({ words }) => {
    const ran = await yc(`${words} --id enp00000000000000000 --name`, 'both');
    expect(ran, words).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^ERROR: /);
  });
  await Promise.all(failures);
});

test('In this process and in one of its own it says the same', async () => {
  const { run, here } = await fakeYc();
  for (const argv of [
    ['vpc', 'network', 'list', ...SUFFIX],
    ['vpc', 'network', 'create', 'stray', ...SUFFIX],
    ['compute', 'disk', 'get', 'nope', ...SUFFIX],
    ['resource-manager', 'folder', 'get', FOLDER, ...SUFFIX],
    ['compute', 'image', 'get', '--id', IMAGE],
  ]) {
    const { stdout, stderr, exitCode } = await run(argv);
    expect(await here(argv)).toMatchObject({ stdout, stderr, exitCode });
  }
});
