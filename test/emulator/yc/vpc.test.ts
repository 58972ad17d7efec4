import { expect, test } from 'vitest';
import { type FakeYc, FOLDER, fakeYc, idOf, named, OTHER_FOLDER } from './support.ts';

async function withNetwork(): Promise<FakeYc & { readonly network: string }> {
  const fake = await fakeYc();
  return { ...fake, network: idOf(await fake.quick('vpc network create', ...named('net'))) };
}

const subnetIn = (network: string, range: string, zone = 'ru-central1-a') => [
  ...['--zone', zone, '--network-id', network, '--range', range],
];

test('A network comes with a default group, which is listed, can not be deleted, and goes with it', async () => {
  const { quick, network } = await withNetwork();
  const groups = Object.values((await quick('vpc security-group list')).json);
  expect(groups).toMatchObject([{ network_id: network, status: 'ACTIVE', default_for_network: true }]);
  const id = String(groups[0]?.['id']);
  expect((await quick('vpc network get --id', network)).json['default_security_group_id']).toBe(id);
  const refused = await quick('vpc security-group delete --id', id);
  expect(refused.stderr).toContain('code = FailedPrecondition');
  expect((await quick('vpc network delete --id', network)).exitCode).toBe(0);
  expect((await quick('vpc security-group get --id', id)).stderr).toContain('NotFound');
});

test('A network with a subnet or a group of its own is not empty', async () => {
  const { quick, network } = await withNetwork();
  const subnet = idOf(await quick('vpc subnet create', ...subnetIn(network, '10.0.0.0/24')));
  const group = idOf(await quick('vpc security-group create --network-name net'));
  const text = `code = FailedPrecondition desc = Network ${network} is not empty`;
  expect((await quick('vpc network delete net')).stderr).toContain(text);
  await quick('vpc subnet delete --id', subnet);
  expect((await quick('vpc network delete net')).stderr).toContain(text);
  await quick('vpc security-group delete --id', group);
  expect((await quick('vpc network delete net')).exitCode).toBe(0);
});

test.each([
  ['network', '--description x'],
  ['address', '--external-ipv4 zone=ru-central1-a'],
])('The name of a %s is unique in its folder, where it is not empty', async (kind, flags) => {
  const { here, quick } = await fakeYc();
  const create = `vpc ${kind} create ${flags}`;
  await quick(create, ...named('same'));
  const { stderr } = await quick(create, ...named('same'));
  expect(stderr).toMatch(/code = AlreadyExists desc = (Network|Address) with name same already exists\n/);
  expect((await here([...create.split(' '), '--name', 'same', '--folder-id', OTHER_FOLDER])).exitCode).toBe(0);
  expect([(await quick(create)).exitCode, (await quick(create)).exitCode]).toEqual([0, 0]);
  const other = idOf(await quick(create, ...named('other')));
  expect((await quick(`vpc ${kind} update --id ${other} --new-name same`)).stderr).toContain('AlreadyExists');
  expect((await quick(`vpc ${kind} update --id ${other} --new-name new`)).json['name']).toBe('new');
});

test.each([
  ['a name that ends in a dash', ['--name', 'net-'], 'name'],
  ['a long name', ['--name', 'a'.repeat(64)], 'name'],
  ['a long description', ['--description', 'x'.repeat(257)], 'description'],
  ['a label with a capital', ['--labels', 'Owner=x'], 'labels.Owner'],
  ['a label with a dot, which networks refuse', ['--labels', 'a=1.2'], 'labels.a'],
  ['a long value', ['--labels', `a=${'x'.repeat(64)}`], 'labels.a'],
  ['65 labels', ['--labels', Array.from({ length: 65 }, (_, at) => `l${at}=x`).join(',')], 'labels'],
])('Refused: %s', async (_what, flags, field) => {
  const { quick } = await fakeYc();
  const { exitCode, stderr } = await quick('vpc network create', ...flags);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`code = InvalidArgument desc = Request validation error: ${field}: `);
});

test('An update replaces all labels, add-labels and remove-labels change some', async () => {
  const { quick, network } = await withNetwork();
  const labels = async () => (await quick('vpc network get --id', network)).json['labels'];
  await quick('vpc network add-labels --id', network, '--labels', 'a=1,b=2');
  await quick('vpc network add-labels net --labels b=3,c=4');
  expect(await labels()).toEqual({ a: '1', b: '3', c: '4' });
  await quick('vpc network remove-labels net --labels a,nope');
  expect(await labels()).toEqual({ b: '3', c: '4' });
  await quick('vpc network update net --labels d=5');
  expect(await labels()).toEqual({ d: '5' });
  await quick('vpc network update net --labels', '');
  expect(await labels()).toBeUndefined();
  await quick('vpc network update net --description', 'x');
  expect((await quick('vpc network update net --description', '')).json['description']).toBeUndefined();
});

test.each([
  ['10.0.0.0/29', 'InvalidArgument', 'Illegal argument Invalid network prefix /29'],
  ['10.0.0.0/8', 'InvalidArgument', 'Illegal argument Invalid network prefix /8'],
  ['10.0.0.1/24', 'InvalidArgument', 'Illegal argument'],
  ['8.8.8.0/24', 'InvalidArgument', 'Illegal argument'],
  ['10.0.0/24', 'InvalidArgument', 'Cannot parse address: 10.0.0/24'],
  ['10.0.0.0/33', 'InvalidArgument', 'Cannot parse address'],
  ['10.1.0.128/25', 'FailedPrecondition', 'Subnet CIDRs can not overlap'],
  ['10.1.0.0/16', 'FailedPrecondition', 'Subnet CIDRs can not overlap'],
  ['10.2.0.0/24,10.2.0.128/25', 'FailedPrecondition', 'Subnet CIDRs can not overlap'],
])('A subnet of %s is refused', async (range, code, text) => {
  const { quick, network } = await withNetwork();
  await quick('vpc subnet create', ...named('first'), ...subnetIn(network, '10.1.0.0/24'));
  const { stderr, exitCode } = await quick('vpc subnet create', ...named('first'), ...subnetIn(network, range));
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`rpc error: code = ${code} desc = ${text}`);
});

test('A subnet wants a zone that is open, and a network that exists; ranges of other networks do not matter', async () => {
  const { quick, network } = await withNetwork();
  const create = (...more: string[]) => quick('vpc subnet create', ...more);
  expect((await create(...subnetIn(network, '10.1.0.0/24', 'ru-central1-c'))).stderr).toContain(
    'InvalidArgument desc = Illegal argument zone_id',
  );
  expect((await create(...subnetIn(network, '10.1.0.0/24', 'mars-a'))).stderr).toContain("unknown zone id 'mars-a'");
  expect((await create(...subnetIn('enp00000000000000000', '10.1.0.0/24'))).stderr).toContain(
    'NotFound desc = Network enp00000000000000000 not found',
  );
  expect((await create('--zone', 'ru-central1-a', '--range', '10.1.0.0/24')).stderr).toContain('network id or name');
  const other = idOf(await quick('vpc network create', ...named('other')));
  expect((await create(...subnetIn(network, '10.1.0.0/24'))).exitCode).toBe(0);
  expect((await quick('vpc subnet create', ...subnetIn(other, '10.1.0.0/24'))).exitCode).toBe(0);
  expect((await create(...named('a'), ...subnetIn(other, '10.2.0.0/24'))).exitCode).toBe(0);
  expect((await create(...named('a'), ...subnetIn(other, '10.3.0.0/24'))).stderr).toContain('AlreadyExists');
  expect((await quick('vpc subnet update a --new-name b')).json['name']).toBe('b');
});

test('An address is external or internal, is protected while asked so, and its labels are replaced', async () => {
  const { quick, network } = await withNetwork();
  const subnet = idOf(await quick('vpc subnet create', ...subnetIn(network, '10.1.0.0/24')));
  const inside = await quick('vpc address create --internal-ipv4', `subnet=${subnet}`);
  expect(inside.json).toMatchObject({
    internal_ipv4_address: { address: '10.1.0.3', subnet_id: subnet },
    type: 'INTERNAL',
  });
  expect((await quick('vpc subnet delete --id', subnet)).stderr).toContain(
    'FailedPrecondition desc = Subnet has allocated internal addresses',
  );
  const external = '--external-ipv4 zone=ru-central1-a';
  const id = idOf(await quick(`vpc address create --name ip --deletion-protection ${external}`));
  expect((await quick('vpc address get ip')).json['deletion_protection']).toBe(true);
  expect((await quick('vpc address delete ip')).stderr).toContain('FailedPrecondition');
  await quick('vpc address update ip --deletion-protection=false --labels a=1');
  expect((await quick('vpc address update ip --reserved=false')).json).not.toHaveProperty('reserved');
  expect((await quick('vpc address get ip')).json).toMatchObject({ id, labels: { a: '1' } });
  expect(await quick('vpc address delete ip')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  expect((await quick('vpc address create')).stderr).toContain('exactly one of external-ipv4 and internal-ipv4');
  expect((await quick('vpc address create --external-ipv4 address=192.0.2.1')).stderr).toContain('zone field');
  expect((await quick('vpc address create --external-ipv4 zone=ru-central1-c')).stderr).toContain('zone_id');
});

test('A quota is the cloud’s and not the folder’s', async () => {
  const { here, quick, control } = await fakeYc();
  control.setKnobs({ quotas: { 'vpc.networks.count': 2 } });
  for (const folder of [FOLDER, OTHER_FOLDER])
    await here(['vpc', 'network', 'create', '--name', 'a', '--folder-id', folder]);
  const { stderr, stdout, exitCode } = await quick('vpc network create --name b');
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toContain(
    'ERROR: rpc error: code = ResourceExhausted desc = Quota limit vpc.networks.count exceeded\n\n\n',
  );
});
