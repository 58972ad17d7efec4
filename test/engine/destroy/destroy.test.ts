import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import {
  at,
  boxFact,
  changesOf,
  codesOf,
  digestOf,
  House,
  outcomesOf,
  refusalOf,
  thrownBy,
} from '../../support/in-memory/house.ts';
import { MortalProcess } from '../../support/in-memory/mortal.ts';
import {
  box,
  boxUrn,
  dropBox,
  grant,
  grantUrn,
  playbookOf,
  readBox,
  ref,
  shelf,
} from '../../support/in-memory/playbooks.ts';

const DESTROY = { verb: 'destroy' } as const;

const SITE = playbookOf([
  box('top'),
  box('mid', {}, { dependsOn: ['top'] }),
  grant('g', { box: 'mid' }),
  box('last', {}, { dependsOn: ['mid'] }),
]);

test('what the stack made goes, dependants first, and nothing stays owned', async () => {
  const house = new House();
  await house.applied(SITE);
  house.cloud.forgetCalls();
  const report = await house.applied(SITE, DESTROY);
  expect(report.command).toBe('destroy');
  expect(outcomesOf(report)).toEqual({ top: 'deleted', mid: 'deleted', g: 'absent', last: 'deleted' });
  expect(house.cloud.written).toEqual([boxUrn('last'), boxUrn('mid'), boxUrn('top')]);
  expect((await house.log.read('cloud')).model.owned.size).toBe(0);
  const again = await house.plan(SITE, DESTROY);
  expect(again.plan.steps.every((step) => step.change === 'none')).toBe(true);
});

test('what was merely found stays, unless it is asked for', async () => {
  const house = new House();
  house.cloud.addBox('found');
  const playbook = playbookOf([box('found'), box('made')]);
  await house.applied(playbook);
  const kept = await house.plan(playbook, DESTROY);
  expect(changesOf(kept)).toEqual({ found: 'held delete', made: 'delete' });
  const all = await house.plan(playbook, { ...DESTROY, options: { includeFound: true } });
  expect(changesOf(all)).toEqual({ found: 'delete', made: 'delete' });
});

test('what is protected stays with what it needs, the rest goes [G3]', async () => {
  const house = new House();
  const playbook = playbookOf([
    box('top'),
    box('kept', { parent: ref('top', 'resource.id') }, { protect: true }),
    box('free', { parent: ref('top', 'resource.id') }),
  ]);
  await house.applied(playbook);
  const report = await house.applied(playbook, DESTROY);
  expect(outcomesOf(report)).toEqual({ top: 'held', kept: 'held', free: 'deleted' });
  expect(at(report, 'top').held).toContain('needed by kept');
  expect([...house.cloud.boxes.keys()].sort()).toEqual(['kept', 'top']);
});

test('what lies in something protected stays with it', async () => {
  const house = new House();
  const playbook = playbookOf([box('top', {}, { protect: true }), grant('g', { box: 'top' })]);
  await house.applied(playbook);
  expect(outcomesOf(await house.applied(playbook, DESTROY))).toEqual({ top: 'held', g: 'held' });
  expect([...house.cloud.grants]).toEqual([grantUrn('top')]);
});

test("what nobody here made, and another stack's, is blocked; it is not ours", async () => {
  const house = new House();
  house.cloud.addBox('stranger');
  house.cloud.addBox('theirs');
  house.log.remember(boxFact('theirs', { stack: 'other' }));
  const result = await house.plan(playbookOf([box('stranger'), box('theirs')]), DESTROY);
  expect(changesOf(result)).toEqual({ stranger: 'blocked', theirs: 'blocked' });
  for (const step of result.plan.steps) expect(codesOf(step.diagnostics)).toEqual(['NOT_OURS']);
});

test('reads, explicit deletes and held steps take no part', async () => {
  const house = new House();
  await house.applied(playbookOf([box('made'), box('dry')]));
  const playbook = playbookOf([box('made'), box('dry', {}, { dryRun: true }), readBox('look', 'made'), dropBox('old')]);
  expect(changesOf(await house.plan(playbook, DESTROY))).toEqual({
    made: 'delete',
    dry: 'skipped',
    look: 'skipped',
    drop_old: 'skipped',
  });
});

test('contents of something whose deletion fails are not given up', async () => {
  const house = new House();
  const playbook = playbookOf([box('top'), grant('g', { box: 'top' })]);
  await house.applied(playbook);
  house.cloud.mishap(boxUrn('top'), { kind: 'fail', why: diagnostic('LIEN', 'a lien.') });
  const report = await house.applied(playbook, DESTROY);
  expect(at(report, 'top').outcome).toBe('failed');
  expect([...house.cloud.grants]).toEqual([grantUrn('top')]);
  const { model } = await house.log.read('cloud');
  expect([...model.owned.keys()].sort()).toEqual([boxUrn('top'), grantUrn('top')].sort());
});

test('a destruction that was interrupted goes on under the same digest', async () => {
  const house = new House();
  await house.applied(SITE);
  const confirm = digestOf(await house.plan(SITE, DESTROY));
  const stop = new AbortController();
  const gate = house.cloud.hold(boxUrn('last'));
  const running = house.applied(SITE, { ...DESTROY, confirm, settings: { stop: stop.signal } });
  await gate.reached;
  stop.abort();
  gate.open();
  await running;
  expect(house.cloud.boxes.size).toBe(2);
  const report = await house.applied(SITE, { ...DESTROY, confirm });
  expect(report.summary).toMatchObject({ failed: 0, blocked: 0, refused: 0 });
  expect(house.cloud.boxes.size).toBe(0);
  expect((await house.log.read('cloud')).model.owned.size).toBe(0);
});

test('what changed since the review is refused', async () => {
  const house = new House();
  await house.applied(SITE);
  const confirm = digestOf(await house.plan(SITE, DESTROY));
  house.cloud.changeBox('top', { title: 'in use' });
  refusalOf(await house.apply(SITE, { ...DESTROY, confirm }));
  expect(house.cloud.boxes.size).toBe(3);
});

test('without auth there is nothing to decide on', async () => {
  const house = new House();
  await house.applied(playbookOf([box('a')]));
  await thrownBy(house.plan(playbookOf([box('a', {}, { auth: null })]), DESTROY), 'AUTH_REQUIRED');
});

test('a resource whose URN hangs on a parent is found through the log', async () => {
  const house = new House();
  const playbook = playbookOf([box('top'), shelf('s', { parent: ref('top', 'resource.name') })]);
  await house.applied(playbook);
  const report = await house.applied(playbook, DESTROY);
  expect(report.summary).toMatchObject({ failed: 0, blocked: 0 });
  expect((await house.log.read('cloud')).model.owned.size).toBe(0);
});

test('cut after the container went and before what lay in it was given up, it goes on', async () => {
  const site = playbookOf([
    box('outer'),
    box('other'),
    box('last', {}, { dependsOn: ['other'] }),
    grant('inner', { box: 'outer' }, { dependsOn: ['other'] }),
  ]);
  for (let nth = 1; nth <= 12; nth += 1) {
    const house = new House();
    await house.applied(site);
    const confirm = digestOf(await house.plan(site, DESTROY));
    const mortal = new MortalProcess({ at: 'append', nth, when: 'after' });
    const ports = house.ports({ log: mortal.log(house.log), pool: mortal.pool(house.pool) });
    await Promise.race([house.apply(site, { ...DESTROY, confirm }, ports), mortal.died]);
    house.log.held.clear();
    const report = await house.applied(site, { ...DESTROY, confirm });
    expect(report.summary, `cut after append ${nth}`).toMatchObject({ failed: 0, blocked: 0, refused: 0, skipped: 0 });
    expect((await house.log.read('cloud')).model.owned.size).toBe(0);
    expect(house.cloud.boxes.size).toBe(0);
  }
});

test('what a fact protects keeps what it lies in, also where no step here stands for it', async () => {
  const house = new House();
  const inner = grant('g', { box: 'top' }, { protect: true });
  await house.applied(playbookOf([box('top'), box('free'), inner]));
  for (const rest of [[], [grant('g', { box: 'top' }, { dryRun: true })]]) {
    const { plan } = await house.plan(playbookOf([box('top'), box('free'), ...rest]), DESTROY);
    expect(at(plan, 'top').held).toBe(`needed by ${grantUrn('top')}, which is protected`);
    expect(at(plan, 'free')).toMatchObject({ change: 'delete', held: null });
  }
});

test('what lies in something protected stays, also where no step here stands for that', async () => {
  const house = new House();
  await house.applied(playbookOf([box('top', {}, { protect: true }), grant('g', { box: 'top' })]));
  for (const playbook of [
    playbookOf([grant('g', { box: 'top' })]),
    playbookOf([box('top', {}, { dryRun: true }), grant('g', { box: 'top' })]),
  ]) {
    const { plan } = await house.plan(playbook, DESTROY);
    expect(at(plan, 'g').held).toBe(`kept with ${boxUrn('top')}, which is protected`);
  }
});

test('what protects itself by a step that was not applied yet stays as well', async () => {
  const house = new House();
  await house.applied(playbookOf([box('a', {}, { protect: false })]));
  const { plan } = await house.plan(playbookOf([box('a', {}, { protect: true })]), DESTROY);
  expect(at(plan, 'a')).toMatchObject({ change: 'delete', held: 'protected' });
});

test('what was given up and is there all the same is looked at, and is not ours', async () => {
  const house = new House();
  await house.applied(playbookOf([box('a'), box('b')]));
  house.log.remember(
    boxFact('a', { verb: 'delete', outcome: 'absent', forgotten: true }),
    boxFact('b', { verb: 'delete', outcome: 'deleted' }),
  );
  house.cloud.boxes.delete('b');
  const { plan } = await house.plan(playbookOf([box('a'), box('b')]), DESTROY);
  expect(at(plan, 'a')).toMatchObject({ change: 'blocked', present: true });
  expect(codesOf(at(plan, 'a').diagnostics)).toEqual(['NOT_OURS']);
  expect(at(plan, 'b')).toMatchObject({ change: 'none', present: false });
});

test('contents of something that can not go are blocked with it', async () => {
  const house = new House();
  const playbook = playbookOf([box('top'), grant('g', { box: 'top' })]);
  await house.applied(playbook);
  house.cloud.hidden.add('top');
  expect(changesOf(await house.plan(playbook, DESTROY))).toEqual({ top: 'blocked', g: 'blocked' });
});

test('a part of a playbook is destroyed by the names that the rest of it gives', async () => {
  const house = new House();
  const playbook = playbookOf([box('top'), shelf('s', { parent: ref('top', 'resource.name') })]);
  const empty = await house.plan(playbook, DESTROY);
  expect(changesOf(empty)).toEqual({ top: 'none', s: 'none' });
  await house.applied(playbook);
  for (const options of [{ targets: ['s'] }, { excludes: ['s'] }]) {
    const { plan } = await house.plan(playbook, { ...DESTROY, options });
    expect(plan.summary).toMatchObject({ blocked: 0 });
  }
  const { plan } = await house.plan(playbook, { ...DESTROY, options: { targets: ['s'] } });
  expect(at(plan, 's')).toMatchObject({ change: 'delete' });
});

test('what is kept for something in it keeps the rest that lies in it, but for what a fact lets go', async () => {
  const house = new House();
  const other = grant('other', { box: 'top', member: 'user:b' });
  const free = grant('free', { box: 'top', member: 'user:c' }, { protect: false });
  const playbook = playbookOf([box('top'), grant('g', { box: 'top' }, { protect: true }), other, free]);
  await house.applied(playbook);
  const { plan } = await house.plan(playbook, DESTROY);
  expect(at(plan, 'top').held).toContain('needed by g');
  expect(at(plan, 'other').held).toBe('kept with top');
  expect(at(plan, 'free')).toMatchObject({ change: 'delete', held: null });
});
