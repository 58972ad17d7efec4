import { expect, test } from 'vitest';
import { FOLDER, fakeYc, IMAGE, idOf, named } from './support.ts';

test('A network is the JSON that is recorded: two blanks, two line ends, seconds, no defaults', async () => {
  const { quick } = await fakeYc();
  const ran = await quick(
    'vpc network create',
    ...named('net', { 'my-label': 'netology' }),
    '--description',
    'my first',
  );
  const { id, created_at, default_security_group_id } = ran.json;
  expect(ran.stdout).toBe(`{
  "id": "${id}",
  "folder_id": "${FOLDER}",
  "created_at": "${created_at}",
  "name": "net",
  "description": "my first",
  "labels": {
    "my-label": "netology"
  },
  "default_security_group_id": "${default_security_group_id}"
}

`);
  expect(ran.stderr).toBe('');
  expect(id).toMatch(/^enp[0-9a-v]{17}$/);
  expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(Object.keys((await quick('vpc network create', '--async=false')).json)).toEqual([
    'id',
    'folder_id',
    'created_at',
    'default_security_group_id',
  ]);
});

test('An address has its zone inside, an empty message where it is set, and no false', async () => {
  const { quick } = await fakeYc();
  const { json, stderr } = await quick('vpc address create', ...named('k8s'), '--external-ipv4', 'zone=ru-central1-a');
  expect(stderr).toBe('');
  expect(json).toEqual({
    id: expect.stringMatching(/^e9b[0-9a-v]{17}$/),
    folder_id: FOLDER,
    created_at: expect.any(String),
    name: 'k8s',
    external_ipv4_address: { address: '203.0.113.1', zone_id: 'ru-central1-a', requirements: {} },
    reserved: true,
    type: 'EXTERNAL',
    ip_version: 'IPV4',
  });
});

test('A disk and a subnet are as recorded, with int64 as text', async () => {
  const { quick } = await fakeYc();
  const disk = await quick(
    'compute disk create',
    ...named('boot'),
    ...['--zone', 'ru-central1-b', '--size', '20', '--type', 'network-ssd', '--source-image-id', IMAGE],
  );
  expect(disk.stderr).toBe('...1s...6s...done (9s)\n');
  expect(disk.json).toEqual({
    id: expect.stringMatching(/^epd[0-9a-v]{17}$/),
    folder_id: FOLDER,
    created_at: expect.any(String),
    name: 'boot',
    type_id: 'network-ssd',
    zone_id: 'ru-central1-b',
    size: '21474836480',
    block_size: '4096',
    product_ids: [expect.stringMatching(/^f2e/)],
    status: 'READY',
    source_image_id: IMAGE,
    disk_placement_policy: {},
    hardware_generation: { legacy_features: { pci_topology: 'PCI_TOPOLOGY_V1' } },
  });
  const network = idOf(await quick('vpc network create', ...named('net')));
  const where = ['--zone', 'ru-central1-d', '--network-id', network, '--range', '10.1.2.0/24'];
  const subnet = await quick('vpc subnet create', ...named('my-subnet'), ...where);
  expect(subnet.json).toEqual({
    id: expect.stringMatching(/^fl8[0-9a-v]{17}$/),
    folder_id: FOLDER,
    created_at: expect.any(String),
    name: 'my-subnet',
    network_id: network,
    zone_id: 'ru-central1-d',
    v4_cidr_blocks: ['10.1.2.0/24'],
  });
});

test('A list is an array, ordered by id; an empty one is what the knob says', async () => {
  const { quick, control } = await fakeYc();
  expect((await quick('vpc network list')).stdout).toBe('[]\n\n');
  control.setKnobs({ emptyList: 'null' });
  expect((await quick('vpc network list')).stdout).toBe('null\n\n');
  control.setKnobs({ emptyList: '' });
  expect((await quick('vpc network list')).stdout).toBe('');
  for (const name of ['b', 'a', 'c']) await quick('vpc network create', ...named(name));
  const { json } = await quick('vpc network list');
  const ids = Object.values(json).map(({ id }) => String(id));
  expect(ids).toHaveLength(3);
  expect(ids).toEqual([...ids].sort());
});

test('A list is cut at its limit, and a limit above the maximum is refused', async () => {
  const { quick } = await fakeYc();
  for (const name of ['a', 'b', 'c']) await quick('vpc network create', ...named(name));
  expect(Object.values((await quick('vpc network list --limit 2')).json)).toHaveLength(2);
  const refused = await quick('vpc network list --limit 10000');
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(/code = InvalidArgument .*page_size.*Value must be less than or equal to 1000/);
  expect((await quick('vpc network list --limit -1')).stderr).toContain('page_size');
});

test('Without a format an object is YAML and a list a table', async () => {
  const { here, quick } = await fakeYc();
  await quick('vpc address create', ...named('ip', { a: '1' }), '--external-ipv4', 'zone=ru-central1-a');
  const get = await here(['vpc', 'address', 'get', 'ip', '--folder-id', FOLDER]);
  expect(get.stdout).toMatch(
    /^id: e9b\w+\nfolder_id: \w+\ncreated_at: "[^"]+"\nname: ip\nlabels:\n {2}a: "1"\nexternal_ipv4_address:\n {2}address: "203.0.113.1"\n {2}zone_id: ru-central1-a\n {2}requirements: \{\}\nreserved: true\n/,
  );
  const list = await here(['vpc', 'address', 'list', '--folder-id', FOLDER]);
  expect(list.stdout).toMatch(/\| ID +\| NAME \| ADDRESS \| RESERVED \| USED \|/);
  const yaml = await here(['vpc', 'address', 'list', '--folder-id', FOLDER, '--format', 'yaml']);
  expect(yaml.stdout).toMatch(/^- id: e9b\w+\n {2}folder_id:/);
  const empty = await here(['vpc', 'subnet', 'list', '--folder-id', FOLDER, '--format', 'yaml']);
  expect(empty.stdout).toBe('[]\n\n');
});

test('A delete prints what the knob says, and its progress can be turned off', async () => {
  const { quick, control } = await fakeYc();
  const create = (name: string) => quick('compute disk create', ...named(name), '--zone', 'ru-central1-a');
  const [one, two, three] = [await create('a'), await create('b'), await create('c')];
  expect(await quick('compute disk delete', '--id', idOf(one))).toMatchObject({
    stdout: '',
    stderr: '...1s...done (4s)\n',
  });
  control.setKnobs({ deleteOutput: '{}' });
  expect((await quick('compute disk delete', idOf(two))).stdout).toBe('{}\n\n');
  expect((await quick('compute disk delete c --no-user-output')).stderr).toBe('');
  expect((await quick('compute disk delete', '--id', idOf(three))).stderr).toContain(`Disk ${idOf(three)} not found`);
});
