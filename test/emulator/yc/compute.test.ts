import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FakeYc, FOLDER, fakeYc, IMAGE, idOf, named, SUFFIX, type Tree } from './support.ts';

const ZONE = 'ru-central1-a';
const MACHINE = ['--platform', 'standard-v3', '--cores', '2', '--memory', '2', '--core-fraction', '100'];

interface Gateway extends FakeYc {
  readonly subnet: string;
  readonly group: string;
  readonly address: Tree;
  readonly ip: string;
  readonly disk: string;
}

async function gateway(): Promise<Gateway> {
  const fake = await fakeYc();
  await fake.quick('vpc network create --name net');
  const subnet = idOf(await fake.quick(`vpc subnet create --zone ${ZONE} --network-name net --range 10.1.0.0/24`));
  const group = idOf(await fake.quick('vpc security-group create --name sg --network-name net'));
  const address = (await fake.quick(`vpc address create --external-ipv4 zone=${ZONE}`)).json;
  const disk = idOf(await fake.quick(`compute disk create --name boot --zone ${ZONE} --source-image-id ${IMAGE}`));
  return { ...fake, subnet, group, address, disk, ip: String(address['external_ipv4_address']?.['address']) };
}

const machine = ({ subnet, group, disk, ip }: Gateway, name = 'vm') => [
  ...named(name),
  ...['--zone', ZONE, ...MACHINE, '--use-boot-disk', `disk-id=${disk},auto-delete=false`],
  '--network-interface',
  `subnet-id=${subnet},nat-ip-version=ipv4,nat-address=${ip},security-group-ids=[${group}]`,
];

test('A machine is as recorded, without what is default', async () => {
  const fake = await gateway();
  const ran = await fake.quick(
    'compute instance create',
    ...machine(fake),
    '--metadata',
    'ssh-keys=a:ssh-ed25519 AAAA',
  );
  expect(ran.stderr).toBe('...1s...6s...11s...16s...21s...26s...31s...done (33s)\n');
  const id = idOf(ran);
  expect(ran.json).toEqual({
    id: expect.stringMatching(/^fhm[0-9a-v]{17}$/),
    folder_id: FOLDER,
    created_at: expect.any(String),
    name: 'vm',
    zone_id: ZONE,
    platform_id: 'standard-v3',
    resources: { memory: '2147483648', cores: '2', core_fraction: '100' },
    status: 'RUNNING',
    metadata_options: expect.any(Object),
    boot_disk: { mode: 'READ_WRITE', device_name: fake.disk, disk_id: fake.disk },
    network_interfaces: [
      {
        index: '0',
        mac_address: expect.stringMatching(/^d0:0d(:[0-9a-f]{2}){4}$/),
        subnet_id: fake.subnet,
        primary_v4_address: { address: '10.1.0.3', one_to_one_nat: { address: fake.ip, ip_version: 'IPV4' } },
        security_group_ids: [fake.group],
      },
    ],
    fqdn: `${id}.auto.internal`,
    scheduling_policy: {},
    network_settings: { type: 'STANDARD' },
    placement_policy: {},
  });
  expect((await fake.quick('compute instance get vm')).json).not.toHaveProperty('metadata');
  expect((await fake.quick('compute instance get vm --full')).json['metadata']).toEqual({
    'ssh-keys': 'a:ssh-ed25519 AAAA',
  });
  expect((await fake.quick('compute disk get boot')).json['instance_ids']).toEqual([id]);
});

test('What a machine holds can not be deleted before it', async () => {
  const fake = await gateway();
  await fake.quick('compute instance create', ...machine(fake));
  const address = String(fake.address['id']);
  for (const [command, text] of [
    [`vpc address delete ${address}`, 'FailedPrecondition desc = Address in use'],
    [`compute disk delete ${fake.disk}`, `FailedPrecondition desc = The disk ${fake.disk} is being used`],
    [`vpc security-group delete ${fake.group}`, `FailedPrecondition desc = Security group ${fake.group} is in use`],
    [`vpc subnet delete ${fake.subnet}`, 'FailedPrecondition desc = Subnet has allocated internal addresses'],
  ] as const)
    expect((await fake.quick(command)).stderr).toContain(text);
  const other = await fake.quick('compute instance create', ...machine(fake, 'other'));
  expect(other.stderr).toContain('is being used');
  expect((await fake.quick('compute instance delete vm')).exitCode).toBe(0);
  expect((await fake.quick(`vpc address get ${address}`)).json).not.toHaveProperty('used');
  expect((await fake.quick('compute disk get boot')).json).not.toHaveProperty('instance_ids');
});

test('A disk goes with its machine when asked so, or when it was made with it', async () => {
  const fake = await gateway();
  const nic = ['--network-interface', `subnet-id=${fake.subnet},nat-ip-version=ipv4`];
  const start = ['--zone', ZONE, ...MACHINE, ...nic];
  await fake.quick(
    'compute instance create --name a --hostname web --preemptible',
    ...start,
    ...['--use-boot-disk', 'disk-name=boot,auto-delete=yes'],
  );
  const made = await fake.quick(
    'compute instance create --name b',
    ...start,
    ...['--create-boot-disk', `image-id=${IMAGE},size=20,name=made,type=network-ssd`],
  );
  expect(made.json['boot_disk']).toMatchObject({ auto_delete: true });
  expect((await fake.quick('compute instance get a')).json).toMatchObject({
    fqdn: 'web.ru-central1.internal',
    scheduling_policy: { preemptible: true },
  });
  expect((await fake.quick('compute disk get made')).json['size']).toBe('21474836480');
  const addresses = Object.values((await fake.quick('vpc address list')).json);
  expect(addresses.filter(({ reserved }) => reserved === undefined)).toMatchObject([{ used: true }, { used: true }]);
  await fake.quick('compute instance delete a');
  await fake.quick('compute instance delete b');
  expect((await fake.quick('compute disk list')).stdout).toBe('[]\n\n');
  expect(Object.values((await fake.quick('vpc address list')).json)).toHaveLength(1);
});

test.each([
  [['--zone', 'ru-central1-b'], 'is in zone ru-central1-a'],
  [['--zone', 'nowhere-a'], "unknown zone id 'nowhere-a'"],
  [['--platform', 'standard-v9'], 'Platform "standard-v9" not found'],
  [['--core-fraction', '5'], 'core fraction is not available on platform "standard-v3"; allowed: 20, 50, 100'],
  [['--cores', '3'], 'number of cores is not available'],
  [['--memory', '33'], 'amount of memory is not available'],
  [['--memory', 'much'], 'invalid memory "much"'],
  [['--hostname', 'Web'], 'InvalidArgument'],
  [['--name', 'Web'], 'InvalidArgument'],
  [['--metadata-from-file', 'user-data=/nowhere'], 'open /nowhere: no such file or directory'],
  [['--create-boot-disk', 'size=20'], 'exactly one of create-boot-disk and use-boot-disk'],
  [['--use-boot-disk', 'disk-id=fhm00000000000000000'], 'Disk fhm00000000000000000 not found'],
  [['--use-boot-disk', 'disk-name=boot,auto-delete=maybe'], 'invalid value "maybe" of property "auto-delete"'],
  [['--network-interface', 'subnet-id=e9b00000000000000000'], 'Subnet e9b00000000000000000 not found'],
  [['--network-interface', 'subnet-name=sub,nat-ip-version=ipv4,nat-address=192.0.2.77'], 'with name "sub"'],
])('A machine with %j is refused', async (flags, text) => {
  const fake = await gateway();
  const argv = ['compute', 'instance', 'create', ...machine(fake), ...flags, ...SUFFIX];
  const ran = await fake.here(argv);
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ran.stderr).toContain(text);
  expect((await fake.quick('compute instance list')).stdout).toBe('[]\n\n');
});

test('A public address must be reserved here, free and in the zone; a group must be of the network', async () => {
  const fake = await gateway();
  const create = (nic: string) =>
    fake.quick(
      'compute instance create',
      ...['--zone', ZONE, ...MACHINE, '--use-boot-disk', `disk-id=${fake.disk}`],
      ...['--network-interface', `subnet-id=${fake.subnet},${nic}`],
    );
  expect((await create('nat-ip-version=ipv4,nat-address=192.0.2.77')).stderr).toContain('Address 192.0.2.77 not found');
  await fake.quick('vpc network create --name other');
  const foreign = idOf(await fake.quick('vpc security-group create --network-name other'));
  expect((await create(`security-group-ids=[${foreign}]`)).stderr).toContain('security_group_ids');
  const elsewhere = (await fake.quick('vpc address create --external-ipv4 zone=ru-central1-b')).json;
  const ip = String(elsewhere['external_ipv4_address']?.['address']);
  expect((await create(`nat-ip-version=ipv4,nat-address=${ip}`)).stderr).toContain('is in zone ru-central1-b');
  expect((await create('ipv4-address=10.1.0.9')).json['network_interfaces']).toMatchObject([
    { primary_v4_address: { address: '10.1.0.9' } },
  ]);
});

test('User data is expanded from the environment of yc, silently', async () => {
  const fake = await gateway();
  const file = join(fake.folder, 'user-data.json');
  const braced = `$${'{GREETING}'}`;
  await writeFile(file, `#cloud-config\necho $GREETING ${braced} [$UNSET] $$HOME $(date) 5$ $1`, { mode: 0o600 });
  const argv = [
    'compute',
    'instance',
    'create',
    ...machine(fake),
    '--metadata-from-file',
    `user-data=${file}`,
    ...SUFFIX,
  ];
  expect((await fake.here(argv, { env: { GREETING: 'hello' } })).exitCode).toBe(0);
  const { metadata } = (await fake.quick('compute instance get vm --full')).json;
  expect(metadata?.['user-data']).toBe('#cloud-config\necho hello hello [] $HOME $(date) 5$ ');
  expect(fake.control.commands().at(-2)).toMatchObject({ files: [{ path: file, mode: '0600' }], exitCode: 0 });
});

test('A machine is stopped and started, and its size changes while it is stopped', async () => {
  const fake = await gateway();
  await fake.quick('compute instance create', ...machine(fake));
  expect((await fake.quick('compute instance update vm --cores 4 --memory 4')).stderr).toContain('must be stopped');
  expect((await fake.quick('compute instance stop vm')).json['status']).toBe('STOPPED');
  expect((await fake.quick('compute instance stop vm')).stderr).toContain('FailedPrecondition');
  expect((await fake.quick('compute instance update vm --cores 4 --memory 4G')).json['resources']).toMatchObject({
    cores: '4',
    memory: '4294967296',
  });
  expect((await fake.quick('compute instance start vm')).json['status']).toBe('RUNNING');
  expect((await fake.quick('compute instance start vm')).stderr).toContain('FailedPrecondition');
  await fake.quick('compute instance update vm --metadata a=1,b=2');
  expect((await fake.quick('compute instance get vm --full')).json['metadata']).toEqual({ a: '1', b: '2' });
  await fake.quick('compute instance add-labels vm --labels a=1');
  expect((await fake.quick('compute instance remove-labels vm --labels a')).json).not.toHaveProperty('labels');
});

test('Metadata has limits', async () => {
  const fake = await gateway();
  await fake.quick('compute instance create', ...machine(fake));
  const update = (...metadata: string[]) => fake.quick('compute instance update vm --metadata', metadata.join(','));
  expect((await update(`a=${'x'.repeat(262_145)}`)).stderr).toContain('metadata.a');
  const full = `=${'x'.repeat(262_144)}`;
  expect((await update(`a${full}`)).exitCode).toBe(0);
  expect((await update(`a${full}`, `b${full}`)).stderr).toContain('total size');
});

test('A second disk can be attached, but a third of another zone can not', async () => {
  const fake = await gateway();
  const data = idOf(await fake.quick(`compute disk create --name data --zone ${ZONE}`));
  const far = idOf(await fake.quick('compute disk create --zone ru-central1-b'));
  const attach = (...ids: string[]) => ids.flatMap((id) => ['--attach-disk', `disk-id=${id},mode=ro,device-name=data`]);
  expect((await fake.quick('compute instance create', ...machine(fake), ...attach(data, far))).stderr).toContain(
    'zone',
  );
  const ran = await fake.quick('compute instance create', ...machine(fake), ...attach(data));
  expect(ran.json['secondary_disks']).toEqual([{ mode: 'READ_ONLY', device_name: 'data', disk_id: data }]);
});

test.each([
  [['--size', '5', '--source-image-id', IMAGE], 'Disk size must be at least 8589934592'],
  [['--source-image-id', 'fd800000000000000000'], 'NotFound desc = Image fd800000000000000000 not found'],
  [['--source-image-id', 'ubuntu'], "invalid image id 'ubuntu'"],
  [['--source-image-family', 'nope', '--source-image-folder-id', 'standard-images'], 'image with family "nope"'],
  [['--type', 'floppy'], 'Disk type floppy'],
  [['--type', 'network-ssd-nonreplicated', '--size', '100'], 'multiple of 93 GB'],
  [['--size', '30T'], 'Value must be in the range'],
  [['--size', 'big'], 'invalid size "big"'],
  [['--zone', 'ru-central1-c'], 'zone_id'],
  [['--name', 'Boot'], 'InvalidArgument'],
])('A disk with %j is refused', async (flags, text) => {
  const { quick } = await fakeYc();
  const { stderr, exitCode } = await quick(`compute disk create --zone ${ZONE}`, ...flags);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(text);
});

test('A disk grows, and does not shrink', async () => {
  const { quick } = await fakeYc();
  const family = '--source-image-family ubuntu-2404-lts --source-image-folder-id standard-images';
  await quick(`compute disk create --name d --zone ${ZONE} --size 20G ${family}`);
  expect((await quick('compute disk update d --size 30 --labels a=1')).json).toMatchObject({
    size: '32212254720',
    source_image_id: IMAGE,
    labels: { a: '1' },
  });
  expect((await quick('compute disk update d --size 20')).stderr).toContain('can not be decreased');
});

test('An image is found by its id, or by its name in its folder', async () => {
  const { here, quick, control } = await fakeYc();
  expect((await quick('compute image get --id', IMAGE)).json).toMatchObject({
    status: 'READY',
    min_disk_size: '8589934592',
  });
  const named = ['compute', 'image', 'get', 'ubuntu-2404', '--format', 'json', '--folder-id'];
  expect((await here([...named, 'standard-images'])).json['id']).toBe(IMAGE);
  expect((await here([...named, FOLDER])).stderr).toContain('image with name "ubuntu-2404" not found');
  expect((await quick('compute image get fd800000000000000000')).stderr).toContain('NotFound');
  expect((await quick('compute image get --id nope')).stderr).toContain("invalid image id 'nope'");
  expect((await quick('compute image get')).stderr).toContain('image id or name must be specified');
  control.setKnobs({ anyImage: true });
  expect((await quick(`compute disk create --zone ${ZONE} --source-image-id fd800000000000000000`)).exitCode).toBe(0);
});

test('The quota of machines has a text of its own', async () => {
  const fake = await gateway();
  fake.control.setKnobs({ quotas: { 'compute.instances.count': 0 } });
  expect((await fake.quick('compute instance create', ...machine(fake))).stderr).toContain(
    'ResourceExhausted desc = The limit on maximum number of instances has exceeded.',
  );
});
