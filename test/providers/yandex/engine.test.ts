import { describe, expect, it } from 'vitest';
import { findDrift } from '../../../src/engine/drift.ts';
import { DEFAULT_OPTIONS } from '../../../src/engine/ports.ts';
import type { CommandRunner } from '../../../src/providers/command-runner.ts';
import { changesOf, digestOf, outcomesOf } from '../../support/in-memory/house.ts';
import { cloudOf, mutations } from './support/cloud.ts';
import { CATALOGUES, houseOn, playbook } from './support/house.ts';
import { FOLDER } from './support/steps.ts';

const ADDRESSES = ['network', 'subnet', 'firewall', 'address', 'boot_disk', 'instance'];

function all(value: string) {
  return Object.fromEntries(ADDRESSES.map((name) => [name, value]));
}

describe('the gateway', () => {
  it('is planned, applied as reviewed, in sync, and taken down', async () => {
    const cloud = await cloudOf();
    const house = houseOn(cloud);
    const steps = await playbook();

    const planned = await house.plan(steps);
    expect(changesOf(planned)).toEqual(all('create'));
    expect(mutations(cloud)).toEqual([]);
    expect(digestOf(await house.plan(steps))).toBe(digestOf(planned));

    const applied = await house.applied(steps, { confirm: digestOf(planned) });
    expect(outcomesOf(applied)).toEqual(all('changed'));
    expect(house.log.facts.map(({ urn }) => urn)).toContain(`yandex:compute:instance:${FOLDER}/acme/gateway/instance`);
    const nonces = house.log.intents.map((row) => row.operation_id);
    expect(new Set(nonces).size).toBe(1);
    for (const nonce of nonces) expect(JSON.stringify(cloud.fake.state().resources)).toContain(nonce);
    expect(changesOf(await house.plan(steps))).toEqual(all('none'));

    const drift = await findDrift({
      state: await house.log.read('cloud'),
      catalogues: CATALOGUES,
      readers: { open: () => Promise.resolve({ kind: 'open', provider: cloud.provider }) },
      target: 'cloud',
      stack: null,
      targets: [],
      excludes: [],
      playbook: null,
      options: DEFAULT_OPTIONS,
      authOf: () => ({ auth: null, endpoint: null }),
      ignores: [],
      now: 0,
      onResult: () => undefined,
    });
    expect(drift.summary).toMatchObject({ in_sync: 6, modified: 0, unchecked: 0 });

    const destroyed = await house.applied(steps, { verb: 'destroy' });
    expect(outcomesOf(destroyed)).toEqual(all('deleted'));
    expect(mutations(cloud).slice(-6).at(0)).toBe('compute instance delete');
    expect(mutations(cloud).at(-1)).toBe('vpc network delete');
  }, 60_000);

  it('is renamed in place when the playbook says so', async () => {
    const cloud = await cloudOf();
    const house = houseOn(cloud);
    await house.applied(await playbook());
    const renamed = await playbook((text) => text.replace('name: gateway-network', 'name: edge-network'));
    const planned = await house.plan(renamed);
    expect(changesOf(planned)).toEqual({ ...all('none'), network: 'update' });
    const network = planned.plan.steps.find(({ address }) => address === 'network');
    expect(network?.diff['name']).toEqual({ desired: 'edge-network', actual: 'gateway-network' });
    expect(network?.would_call.map((call) => ('argv' in call ? call.argv[3] : ''))).toEqual(['update', 'add-labels']);
    expect(outcomesOf(await house.applied(renamed))).toEqual({ ...all('noop'), network: 'changed' });
    expect(changesOf(await house.plan(renamed))).toEqual(all('none'));
  }, 60_000);

  it('takes a name that another step has given up since the list was read that both look at before they write', async () => {
    const cloud = await cloudOf();
    const later = { advance: (): void => undefined };
    const runner: CommandRunner = {
      run: async (argv, timeout) => {
        // From then on the plan's own look is too old to write by.
        if (argv.includes('first-b')) later.advance();
        return await cloud.runner.run(argv, timeout);
      },
    };
    const house = houseOn({ ...cloud, provider: cloud.open({ runner }) });
    later.advance = () => house.clock.advance(6000);
    const step = (address: string, name: string, beside = '') =>
      `  - { step: ${address}${beside}, tool: { kind: provider, action: yandex.vpc.network.ensure, input: { name: ${name} } } }\n`;
    const networks = (first: string, b: string, c: string) => {
      const steps = [step('first', first), step('b', b), step('c', c, ', depends_on: [first]')];
      return playbook((text) => `${text.slice(0, text.indexOf('workflow:'))}workflow:\n${steps.join('')}`);
    };
    await house.applied(await networks('first-a', 'net-b', 'net-c'));
    const report = await house.applied(await networks('first-b', 'net-c', 'net-d'));
    expect(outcomesOf(report)).toEqual({ first: 'changed', b: 'changed', c: 'changed' });
  }, 60_000);

  it('has one digest, whatever labels other people put on an address', async () => {
    const cloud = await cloudOf();
    const house = houseOn(cloud);
    await house.applied(await playbook());
    const guarded = await playbook((text) =>
      text.replace('name: gateway-address,', 'name: gateway-address, deletion_protection: true,'),
    );
    const before = await house.plan(guarded);
    expect(changesOf(before)).toEqual({ ...all('none'), address: 'update' });
    cloud.fake.change((state) => {
      for (const item of Object.values(state.resources.address)) item.labels = { ...item.labels, theirs: 'new' };
    });
    const after = await house.plan(guarded);
    expect(digestOf(after)).toBe(digestOf(before));
    expect(JSON.stringify(after.plan.steps.map((step) => step.would_call))).toContain('theirs=new');
    await house.applied(guarded, { confirm: digestOf(before) });
    expect(Object.values(cloud.fake.state().resources.address)[0]).toMatchObject({
      deletionProtection: true,
      labels: { theirs: 'new' },
    });
  });

  it('stops where a create is uncertain; what depends on it is not sent', async () => {
    const cloud = await cloudOf();
    const house = houseOn(cloud);
    cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'after' } });
    const report = await house.applied(await playbook());
    expect(outcomesOf(report)).toMatchObject({ network: 'changed', subnet: 'uncertain', instance: 'blocked' });
    expect(house.log.outcomes.some(({ status }) => status === 'uncertain')).toBe(true);
  });

  it('is rolled back where a create fails definitely: what this run made goes, newest first', async () => {
    const cloud = await cloudOf();
    const house = houseOn(cloud);
    cloud.fake.addFaults({
      match: 'vpc security-group create',
      action: { kind: 'fail', failure: 'missing_rule_port' },
    });
    const report = await house.applied(await playbook());
    expect(outcomesOf(report)).toMatchObject({ firewall: 'failed', network: 'rolled_back' });
    const { network, subnet, address, disk } = cloud.fake.state().resources;
    expect([network, subnet, address, disk].map((kind) => Object.keys(kind).length)).toEqual([0, 0, 0, 0]);
    const deletes = mutations(cloud).filter((words) => words.endsWith('delete'));
    expect(deletes.indexOf('vpc network delete')).toBeGreaterThan(deletes.indexOf('vpc subnet delete'));
    cloud.fake.clearFaults();
    expect(outcomesOf(await house.applied(await playbook()))).toEqual(all('changed'));
  }, 60_000);

  it('is rolled back in the order of the requests, newest first, whichever of them ended last', async () => {
    const cloud = await cloudOf();
    let second = (): void => undefined;
    const isSecondMade = new Promise<void>((resolve) => {
      second = resolve;
    });
    const isMaking = (argv: readonly string[], name: string) => argv.includes('create') && argv.includes(name);
    const runner: CommandRunner = {
      run: async (argv, timeout) => {
        if (isMaking(argv, 'net-a')) await isSecondMade;
        const result = await cloud.runner.run(argv, timeout);
        if (isMaking(argv, 'net-b')) second();
        return result;
      },
    };
    cloud.fake.addFaults({
      match: 'vpc security-group create',
      action: { kind: 'fail', failure: 'missing_rule_port' },
    });
    const rule = '{ direction: egress, protocol: any, cidr: 0.0.0.0/0 }';
    const steps = [
      `  - { step: a, tool: { kind: provider, action: yandex.vpc.network.ensure, input: { name: net-a } } }\n`,
      `  - { step: b, tool: { kind: provider, action: yandex.vpc.network.ensure, input: { name: net-b } } }\n`,
      `  - { step: c, depends_on: [b], tool: { kind: provider, action: yandex.vpc.security_group.ensure, input: { name: c, network_dependency: a, rules: [${rule}] } } }\n`,
    ];
    const house = houseOn({ ...cloud, provider: cloud.open({ runner }) });
    await house.applied(
      await playbook((text) => `${text.slice(0, text.indexOf('workflow:'))}workflow:\n${steps.join('')}`),
    );
    const asked = (operation: string) =>
      house.log.intents.filter((intent) => intent.operation === operation).map(({ address }) => address);
    expect(asked('create').slice(0, 2)).toEqual(['a', 'b']);
    expect(asked('delete')).toEqual(['b', 'a']);
  }, 60_000);

  it('keeps what a rollback can not delete and what that needs, and says so; the rest goes', async () => {
    const cloud = await cloudOf();
    const house = houseOn(cloud);
    const guarded = await playbook((text) =>
      text.replace('name: gateway-address,', 'name: gateway-address, deletion_protection: true,'),
    );
    cloud.fake.addFaults({ match: 'compute instance create', action: { kind: 'fail', failure: 'unknown_flag' } });
    const report = await house.applied(guarded);
    expect(outcomesOf(report)).toEqual({ ...all('rolled_back'), address: 'changed', instance: 'failed' });
    const address = report.steps.find((step) => step.address === 'address');
    expect(address?.diagnostics.at(-1)).toMatchObject({
      code: 'CONFLICT',
      detail: expect.stringContaining('not undone'),
    });
    expect(report.diagnostics.find(({ code }) => code === 'ROLLBACK_INCOMPLETE')).toMatchObject({
      detail: expect.stringContaining('Kept: address.'),
      hint: expect.stringContaining('infra destroy'),
    });
    expect((await house.log.read('cloud')).model.owned.size).toBe(1);
  }, 60_000);

  it('believes no list in a rollback: what the log has an id of is read by that', async () => {
    const cloud = await cloudOf();
    const house = houseOn(cloud);
    const steps = await playbook((text) => text.slice(0, text.indexOf('  - step: firewall')));
    cloud.fake.addFaults({
      match: 'vpc network list',
      nth: 4,
      times: 99,
      action: { kind: 'exit', code: 0, stdout: '[]' },
    });
    cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'fail', failure: 'unknown_flag' } });
    expect(outcomesOf(await house.applied(steps))).toEqual({ network: 'rolled_back', subnet: 'failed' });
    expect(Object.keys(cloud.fake.state().resources.network)).toEqual([]);
  }, 60_000);

  it('goes on after a lost answer, when recovery finds what the nonce made', async () => {
    const cloud = await cloudOf();
    const house = houseOn(cloud);
    cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'after' } });
    await house.applied(await playbook());
    cloud.fake.clearFaults();
    expect(outcomesOf(await house.applied(await playbook()))).toMatchObject({ instance: 'changed' });
    expect(mutations(cloud).filter((words) => words === 'vpc subnet create')).toHaveLength(1);
  }, 60_000);

  it('never makes again what was lost and is not to be seen', async () => {
    const cloud = await cloudOf();
    const house = houseOn(cloud);
    cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'before' } });
    await house.applied(await playbook());
    cloud.fake.clearFaults();
    const again = await house.plan(await playbook());
    expect(changesOf(again)).toMatchObject({ subnet: 'blocked', instance: 'blocked' });
    expect(mutations(cloud).filter((words) => words === 'vpc subnet create')).toHaveLength(1);
  }, 60_000);

  it('is planned offline, with commands that hold no profile', async () => {
    const cloud = await cloudOf();
    const { plan } = await houseOn(cloud).plan(await playbook(), { options: { offline: true } });
    expect(plan.steps.map(({ change }) => change)).toEqual(ADDRESSES.map(() => 'unknown'));
    expect(plan.steps.every(({ would_call }) => would_call.length === 1)).toBe(true);
    expect(cloud.fake.commands()).toEqual([]);
  });
});
