import { expect, test } from 'vitest';
import { fakeYc, IMAGE, idOf, named } from './support.ts';

test('The six kinds of a gateway are made, shown, and taken down in order', async () => {
  const { yc } = await fakeYc();
  const labels = { 'managed-by': 'infra', 'infra-stack': 'gateway' };
  const network = idOf(await yc('vpc network create', ...named('net', labels)));
  const subnet = await yc(
    'vpc subnet create',
    ...named('subnet', labels),
    ...['--zone', 'ru-central1-a', '--network-id', network, '--range', '10.42.0.0/24'],
  );
  expect(subnet.stderr).toBe('...1s...done (2s)\n');
  const group = await yc(
    'vpc security-group create',
    ...named('sg', labels),
    ...['--network-id', network],
    ...['--rule', 'direction=ingress,protocol=tcp,from-port=22,to-port=22,v4-cidrs=[192.0.2.0/24]'],
    ...['--rule', 'direction=egress,protocol=any,from-port=0,to-port=65535,v4-cidrs=[0.0.0.0/0]'],
  );
  const address = await yc('vpc address create', ...named('ip', labels), '--external-ipv4', 'zone=ru-central1-a');
  const publicAddress = String(address.json['external_ipv4_address']?.['address']);
  const disk = await yc(
    'compute disk create',
    ...named('disk', labels),
    ...['--zone', 'ru-central1-a', '--source-image-id', IMAGE, '--size', '20', '--type', 'network-ssd'],
  );
  const instance = await yc(
    'compute instance create',
    ...named('vm', labels),
    ...['--zone', 'ru-central1-a', '--platform', 'standard-v3', '--cores', '2', '--memory', '2G'],
    ...['--core-fraction', '100', '--use-boot-disk', `disk-id=${idOf(disk)},auto-delete=false`],
    '--network-interface',
    `subnet-id=${idOf(subnet)},nat-ip-version=ipv4,nat-address=${publicAddress},security-group-ids=[${idOf(group)}]`,
    ...['--metadata', 'ssh-keys=admin:ssh-ed25519 AAAA'],
  );
  expect(instance.json).toMatchObject({
    status: 'RUNNING',
    resources: { memory: '2147483648', cores: '2', core_fraction: '100' },
    boot_disk: { disk_id: idOf(disk), mode: 'READ_WRITE' },
    network_interfaces: [
      { index: '0', primary_v4_address: { address: '10.42.0.3', one_to_one_nat: { address: publicAddress } } },
    ],
  });
  expect((await yc('vpc address get', '--id', idOf(address))).json['used']).toBe(true);
  for (const [words, made] of [
    ['compute instance', instance],
    ['compute disk', disk],
    ['vpc address', address],
    ['vpc security-group', group],
    ['vpc subnet', subnet],
  ] as const)
    expect(await yc(`${words} delete`, '--id', idOf(made))).toMatchObject({ exitCode: 0, stdout: '' });
  expect(await yc('vpc network delete', '--id', network)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  expect((await yc('vpc security-group list')).stdout).toBe('[]\n\n');
});
