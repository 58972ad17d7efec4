import { describe, expect, test } from 'vitest';
import type { Playbook } from '../../../src/core/step.ts';
import { at, boxFact, digestOf, House, type RunOptions } from '../../support/in-memory/house.ts';
import {
  AUTH,
  box,
  dropBox,
  grant,
  ORG_GUARD,
  playbookOf,
  readBox,
  ref,
  type StepMaker,
  type StepOverrides,
} from '../../support/in-memory/playbooks.ts';

interface Variation {
  readonly input?: Parameters<typeof box>[1];
  readonly overrides?: StepOverrides;
  readonly path?: string;
  readonly run?: RunOptions;
  readonly more?: readonly StepMaker[];
  readonly world?: (house: House) => void;
}

function playbook({ input, overrides, path, more }: Variation): Playbook {
  const steps = [
    box('top', {}, { stack: 's' }),
    box(
      'alpha',
      { title: 'T', labels: { a: '1', b: '2' }, ...input },
      { stack: 's', dependsOn: ['top'], ...overrides },
    ),
    box('child', { parent: ref('top', 'resource.id') }, { stack: 's' }),
    box('same', {}, { stack: 's' }),
    dropBox('old', { stack: 's' }),
    grant('g', { box: 'top' }, { stack: 's' }),
    readBox('look', 'same'),
    box('off', { title: 'T' }, { stack: 's', dryRun: true }),
    ...(more ?? []),
  ];
  return playbookOf(steps, path);
}

async function digest(variation: Variation = {}): Promise<string> {
  const house = new House();
  house.cloud.addBox('alpha', { title: 'was', labels: { a: '1' } });
  house.cloud.addBox('same');
  house.cloud.addBox('old');
  variation.world?.(house);
  return digestOf(await house.plan(playbook(variation), variation.run));
}

describe('the digest is the same', () => {
  const same: Readonly<Record<string, Variation>> = {
    'under another order of keys': { input: { labels: { b: '2', a: '1' } } },
    'in another folder': { path: '/elsewhere/org.yaml' },
    'under another parallelism and actor': {
      run: { settings: { parallelism: 1, actor: { user: 'else', host: 'where' }, failFast: true, timeoutMs: 60_000 } },
    },
    'for apply as for plan': { run: { verb: 'apply' } },
    'with another description': { overrides: { desc: 'words' } },
    'with another poll and timeout': {
      overrides: { poll: { maxAttempts: 1, intervalMs: 1, maxWaitSecs: 1 }, timeoutMs: 5 },
    },
    'with another credential': { overrides: { auth: { ...AUTH, credential: 'else' } } },
    'when a stranger adds a label': {
      world: ({ cloud }) => cloud.changeBox('alpha', { labels: { a: '1', theirs: 'x' } }),
    },
    'when a stranger makes other resources': {
      world: ({ cloud }) => {
        cloud.addBox('stranger');
        cloud.grants.add('mem:store:grant:same/writer/user:x');
      },
    },
    'when the log knows of other resources': { world: ({ log }) => log.remember(boxFact('stranger')) },
    'when a read answers something else that nobody takes': {
      world: ({ cloud }) => cloud.changeBox('same', { title: 'x' }),
    },
    'when a held step would change something else': { world: ({ cloud }) => void cloud.addBox('off', { title: 'x' }) },
  };
  for (const [situation, variation] of Object.entries(same))
    test(situation, async () => {
      expect(await digest(variation)).toBe(await digest());
    });

  test('at another time', async () => {
    const house = new House();
    const first = digestOf(await house.plan(playbook({})));
    house.clock.advance(3_600_000);
    expect(digestOf(await house.plan(playbook({})))).toBe(first);
  });
});

describe('the digest changes', () => {
  const other: Readonly<Record<string, Variation>> = {
    'with an input': { input: { title: 'U' } },
    'with a label of ours': { input: { labels: { a: '1', b: '3' } } },
    'with the stack of a step': { overrides: { stack: 't' } },
    'with protection': { overrides: { protect: true } },
    'with an order between steps': { overrides: { dependsOn: ['top', 'same'] } },
    'with a guard': { overrides: { guard: ORG_GUARD } },
    'with reconcile': { overrides: { reconcile: 'report' } },
    'with dry_run': { overrides: { dryRun: true } },
    'with the flag that allows a lockout': { run: { options: { allowSelfLockout: true } } },
    'with a stack to take over': { run: { options: { takeOver: 'x' } } },
    'with found things included': { run: { options: { includeFound: true } } },
    'with the target': { run: { options: { emulator: true } } },
    'with the verb': { run: { verb: 'destroy' } },
    'with a selection': { run: { options: { excludes: ['same'] } } },
    'with one more step': { more: [box('more')] },
    'with a live managed field of what changes': { world: ({ cloud }) => cloud.changeBox('alpha', { title: 'moved' }) },
    'with a live managed label': { world: ({ cloud }) => cloud.changeBox('alpha', { labels: { a: '2' } }) },
    'with a managed field of what needs no change': {
      world: ({ cloud }) => cloud.changeBox('same', { parent: 'organizations/2' }),
    },
    'with anything about what is to be deleted': { world: ({ cloud }) => cloud.changeBox('old', { title: 'in use' }) },
    'with the id behind a name': {
      world: ({ cloud }) => void cloud.addBox('alpha', { title: 'was', labels: { a: '1' }, id: 'folders/9' }),
    },
    'with what the log will learn': {
      world: ({ cloud, log }) =>
        log.remember(boxFact('same', { stack: 's', resource_id: cloud.boxes.get('same')?.id ?? '' })),
    },
    'with what is there already': { world: ({ cloud }) => void cloud.addBox('top') },
  };
  for (const [situation, variation] of Object.entries(other))
    test(situation, async () => {
      expect(await digest(variation)).not.toBe(await digest());
    });

  test('with a secret, which itself does not stand in what is digested', async () => {
    const house = new House();
    const one = await house.plan(playbookOf([box('alpha', { secret: 'hunter2' })]));
    const two = await house.plan(playbookOf([box('alpha', { secret: 'hunter3' })]));
    expect(one.plan.digest).not.toBe(two.plan.digest);
    expect(JSON.stringify(one.digestInput)).not.toContain('hunter2');
  });
});

test('the digest of a delete step knows neither address nor dry_run nor auth', async () => {
  const digests = await Promise.all(
    [
      dropBox('old'),
      dropBox('old', { dryRun: true }),
      dropBox('old', { address: 'confirming', confirm: 'x', auth: { ...AUTH, credential: 'c' } }),
    ].map(async (step) => {
      const house = new House();
      house.cloud.addBox('old');
      return (await house.plan(playbookOf([step]))).plan.steps[0]?.plan_digest;
    }),
  );
  expect(new Set(digests).size).toBe(1);
});

test('the digest of a delete step changes with anything live', async () => {
  const house = new House();
  house.cloud.addBox('old');
  const before = at((await house.plan(playbookOf([dropBox('old')]))).plan, 'drop_old').plan_digest;
  house.cloud.changeBox('old', { title: 'in use' });
  expect(at((await house.plan(playbookOf([dropBox('old')]))).plan, 'drop_old').plan_digest).not.toBe(before);
});

test('steps enter dependencies first, ties by address, whatever order they are written in', async () => {
  const house = new House();
  const steps = [box('z', {}, { dependsOn: ['m'] }), box('b'), box('m'), box('a', {}, { dependsOn: ['z'] })];
  const one = await house.plan(playbookOf(steps));
  const two = await house.plan(playbookOf([...steps].reverse()));
  expect(one.digestInput.steps.map((entry) => entry.address)).toEqual(['b', 'm', 'z', 'a']);
  expect(two.plan.digest).toBe(one.plan.digest);
});

test('steps that are left out enter by address too, whatever order they are written in', async () => {
  const house = new House();
  const steps = [box('z'), box('b'), box('m'), box('a')];
  const options = { targets: ['m'] };
  const one = await house.plan(playbookOf(steps), { options });
  const two = await house.plan(playbookOf([...steps].reverse()), { options });
  expect(two.plan.digest).toBe(one.plan.digest);
});
