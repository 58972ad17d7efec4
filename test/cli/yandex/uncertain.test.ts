import { describe, expect, it } from 'vitest';
import type { FakeYcFaultAction } from '../../../src/emulator/yc/options.ts';
import { codesOf, expectExit, stepAt } from '../../support/e2e/cloud.ts';
import {
  copyOf,
  everywhere,
  FOLDER,
  ONE_EACH,
  OTHER_FOLDER,
  openYcCloudInside,
  outcomes,
  urnOf,
  type YcCloud,
} from '../../support/e2e/yandex.ts';

/** Each create, and what can be there before it because it does not depend on it. */
const CREATES = [
  {
    address: 'network',
    before: ['address', 'boot_disk'],
    match: 'vpc network create',
    urn: urnOf('vpc', 'network', 'network'),
  },
  {
    address: 'subnet',
    before: ['firewall', 'address', 'boot_disk'],
    match: 'vpc subnet create',
    urn: urnOf('vpc', 'subnet', 'subnet'),
  },
  {
    address: 'firewall',
    before: ['subnet', 'address', 'boot_disk'],
    match: 'vpc security-group create',
    urn: urnOf('vpc', 'security_group', 'firewall'),
  },
  {
    address: 'address',
    before: ['subnet', 'firewall', 'boot_disk'],
    match: 'vpc address create',
    urn: urnOf('vpc', 'address', 'address'),
  },
  {
    address: 'boot_disk',
    before: ['subnet', 'firewall', 'address'],
    match: 'compute disk create',
    urn: urnOf('compute', 'disk', 'boot-disk'),
  },
  {
    address: 'instance',
    before: ['subnet', 'firewall', 'address', 'boot_disk'],
    match: 'compute instance create',
    urn: urnOf('compute', 'instance', 'instance'),
  },
];

/** It was made, and the answer doesn't say so. */
const MADE: Readonly<Record<string, FakeYcFaultAction>> = {
  'the answer is lost': { kind: 'exit', when: 'after', code: 1 },
  'garbage with exit 0': { kind: 'reshape', as: 'garbage' },
  'another folder in the answer': { kind: 'patch', set: { folder_id: OTHER_FOLDER } },
  'another label in the answer': { kind: 'patch', set: { labels: { 'infra-operation': 'f'.repeat(32) } } },
};

/** It was never made, and nothing says so. */
const NOT_MADE: Readonly<Record<string, FakeYcFaultAction>> = {
  'an unknown text with exit 1': { kind: 'fail', failure: 'unknown_error' },
  'killed at the deadline': { kind: 'hang', ignoreSigterm: false },
};

type Create = (typeof CREATES)[number];
type Ready = { readonly cloud: YcCloud; readonly digest: string | null };

const QUICK = (text: string) => text.replace('command_timeout: 60', 'command_timeout: 60, mutation_timeout: 1');
/** The machine needs everything, and takes most of the commands: only its own create is tried with it. */
const playbookFor = (create: Create) => (text: string) =>
  create.address === 'instance' ? text : text.slice(0, text.indexOf('  - step: instance'));
const countsFor = (create: Create) => ({ ...ONE_EACH, instance: create.address === 'instance' ? 1 : 0 });
const ready = new Map<Create, Promise<Ready>>();

/** A cloud with everything that does not depend on a create, and the digest of a plan of the rest. */
async function readyFor(create: Create): Promise<Ready> {
  const cloud = await openYcCloudInside();
  cloud.gateway(playbookFor(create));
  const targets = create.before.flatMap((address) => ['--target', address]);
  const { plan } = await cloud.plan(...targets);
  expectExit(await cloud.apply(plan.digest, ...targets), 0);
  return { cloud, digest: (await cloud.plan()).plan.digest };
}

/** Applies the gateway with one create that ends so, and expects that nobody knows what became of it. */
async function cut(create: Create, action: FakeYcFaultAction) {
  const first = ready.get(create) ?? readyFor(create);
  ready.set(create, first);
  const { cloud: before, digest: planned } = await first;
  const cloud = copyOf(before);
  if (action.kind === 'hang') cloud.gateway((text) => QUICK(playbookFor(create)(text)));
  const digest = action.kind === 'hang' ? (await cloud.plan()).plan.digest : planned;
  cloud.fake.addFaults({ match: create.match, action });
  const applied = await cloud.apply(digest);
  expectExit(applied, 7);
  expect(stepAt(applied.report, create.address)).toMatchObject({ outcome: 'uncertain' });
  expect(codesOf(stepAt(applied.report, create.address).diagnostics)).toContain('OUTCOME_UNKNOWN');
  expect(sent(cloud, create)).toBe(1);
  cloud.fake.clearFaults();
  return { cloud, digest };
}

function sent(cloud: YcCloud, { match }: Create): number {
  return cloud.writes.filter((words) => words === match).length;
}

// Most of a case is waiting for one process after the other, and each has a cloud of its own.
describe.each(CREATES)('$address', { concurrent: true }, (create) => {
  it.each(Object.entries(MADE))(
    '%s: found by its nonce, recorded, and not made twice',
    async (_what, action) => {
      const { cloud, digest } = await cut(create, action);
      const { code, document } = await cloud.recover();
      expect(code).toBe(0);
      expect(document.unresolved).toEqual([]);
      expect(document.resolved).toMatchObject([
        { urn: create.urn, address: create.address, verdict: 'found', hint: expect.stringContaining('It is kept') },
      ]);
      const rest = await cloud.apply(digest);
      expectExit(rest, 0);
      expect(cloud.counts).toEqual(countsFor(create));
      expect(sent(cloud, create)).toBe(1);
    },
    60_000,
  );

  it.each(Object.entries(NOT_MADE))(
    '%s: uncertain until it is abandoned, then made once',
    async (_what, action) => {
      const { cloud, digest } = await cut(create, action);
      const looked = await cloud.recover();
      expect(looked.code).toBe(7);
      expect(looked.document.resolved).toEqual([]);
      expect(looked.document.unresolved).toMatchObject([{ urn: create.urn, verdict: 'not_found', resource_id: null }]);
      const hint = looked.document.unresolved[0]?.hint ?? '';
      expect(hint).toContain(`yc ${create.match.replace(' create', ' list')} --folder-id b1gexamplefolder0001`);
      expect(hint).toContain(looked.document.unresolved[0]?.operation_id);
      const blocked = await cloud.run(['apply', 'playbook.yaml', '--confirm', digest ?? '']);
      expectExit(blocked, 7);
      const anew = await cloud.converge();
      expectExit(anew, 7);
      expect(stepAt(anew.report, create.address)).toMatchObject({ outcome: 'blocked' });
      expect(codesOf(stepAt(anew.report, create.address).diagnostics)).toContain('OUTCOME_UNKNOWN');
      expect(sent(cloud, create)).toBe(1);

      const abandoned = await cloud.recover('--abandon', create.urn, '--actor', 'someone');
      expect(abandoned.code).toBe(0);
      expect(abandoned.document.abandoned).toMatchObject([{ urn: create.urn, verdict: 'not_found', hint: null }]);
      expect(cloud.rows.at(-1)).toMatchObject({
        type: 'provider.outcome',
        status: 'abandoned',
        actor: { user: 'someone' },
      });
      // With the time again that a create that does not hang may take.
      if (action.kind === 'hang') cloud.gateway(playbookFor(create));
      const rest = await cloud.converge();
      expectExit(rest, 0);
      expect(cloud.counts).toEqual(countsFor(create));
      expect(sent(cloud, create)).toBe(2);
    },
    60_000,
  );
});

it('blocks what depends on it, and nothing else; applying goes on by itself where reading settles it', async () => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'after' } });
  const applied = await cloud.converge();
  expect(outcomes(applied)).toEqual({ ...everywhere('changed'), subnet: 'uncertain', instance: 'blocked' });
  cloud.fake.clearFaults();
  expectExit(await cloud.apply(applied.report.digest), 0);
  expect(cloud.counts).toEqual(ONE_EACH);
}, 60_000);

it('names the operation that an answer named: in the log, in the report and in what recover says', async () => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'vpc network create', action: { kind: 'fail', failure: 'operation_failed' } });
  const applied = await cloud.converge();
  expectExit(applied, 7);
  cloud.fake.clearFaults();
  const outcome = cloud.rows.find(({ status }) => status === 'uncertain');
  const operation = String(outcome?.['operation_name']);
  expect(operation).toMatch(/^[a-z0-9]{20}$/);
  expect(outcome).toMatchObject({ status: 'uncertain', code: 'OUTCOME_UNKNOWN' });
  expect(stepAt(applied.report, 'network')).toMatchObject({ outcome: 'uncertain', operation });
  const { code, document } = await cloud.recover();
  expect(code).toBe(7);
  const [left] = document.unresolved;
  const list = `yc vpc network list --folder-id ${FOLDER} --format json (by the labels infra-resource: network, infra-operation: ${left?.operation_id})`;
  expect(left?.hint).toContain(`${list}; yc operation get ${operation}`);
  expect(await cloud.yc('operation', 'get', operation)).toMatchObject({ id: operation, done: true });
  const human = await cloud.run(['recover']);
  expectExit(human, 7);
  expect(human.stdout.replace(/\s+/g, ' ')).toContain(`yc operation get ${operation}.`);
}, 60_000);

it('abandons nothing that is not open, and says so before anything is looked at', async () => {
  const cloud = await openYcCloudInside();
  const refused = await cloud.fail(['recover', '--abandon', urnOf('vpc', 'network', 'network')]);
  expectExit(refused, 3);
  expect(codesOf(refused.failure.diagnostics)).toEqual(['USAGE']);
  expect(cloud.commands).toEqual([]);
});

it('is unreadable without a credential, which settles nothing', async () => {
  const { cloud } = await cut(CREATES[0] as Create, { kind: 'exit', when: 'after' });
  cloud.writeText('.config/infra/config.yaml', 'credentials: {}\n');
  const { code, document } = await cloud.recover();
  expect(code).toBe(7);
  expect(document.unresolved).toMatchObject([{ verdict: 'unreadable' }]);
  const human = await cloud.run(['recover', 'playbook.yaml']);
  expectExit(human, 0);
  expect(human.stdout).toContain('1 settled.');
}, 60_000);
