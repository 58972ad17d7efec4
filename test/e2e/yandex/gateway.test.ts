import { expect, it } from 'vitest';
import { expectExit, stepAt } from '../../support/e2e/cloud.ts';
import { ADDRESSES, EMPTY, everywhere, FOLDER, ONE_EACH, openYcCloud, outcomes } from '../../support/e2e/yandex.ts';

it('is planned, applied in order, left alone, converged after drift, and destroyed in reverse by digest', async () => {
  const cloud = await openYcCloud();
  const { plan } = await cloud.plan();
  expect(plan.summary).toMatchObject({ create: 6 });
  expect(stepAt(plan, 'subnet')).toMatchObject({ backend: 'yc', unknown: ['network_id'] });
  expect(stepAt(plan, 'instance').unknown).toEqual(['boot_disk_id', 'subnet_id', 'security_group_id', 'address_id']);
  expect(stepAt(plan, 'subnet').desired).toMatchObject({ network_id: '(known after apply: network.resource.id)' });
  expect(JSON.stringify(plan)).not.toContain('sandbox');
  expect(cloud.writes).toEqual([]);
  expect((await cloud.plan()).plan.digest).toBe(plan.digest);

  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 0);
  expect(outcomes(applied)).toEqual(everywhere('changed'));
  const { writes } = cloud;
  expect(writes).toHaveLength(6);
  for (const [first, second] of [
    ['vpc network create', 'vpc subnet create'],
    ['vpc network create', 'vpc security-group create'],
    ['vpc subnet create', 'compute instance create'],
    ['compute disk create', 'compute instance create'],
  ] as const)
    expect(writes.indexOf(first), `${first} before ${second}`).toBeLessThan(writes.indexOf(second));
  for (const { argv } of cloud.fake.commands().filter((command) => command.argv.includes('create'))) {
    expect(argv.slice(-9)).toEqual([
      '--profile',
      'sandbox',
      '--folder-id',
      FOLDER,
      '--format',
      'json',
      '--no-browser',
      '--retry',
      '0',
    ]);
  }
  expect(cloud.fake.commands().every(({ stdin }) => stdin === 'null')).toBe(true);

  const nonces = cloud.rows.filter(({ type }) => type === 'provider.intent').map((row) => row['operation_id']);
  expect(nonces).toHaveLength(6);
  expect(new Set(nonces).size).toBe(1);
  for (const kind of Object.values(cloud.fake.state().resources))
    for (const { labels, name } of Object.values(kind))
      if (!name.startsWith('default-sg-')) expect(labels['infra-operation']).toBe(nonces[0]);

  cloud.fake.clearCommands();
  expectExit(await cloud.run(['plan', 'playbook.yaml', '--detailed-exitcode']), 0);
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toEqual([]);

  cloud.fake.change((state) => {
    for (const network of Object.values(state.resources.network)) network.name = 'renamed-by-hand';
  });
  const drift = await cloud.run(['drift', '--format', 'json']);
  expectExit(drift, 2);
  expect(JSON.parse(drift.stdout)).toMatchObject({
    summary: { in_sync: 5, modified: 1 },
    resources: expect.arrayContaining([
      expect.objectContaining({
        drift: 'modified',
        diff: { name: { desired: 'gateway-network', actual: 'renamed-by-hand' } },
      }),
    ]),
  });
  expect(cloud.writes).toEqual([]);
  expectExit(await cloud.converge(), 0);
  expectExit(await cloud.run(['drift']), 0);
  expect(cloud.counts).toEqual(ONE_EACH);

  const orphans = await cloud.run(['orphans', 'playbook.yaml']);
  expectExit(orphans, 0);
  cloud.fake.clearCommands();
  const preview = JSON.parse((await cloud.run(['destroy', 'playbook.yaml', '--format', 'json'])).stdout);
  expect(preview.summary).toMatchObject({ delete: 6 });
  expect(cloud.writes).toEqual([]);
  expectExit(await cloud.run(['destroy', 'playbook.yaml', '--confirm', preview.digest]), 0);
  expect(cloud.writes).toHaveLength(6);
  expect(cloud.writes.at(0)).toBe('compute instance delete');
  expect(cloud.writes.at(-1)).toBe('vpc network delete');
  expect(cloud.counts).toEqual(EMPTY);
}, 120_000);

it('on the emulator runs the fake yc and no other, and a plan leaves nothing but itself', async () => {
  const cloud = await openYcCloud();
  const never = { INFRA_YC: '/bin/false', PATH: '/nowhere' };
  const planned = await cloud.run(['plan', 'playbook.yaml', '--emulator', '--format', 'json'], never);
  expectExit(planned, 0);
  const { digest, target } = JSON.parse(planned.stdout);
  expect(target).toBe('emulator');
  expectExit(await cloud.run(['apply', '--emulator', '--confirm', digest], never), 0);
  const again = await cloud.run(['plan', 'playbook.yaml', '--emulator', '--detailed-exitcode'], never);
  expectExit(again, 0);
  const found = await cloud.run(
    ['inventory', '--provider', 'yandex', '--folder', FOLDER, '--emulator', '--format', 'json'],
    never,
  );
  expectExit(found, 0);
  expect(JSON.parse(found.stdout).resources).toHaveLength(ADDRESSES.length + 1);
  expect(cloud.commands).toEqual([]);
  expectExit(await cloud.run(['emulator', 'reset']), 0);
  expect(() => cloud.readText('.infra/emulator/yc.json')).toThrow();
}, 60_000);

it('lists a folder: complete, by kind, with what is not ours', async () => {
  const cloud = await openYcCloud();
  expectExit(await cloud.converge(), 0);
  const argv = ['inventory', '--provider', 'yandex', '--folder', FOLDER, '--credential', 'sandbox', '--format', 'json'];
  const found = await cloud.run(argv);
  expectExit(found, 0);
  const { resources } = JSON.parse(found.stdout);
  expect(resources.map(({ kind }: { kind: string }) => kind)).toEqual([
    'instance',
    'disk',
    'network',
    'subnet',
    'address',
    'security_group',
    'security_group',
  ]);
  for (const resource of resources)
    expect(Object.keys(resource).sort()).toEqual([
      'id',
      'kind',
      'labels',
      'name',
      'provider_id',
      'public_addresses',
      'scope_id',
      'status',
      'zone_id',
    ]);
  expect((await cloud.fail(argv.slice(0, 3))).failure.diagnostics[0]?.code).toBe('USAGE');
  expectExit(await cloud.fail(['inventory', '--provider', 'yandex', '--folder', FOLDER]), 4);
}, 60_000);

it('is looked at by doctor: yc, the folder, what may be read there', async () => {
  const cloud = await openYcCloud();
  const argv = ['doctor', '--provider', 'yandex', '--folder', FOLDER, '--credential', 'sandbox', '--format', 'json'];
  const sound = await cloud.run(argv);
  expectExit(sound, 0);
  const statuses = (stdout: string) =>
    JSON.parse(stdout)
      .checks.filter(({ name }: { name: string }) => name.startsWith('yandex'))
      .map(({ status }: { status: string }) => status);
  expect(statuses(sound.stdout)).toEqual(['ok', 'ok', 'ok']);
  cloud.fake.addFaults({ match: 'resource-manager', action: { kind: 'fail', failure: 'unauthenticated' } });
  const expired = await cloud.run(argv);
  expectExit(expired, 4);
  expect(statuses(expired.stdout)).toEqual(['ok', 'fail', 'ok']);
  const without = await cloud.run(argv, { INFRA_YC: '/nowhere/yc' });
  expect(without.code).toBe(6);
  expect(cloud.writes).toEqual([]);
});

it('what no playbook declares any more is an orphan, and can be removed by a playbook written for it', async () => {
  const cloud = await openYcCloud();
  expectExit(await cloud.converge(), 0);
  cloud.gateway((text) => text.slice(0, text.indexOf('  - step: address')));
  const orphans = await cloud.run(['orphans', 'playbook.yaml', '--plan-destroy', 'remove.yaml', '--format', 'json']);
  expectExit(orphans, 2);
  expect(JSON.parse(orphans.stdout).orphans).toHaveLength(3);
  const planned = await cloud.run(['plan', 'remove.yaml', '--format', 'json']);
  expectExit(planned, 0);
  const { digest, summary } = JSON.parse(planned.stdout);
  expect(summary).toMatchObject({ delete: 3, blocked: 0 });
  expectExit(await cloud.run(['apply', 'remove.yaml', '--confirm', digest]), 0);
  expect(cloud.counts).toEqual({ ...EMPTY, network: 1, subnet: 1, security_group: 1 });
}, 60_000);
