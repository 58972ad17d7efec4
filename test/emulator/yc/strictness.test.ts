import { expect, test } from 'vitest';
import { FOLDER, fakeYc, named } from './support.ts';

const REFUSALS: readonly [what: string, argv: readonly string[], stderr: string][] = [
  ['an unknown flag', ['vpc', 'network', 'list', '--foo'], 'ERROR: execute command: unknown flag: --foo\n'],
  [
    'an unknown flag with a value',
    ['vpc', 'network', 'list', '--foo=1'],
    'ERROR: execute command: unknown flag: --foo\n',
  ],
  [
    'a flag of another command',
    ['vpc', 'network', 'create', '--zone', 'x'],
    'ERROR: execute command: unknown flag: --zone\n',
  ],
  [
    'a flag of newer versions',
    ['vpc', 'network', 'list', '--no-pager'],
    'ERROR: execute command: unknown flag: --no-pager\n',
  ],
  [
    'labels added to an address',
    ['vpc', 'address', 'add-labels', '--id', 'x'],
    'ERROR: unknown command "add-labels" for "yc vpc address"',
  ],
  [
    'a short flag that is none',
    ['vpc', 'network', 'list', '-z'],
    "ERROR: execute command: unknown shorthand flag: 'z' in -z\n",
  ],
  [
    'a flag without its value',
    ['vpc', 'network', 'list', '--limit'],
    'ERROR: execute command: flag needs an argument: --limit\n',
  ],
  [
    'a number that is none',
    ['vpc', 'network', 'list', '--limit', 'all'],
    'ERROR: execute command: invalid argument "all" for "--limit" flag: strconv.ParseInt: parsing "all": invalid syntax\n',
  ],
  [
    'a switch that is neither on nor off',
    ['vpc', 'network', 'create', '--async=maybe'],
    'ERROR: execute command: invalid argument "maybe" for "--async" flag: strconv.ParseBool: parsing "maybe": invalid syntax\n',
  ],
  [
    'a label without a value',
    ['vpc', 'network', 'create', '--labels', 'a=b,c'],
    'ERROR: execute command: invalid argument "c" for "--labels" flag: c must be formatted as key=value\n',
  ],
  [
    'a required flag left out',
    ['vpc', 'subnet', 'create', '--name', 'x', '--range', '10.0.0.0/24'],
    'ERROR: execute command: required flag(s) "zone" not set\n',
  ],
  [
    'no labels to add',
    ['vpc', 'network', 'add-labels', 'x'],
    'ERROR: execute command: required flag(s) "labels" not set\n',
  ],
  [
    'an unknown format',
    ['vpc', 'network', 'list', '--format', 'xml'],
    'ERROR: execute command: unknown output format "xml"\n',
  ],
  ['no folder', ['vpc', 'network', 'list'], 'ERROR: execute command: run command: folder id is not specified\n'],
  ['an unknown command', ['vpc', 'nope', 'list'], 'ERROR: unknown command "nope" for "yc vpc"\n'],
  ['an unknown service', ['nope'], 'ERROR: unknown command "nope" for "yc"\n'],
  [
    'a versioned tree, which old versions lack',
    ['vpc', 'v0', 'network', 'list'],
    'ERROR: unknown command "v0" for "yc vpc"\n',
  ],
];

test.each(REFUSALS)('Refused with exit 1 and nothing on stdout: %s', async (_what, argv, stderr) => {
  const { here } = await fakeYc();
  const ran = await here(argv);
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ran.stderr.startsWith(stderr)).toBe(true);
});

test('A name right behind create is refused as recorded, and accepted where the version does', async () => {
  const { here, control } = await fakeYc();
  const argv = [
    'vpc',
    'address',
    'create',
    'k8s-master-ip',
    '--external-ipv4',
    'zone=ru-central1-a',
    '--folder-id',
    FOLDER,
  ];
  expect(await here(argv)).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: `ERROR: unknown command "k8s-master-ip" for "yc vpc address create"

Usage: yc vpc address create <ADDRESS-NAME> [Flags...] [Global Flags...]
For detailed information on this command and its flags, run: yc vpc address create --help
`,
  });
  control.setKnobs({ positionalCreateName: true });
  expect((await here([...argv, '--format', 'json'])).json['name']).toBe('k8s-master-ip');
});

test('Flags of all commands stand anywhere, with a blank or with =, and the last one counts', async () => {
  const { here } = await fakeYc();
  for (const argv of [
    ['--folder-id', FOLDER, 'vpc', '--format=json', 'network', 'list'],
    ['vpc', 'network', 'list', '--folder-id', 'b1gnonenonenonenone0', `--folder-id=${FOLDER}`, '--format', 'json'],
    ['vpc', 'network', 'list', '--folder-name', 'sandbox', '--no-browser=true', '--retry', '-1', '--format', 'json'],
  ])
    expect(await here(argv)).toMatchObject({ exitCode: 0, stdout: '[]\n\n' });
});

test('The version needs no profile, no folder and no home', async () => {
  const { here, control } = await fakeYc();
  const { stdout } = await here(['--version'], { env: { HOME: undefined } });
  expect(stdout).toMatch(/^Yandex Cloud CLI 1\.40\.0 [a-z]+\/[a-z0-9]+\n$/);
  expect((await here(['version'])).stdout).toBe(stdout);
  control.setKnobs({ dialect: '0.x', updateNotice: true });
  const old = await here(['-v']);
  expect(old.stdout).toMatch(/^Yandex Cloud CLI 0\.131\.1 /);
  expect(old.stderr).toContain('yc components update');
});

test('An old version words its own refusals without a prefix, and names the trace of a failed look-up', async () => {
  const { quick, control } = await fakeYc();
  control.setKnobs({ dialect: '0.x' });
  expect((await quick('vpc network list --foo')).stderr).toBe('ERROR: unknown flag: --foo\n');
  const { stderr } = await quick('compute disk get pg-data-disk');
  expect(stderr).toMatch(
    /^ERROR: disk with name "pg-data-disk" not found\n\n\nclient-trace-id: [-0-9a-f]{36}\n\nUse client-trace-id for investigation of issues in cloud support\n/,
  );
  control.setKnobs({ dialect: '1.x' });
  expect((await quick('compute disk get pg-data-disk')).stderr).toBe(
    'ERROR: execute command: run command: disk with id or name "pg-data-disk" not found\n',
  );
});

test('A server refusal carries the four ids, and a prefix where the version does', async () => {
  const { quick, control } = await fakeYc();
  const { stderr } = await quick('vpc network get --id enp00000000000000000');
  expect(stderr).toMatch(
    /^ERROR: rpc error: code = NotFound desc = Network enp0{17} not found\n\n\nserver-request-id: \S+\nclient-request-id: \S+\nserver-trace-id: \S+:1\nclient-trace-id: \S+\n\nUse server-request-id, client-request-id, server-trace-id, client-trace-id for investigation .*\nIf you are going to .*-yc_vpc_network_get\.txt\n$/,
  );
  control.setKnobs({ prefixRpcErrors: true });
  expect((await quick('vpc network get --id enp00000000000000000')).stderr).toMatch(
    /^ERROR: execute command: run command: rpc error: code = NotFound/,
  );
});

test('Only profiles that exist can be used, and a home is needed', async () => {
  const { here } = await fakeYc({ folders: [{ id: FOLDER }], profiles: ['sandbox'] });
  const argv = ['vpc', 'network', 'list', '--folder-id', FOLDER, '--profile'];
  expect((await here([...argv, 'sandbox'])).exitCode).toBe(0);
  expect((await here([...argv, 'default'])).stderr).toContain('profile "default" not found');
  expect((await here([...argv, 'sandbox'], { env: { HOME: undefined } })).stderr).toContain('$HOME is not defined');
});

test('What the fake lacks is said by the fake, with an exit code that yc does not have', async () => {
  const { quick, here } = await fakeYc();
  expect(await quick('compute instance create --gpus 1')).toMatchObject({ exitCode: 70, stdout: '' });
  expect((await here(['vpc'])).stderr).toBe('fake yc: help is not emulated\n');
  expect((await quick('vpc network get one two')).exitCode).toBe(70);
  expect((await quick('vpc network list --jq .id')).exitCode).toBe(70);
});

test('An update that says nothing is refused', async () => {
  const { quick } = await fakeYc();
  await quick('vpc network create', ...named('net'));
  expect((await quick('vpc network update net')).stderr).toBe(
    'ERROR: execute command: run command: no fields to update\n',
  );
});
