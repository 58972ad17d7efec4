import { describe, expect, it } from 'vitest';
import type { ValueObject } from '../../../src/core/value.ts';
import { changes, cloudOf, idOf, mutations, results, run, targetOf, whyOf } from './support/cloud.ts';
import {
  address,
  disk,
  firewall,
  gateway,
  instance,
  linked,
  network,
  OUT_RULE,
  SSH_RULE,
  stepOf,
  subnet,
} from './support/steps.ts';

const ADDRESSES = ['network', 'subnet', 'firewall', 'address', 'boot_disk', 'instance'];

function all(value: string | null) {
  return Object.fromEntries(ADDRESSES.map((name) => [name, value]));
}

describe('the gateway', () => {
  it('is made by six commands, then nothing is left to do', async () => {
    const cloud = await cloudOf();
    const made = await run(cloud, gateway());
    expect(results(made)).toEqual(all('done'));
    expect(mutations(cloud)).toEqual([
      'vpc network create',
      'vpc subnet create',
      'vpc security-group create',
      'vpc address create',
      'compute disk create',
      'compute instance create',
    ]);
    const again = await run(cloud, gateway());
    expect(changes(again)).toEqual(all('none'));
    expect(again.map(({ seen }) => (seen.kind === 'present' ? seen.warnings : seen))).toEqual(ADDRESSES.map(() => []));
  });

  it('has labels that say whose it is, and which write made it', async () => {
    const cloud = await cloudOf();
    const [made] = await run(cloud, [network()]);
    expect(made?.result).toMatchObject({
      kind: 'done',
      resource: {
        name: 'gateway-network',
        kind: 'network',
        labels: {
          'managed-by': 'infra',
          'infra-project': 'acme',
          'infra-stack': 'gateway',
          'infra-owner': 'platform',
          'infra-resource': 'network',
          'infra-operation': 'a'.repeat(32),
        },
      },
    });
  });

  it('runs every command with its stdin closed, in a reduced environment', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    const commands = cloud.fake.commands();
    expect(commands.length).toBeGreaterThan(1);
    for (const { argv, env, stdin } of commands) {
      expect(argv.slice(-9).join(' ')).toBe(
        '--profile default --folder-id b1gexamplefolder0001 --format json --no-browser --retry 0',
      );
      expect(env).not.toContain('SECRET_TOKEN');
      expect(stdin).toBe('null');
    }
  });

  it('goes from the machine down, each confirmed by a read', async () => {
    const cloud = await cloudOf();
    await run(cloud, gateway());
    const deletes = [
      ['instance', 'compute'],
      ['disk', 'compute'],
      ['address', 'vpc'],
      ['security_group', 'vpc'],
      ['subnet', 'vpc'],
      ['network', 'vpc'],
    ].map(([kind, service]) => {
      const logicalId = { disk: 'boot-disk', security_group: 'firewall' }[kind ?? ''] ?? kind ?? '';
      return stepOf(`drop_${kind}`, `${service}.${kind}.delete`, {}, { logicalId });
    });
    const gone = await run(cloud, deletes);
    expect(Object.values(results(gone))).toEqual(ADDRESSES.map(() => 'done'));
    expect(Object.values(changes(await run(cloud, deletes)))).toEqual(ADDRESSES.map(() => 'none'));
  });
});

describe('a deletion', () => {
  it('H1: of an address is blocked while a machine uses it, and says by which step that goes', async () => {
    const cloud = await cloudOf();
    await run(cloud, gateway());
    const drop = stepOf('drop', 'vpc.address.delete', {}, { logicalId: 'address' });
    const [turn] = await run(cloud, [drop]);
    expect(turn?.change).toBe('blocked');
    expect(turn?.seen).toMatchObject({
      blockers: [{ code: 'CONFLICT', urn: 'yandex:compute:instance:b1gexamplefolder0001/acme/gateway/instance' }],
    });
  });

  it('of a protected address is refused before anything is sent', async () => {
    const cloud = await cloudOf();
    await run(cloud, [address({ deletion_protection: true })]);
    const turns = await run(cloud, [stepOf('drop', 'vpc.address.delete', {}, { logicalId: 'address' })]);
    expect(whyOf(turns, 'drop')).toContain('deletion protection is on');
  });

  it('of what has lost its labels is refused', async () => {
    const cloud = await cloudOf();
    const made = await run(cloud, [network()]);
    cloud.fake.change((state) => {
      for (const item of Object.values(state.resources.network)) item.labels = {};
    });
    const drop = stepOf('drop', 'vpc.network.delete', {}, { logicalId: 'network' });
    expect(changes(await run(cloud, [drop]))).toEqual({ drop: 'none' });
    const recorded = { drop: idOf(made, 'network') };
    expect(whyOf(await run(cloud, [drop], { recorded }), 'drop')).toContain('NOT_OURS');
  });
});

describe('an update', () => {
  it('renames and describes what the log knows, and writes the digest last', async () => {
    const cloud = await cloudOf();
    const made = await run(cloud, [network()]);
    const recorded = { network: idOf(made, 'network') };
    const changed = await run(cloud, [network({ name: 'renamed', description: 'ours' })], { recorded });
    expect(results(changed)).toEqual({ network: 'done' });
    expect(mutations(cloud).slice(1)).toEqual(['vpc network update', 'vpc network add-labels']);
    expect(changed[0]?.result).toMatchObject({
      resource: { name: 'renamed', labels: { 'infra-operation': 'a'.repeat(32) } },
    });
    expect(changes(await run(cloud, [network({ name: 'renamed', description: 'ours' })]))).toEqual({ network: 'none' });
  });

  it('H3: sends only the difference of rules', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network(), firewall()]);
    const web = { ...SSH_RULE, from_port: 443, to_port: 443, description: 'web' };
    const rules = [OUT_RULE, web];
    expect(results(await run(cloud, [network(), firewall({ rules })]))).toEqual({ network: null, firewall: 'done' });
    const sent = cloud.fake.commands().find(({ argv }) => argv.includes('update-rules'))?.argv ?? [];
    expect(sent.filter((word) => word === '--add-rule')).toHaveLength(1);
    expect(sent.filter((word) => word === '--delete-rule-id')).toHaveLength(1);
    expect(sent).toContain(
      'description=web,direction=ingress,from-port=443,to-port=443,protocol=tcp,v4-cidrs=[192.0.2.0/24]',
    );
    expect(changes(await run(cloud, [network(), firewall({ rules })]))).toEqual({ network: 'none', firewall: 'none' });
  });

  it('H5: grows a disk in place, and refuses to shrink it', async () => {
    const cloud = await cloudOf();
    await run(cloud, [disk()]);
    expect(results(await run(cloud, [disk({ size_gib: 30 })]))).toEqual({ boot_disk: 'done' });
    const shrunk = await run(cloud, [disk({ size_gib: 20 })]);
    expect(changes(shrunk)).toEqual({ boot_disk: 'blocked' });
    expect(shrunk[0]?.declaration.hindrances?.['size_gib']).toContain('grow in place, but not shrink');
  });

  it('of an address sends the whole map of labels back', async () => {
    const cloud = await cloudOf();
    await run(cloud, [address()]);
    cloud.fake.change((state) => {
      for (const item of Object.values(state.resources.address)) item.labels = { ...item.labels, theirs: 'kept' };
    });
    const changed = await run(cloud, [address({ deletion_protection: true })]);
    expect(changed[0]?.result).toMatchObject({ kind: 'done', resource: { labels: { theirs: 'kept' } } });
    expect(mutations(cloud)).not.toContain('vpc address add-labels');
  });

  it('names what needs a stop or another machine, and does neither', async () => {
    const cloud = await cloudOf();
    await run(cloud, gateway());
    const turns = await run(cloud, gateway(instance({ cores: 4, memory_gib: 4 })));
    expect(changes(turns)).toEqual({ ...all('none'), instance: 'blocked' });
  });

  it('H7: says that other user data or another key needs a new machine, for as long as that is so', async () => {
    const cloud = await cloudOf();
    await run(cloud, gateway());
    const other = gateway(instance({ ssh_username: 'somebody' }));
    for (const _round of [1, 2]) {
      const turns = await run(cloud, other);
      expect(changes(turns)).toEqual(all('none'));
      expect(whyOf(turns, 'instance')).toContain('a new machine only');
    }
    const renamed = gateway(instance({ ssh_username: 'somebody', name: 'renamed' }));
    const id = idOf(await run(cloud, other), 'instance');
    expect(results(await run(cloud, renamed, { recorded: { instance: id } })).instance).toBe('done');
    expect(whyOf(await run(cloud, renamed), 'instance')).toContain('a new machine only');
  });
});

describe('what is there already', () => {
  function unlabel(cloud: Awaited<ReturnType<typeof cloudOf>>, labels: Record<string, string>) {
    cloud.fake.change((state) => {
      for (const item of Object.values(state.resources.network)) item.labels = labels;
    });
  }

  it('without labels is adopted by its exact name: the labels come first', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    unlabel(cloud, { team: 'a' });
    const turns = await run(cloud, [network({ description: 'now ours' })]);
    expect(changes(turns)).toEqual({ network: 'update' });
    expect(mutations(cloud).slice(1)).toEqual([
      'vpc network add-labels',
      'vpc network update',
      'vpc network add-labels',
    ]);
    expect(turns[0]?.result).toMatchObject({
      kind: 'done',
      resource: { labels: { team: 'a', 'infra-resource': 'network' } },
    });
    expect(JSON.stringify(turns[0]?.result)).not.toContain('infra-operation');
  });

  it('without labels is adopted by resource_id, whatever its name', async () => {
    const cloud = await cloudOf();
    const id = idOf(await run(cloud, [network()]), 'network');
    unlabel(cloud, {});
    const turns = await run(cloud, [network({ name: 'renamed' }, { resourceId: id })]);
    expect(results(turns)).toEqual({ network: 'done' });
    expect(turns[0]?.result).toMatchObject({ id, resource: { name: 'renamed' } });
  });

  it('as a machine without labels is taken to have the hidden inputs that are declared, and that is said', async () => {
    const cloud = await cloudOf();
    await run(cloud, gateway());
    cloud.fake.change((state) => {
      for (const item of Object.values(state.resources.instance)) item.labels = {};
    });
    const turns = await run(cloud, gateway());
    expect(results(turns)['instance']).toBe('done');
    expect(whyOf(turns, 'instance')).toContain('taken to be as declared');
    expect(changes(await run(cloud, gateway()))).toEqual(all('none'));
  });

  it('as a machine whose step says no hidden input is as declared, until something that shows differs', async () => {
    const cloud = await cloudOf();
    const resourceId = idOf(await run(cloud, gateway()), 'instance');
    const said = (more: ValueObject = {}) =>
      gateway(instance({ ssh_public_key: '', ssh_username: '', ...more }, { resourceId }));
    expect(changes(await run(cloud, said()))).toEqual(all('none'));
    expect(results(await run(cloud, said({ name: 'renamed' })))).toMatchObject({ instance: 'done' });
    expect(changes(await run(cloud, said({ name: 'renamed' })))).toEqual(all('none'));
  });

  it('as a machine that got its labels without a key is taken to have the key that is said later', async () => {
    const cloud = await cloudOf();
    const resourceId = idOf(await run(cloud, gateway()), 'instance');
    cloud.fake.change((state) => {
      for (const item of Object.values(state.resources.instance)) item.labels = {};
    });
    const unsaid = gateway(instance({ ssh_public_key: '', ssh_username: '' }, { resourceId }));
    expect(results(await run(cloud, unsaid))).toMatchObject({ instance: 'done' });
    expect(changes(await run(cloud, unsaid))).toEqual(all('none'));
    const turns = await run(cloud, gateway(instance({}, { resourceId })));
    expect(results(turns)).toMatchObject({ instance: 'done' });
    expect(whyOf(turns, 'instance')).toContain('taken to be as declared');
    expect(changes(await run(cloud, gateway()))).toEqual(all('none'));
  });

  it("and is someone else's keeps its name", async () => {
    const cloud = await cloudOf();
    await run(cloud, [network({}, { stack: 'theirs' })]);
    expect(whyOf(await run(cloud, [network()]), 'network')).toMatch(/CONFLICT.*someone else/);
    unlabel(cloud, { 'managed-by': 'terraform' });
    expect(whyOf(await run(cloud, [network()]), 'network')).toMatch(/CONFLICT.*someone else/);
  });

  it('under another step is asked about', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    const why = whyOf(await run(cloud, [network({}, { address: 'net' })]), 'net');
    expect(why).toContain('was the step renamed?');
    expect(why).toContain('logical_id: network');
  });

  it('under another name, unknown to the log, is a conflict', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network()]);
    expect(whyOf(await run(cloud, [network({ name: 'other' })]), 'network')).toMatch(/CONFLICT.*resource_id/);
  });

  it('twice is a conflict', async () => {
    const cloud = await cloudOf();
    await run(cloud, [network(), network({ name: 'second' }, { address: 'second' })]);
    cloud.fake.change((state) => {
      for (const item of Object.values(state.resources.network))
        item.labels = { ...item.labels, 'infra-resource': 'network' };
    });
    expect(whyOf(await run(cloud, [network()]), 'network')).toContain('More than one resource');
  });

  it('in another zone is a conflict', async () => {
    const cloud = await cloudOf();
    await run(cloud, [address()]);
    expect(whyOf(await run(cloud, [address({ zone_id: 'ru-central1-b' })]), 'address')).toContain(
      'nothing moves between zones',
    );
  });

  it('in another folder is never taken for ours', async () => {
    const cloud = await cloudOf();
    const elsewhere = cloud.open({
      settings: { folderId: 'b1gexamplefolder0002', commandTimeout: 20, mutationTimeout: 20, inventoryLimit: 1000 },
    });
    const settings = { folder_id: 'b1gexamplefolder0002' };
    const id = idOf(await run(cloud, [network({}, { settings })], { provider: elsewhere }), 'network');
    const turns = await run(cloud, [network()], { recorded: { network: id } });
    expect(whyOf(turns, 'network')).toContain('SCOPE_MISMATCH');
  });
});

it('reads each list at most once a session, however many steps look', async () => {
  const cloud = await cloudOf();
  const session = cloud.provider.openSession();
  const { declarations } = linked([network(), subnet(), network({ name: 'b' }, { address: 'b' })]);
  for (const declaration of declarations.values()) await session.observe(targetOf(declaration));
  expect(cloud.fake.commands()).toHaveLength(2);
});
