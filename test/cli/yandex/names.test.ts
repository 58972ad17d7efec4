import { expect, it } from 'vitest';
import { expectExit, stepAt } from '../../support/e2e/cloud.ts';
import { openYcCloudInside, outcomes, type YcCloud } from '../../support/e2e/yandex.ts';

/** A network as a step; `tool`: what else its tool says. */
function network(step: string, name: string, tool = ''): string {
  return `  - step: ${step}
    tool: { kind: provider, action: yandex.vpc.network.ensure, input: { name: ${name} }${tool} }
`;
}

function deletion(step: string, logicalId: string): string {
  return `  - step: ${step}
    tool: { kind: provider, action: yandex.vpc.network.delete, logical_id: ${logicalId} }
`;
}

function declare(cloud: YcCloud, ...steps: readonly string[]): void {
  cloud.gateway((text) => `${text.slice(0, text.indexOf('workflow:'))}workflow:\n${steps.join('')}`);
}

async function made(...steps: readonly string[]): Promise<YcCloud> {
  const cloud = await openYcCloudInside();
  declare(cloud, ...steps);
  expectExit(await cloud.converge(), 0);
  cloud.fake.clearCommands();
  return cloud;
}

const foreign = (cloud: YcCloud, name: string) =>
  cloud.yc('vpc', 'network', 'create', '--name', name, '--labels', 'managed-by=terraform');

const namesOf = (cloud: YcCloud) =>
  Object.values(cloud.fake.state().resources.network)
    .map(({ name }) => name)
    .sort();

it.each([
  ['of someone else', (cloud: YcCloud) => foreign(cloud, 'taken'), 'whose labels say that someone else manages it'],
  [
    'without labels',
    (cloud: YcCloud) => cloud.yc('vpc', 'network', 'create', '--name', 'taken'),
    'The name taken belongs to',
  ],
])('a rename to the name of a network %s is blocked in the plan by what has the name', async (_whose, take, words) => {
  const cloud = await made(network('main', 'net-a'));
  await take(cloud);
  const [holder] = Object.values(cloud.fake.state().resources.network).filter(({ name }) => name === 'taken');
  declare(cloud, network('main', 'taken'));
  const { plan } = await cloud.plan();
  const step = stepAt(plan, 'main');
  expect(step).toMatchObject({ change: 'blocked', would_call: [] });
  expect(step.diagnostics).toEqual([
    expect.objectContaining({ code: 'CONFLICT', detail: expect.stringContaining(words) }),
  ]);
  expect(step.diagnostics[0]?.detail).toContain(`The name taken belongs to ${holder?.id}`);
  cloud.fake.clearCommands();
  expectExit(await cloud.apply(plan.digest), 5);
  expect(cloud.writes).toEqual([]);
});

it('so is one of what is named by its id', async () => {
  const cloud = await openYcCloudInside();
  const other = (await cloud.yc('vpc', 'network', 'create', '--name', 'legacy')) as { id: string };
  await foreign(cloud, 'taken');
  declare(cloud, network('main', 'taken', `, resource_id: ${other.id}`));
  expect(stepAt((await cloud.plan()).plan, 'main')).toMatchObject({
    change: 'blocked',
    diagnostics: [{ code: 'CONFLICT' }],
  });
});

it('a name that another step gives up by its own rename is taken after that, once', async () => {
  const cloud = await made(network('a', 'net-a'), network('b', 'net-b'), network('c', 'net-c'));
  declare(cloud, network('a', 'net-b'), network('b', 'net-c'), network('c', 'net-d'), network('d', 'net-a'));
  const { plan } = await cloud.plan();
  expect(plan.steps.map(({ address, change, depends_on: needs }) => [address, change, needs])).toEqual([
    ['c', 'update', []],
    ['b', 'update', ['c']],
    ['a', 'update', ['b']],
    ['d', 'create', ['a']],
  ]);
  cloud.fake.addFaults({ match: 'vpc network update', nth: 3, action: { kind: 'exit', when: 'before' } });
  cloud.fake.clearCommands();
  expect(outcomes(await cloud.apply(plan.digest))).toEqual({
    c: 'changed',
    b: 'changed',
    a: 'uncertain',
    d: 'blocked',
  });
  cloud.fake.clearFaults();
  expectExit(await cloud.apply(plan.digest), 0);
  expect(namesOf(cloud)).toEqual(['net-a', 'net-b', 'net-c', 'net-d']);
  expect((await cloud.plan()).plan.summary).toMatchObject({ none: 4 });
}, 60_000);

it('a name that a deletion of the same plan frees is taken after that', async () => {
  const cloud = await made(network('old', 'net-a'));
  declare(cloud, network('new', 'net-a'), deletion('drop', 'old'));
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'new')).toMatchObject({ change: 'create', depends_on: ['drop'] });
  expectExit(await cloud.apply(plan.digest), 0);
  expect(cloud.writes).toEqual(['vpc network delete', 'vpc network create']);
}, 60_000);

it('where what frees the name fails or is held, nothing takes it', async () => {
  const cloud = await made(network('a', 'net-a'), network('b', 'net-b'));
  declare(cloud, network('a', 'net-b'), network('b', 'net-c'));
  const { plan } = await cloud.plan();
  cloud.fake.addFaults({ match: 'vpc network update', nth: 1, action: { kind: 'exit', when: 'before' } });
  const ended = await cloud.apply(plan.digest);
  expectExit(ended, 7);
  expect(outcomes(ended)).toEqual({ b: 'uncertain', a: 'blocked' });
  cloud.fake.clearFaults();
  declare(cloud, network('a', 'net-b'), network('b', 'net-c', ', dry_run: true'));
  expect(stepAt((await cloud.plan()).plan, 'a')).toMatchObject({
    change: 'blocked',
    diagnostics: [{ code: 'CONFLICT' }],
  });
}, 60_000);

it('two that want to change names are told that neither can', async () => {
  const cloud = await made(network('a', 'net-a'), network('b', 'net-b'));
  declare(cloud, network('a', 'net-b'), network('b', 'net-a'));
  const { plan } = await cloud.plan();
  for (const address of ['a', 'b'])
    expect(stepAt(plan, address)).toMatchObject({
      change: 'blocked',
      diagnostics: [{ code: 'CONFLICT', detail: expect.stringContaining('of this stack') }],
    });
}, 60_000);

it('what has the name of an owned network that is gone is taken for it, as found: a destruction leaves it', async () => {
  const cloud = await made(network('main', 'net-a'));
  cloud.fake.change(({ resources }) => {
    for (const id of Object.keys(resources.network)) delete resources.network[id];
  });
  await cloud.yc('vpc', 'network', 'create', '--name', 'net-a');
  const seen = JSON.parse((await cloud.run(['drift', 'playbook.yaml', '--format', 'json'])).stdout);
  expect(seen.resources).toMatchObject([{ drift: 'missing' }]);
  const early = JSON.parse((await cloud.run(['destroy', 'playbook.yaml', '--format', 'json'])).stdout);
  expect(early.steps).toMatchObject([{ change: 'none', present: false, record: 'tombstone' }]);
  expectExit(await cloud.converge(), 0);
  const late = JSON.parse((await cloud.run(['destroy', 'playbook.yaml', '--format', 'json'])).stdout);
  expect(late.steps).toMatchObject([{ change: 'delete', held: 'found as declared, not made by this stack' }]);
}, 60_000);

it('an owned network that is gone is missing, whoever has its name', async () => {
  const cloud = await made(network('main', 'net-a'));
  cloud.fake.change(({ resources }) => {
    for (const id of Object.keys(resources.network)) delete resources.network[id];
  });
  await foreign(cloud, 'net-a');
  const seen = JSON.parse((await cloud.run(['drift', 'playbook.yaml', '--format', 'json'])).stdout);
  expect(seen.resources).toMatchObject([{ drift: 'missing' }]);
}, 60_000);
