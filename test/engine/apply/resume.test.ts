import { expect, test } from 'vitest';
import { hasChanges } from '../../../src/core/plan.ts';
import { at, boxFact, digestOf, House, outcomesOf, refusalOf } from '../../support/in-memory/house.ts';
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
  textWith,
} from '../../support/in-memory/playbooks.ts';

const TREE = playbookOf([
  box('top', { title: 'T' }),
  box('mid', { parent: ref('top', 'resource.id') }),
  shelf('s', { parent: ref('mid', 'resource.id') }),
  grant('g', { box: 'top' }),
  box('same'),
  dropBox('old'),
  readBox('look', 'top', { dependsOn: ['top'] }),
  box('leaf', { title: ref('look', 'resource.title') }),
]);

function site(): House {
  const house = new House();
  house.cloud.addBox('same');
  house.cloud.addBox('old');
  return house;
}

/** Applies with one write at a time and interrupts before the write of `urn`. */
async function upTo(house: House, urn: string, playbook = TREE): Promise<string> {
  const confirm = digestOf(await house.plan(playbook));
  const stop = new AbortController();
  const gate = house.cloud.hold(urn);
  const running = house.applied(playbook, { confirm, settings: { parallelism: 1, stop: stop.signal } });
  await gate.reached;
  stop.abort();
  gate.open();
  await running;
  return confirm;
}

test('what was interrupted goes on under the same digest, wherever that was', async () => {
  for (const urn of [boxUrn('top'), boxUrn('old'), grantUrn('top'), boxUrn('mid'), boxUrn('leaf')]) {
    const house = site();
    const confirm = await upTo(house, urn);
    const report = await house.applied(TREE, { confirm });
    expect(report.summary).toMatchObject({ failed: 0, blocked: 0, refused: 0, skipped: 0 });
    expect(house.cloud.written).toHaveLength(new Set(house.cloud.written).size);
    expect(house.log.facts.every((fact) => fact.digest === confirm)).toBe(true);
    expect(hasChanges((await house.plan(TREE)).plan)).toBe(false);
  }
});

test('a digest that is done may be confirmed again: nothing is sent, nothing is written', async () => {
  const house = site();
  const confirm = digestOf(await house.plan(TREE));
  await house.applied(TREE, { confirm });
  const [rows, writes] = [house.log.rows.length, house.cloud.writes.length];
  const report = await house.applied(TREE, { confirm });
  expect(outcomesOf(report)).toEqual({
    top: 'noop',
    mid: 'noop',
    s: 'noop',
    g: 'noop',
    same: 'noop',
    drop_old: 'absent',
    look: 'read',
    leaf: 'noop',
  });
  expect(house.log.rows).toHaveLength(rows);
  expect(house.cloud.writes).toHaveLength(writes);
});

test('whatever of a result a step waits for, it may go on with it', async () => {
  const playbook = playbookOf([
    box('top', { title: 'T' }),
    box('a', { title: ref('top', 'resource.title') }, { dependsOn: ['top'] }),
    box('b', { title: ref('top', 'urn') }),
    box('c', { title: textWith('<', { address: 'top', path: 'resource.etag' }, '>') }),
    box('d', { labels: { of: ref('top', 'resource.name') } }),
  ]);
  const house = new House();
  const confirm = await upTo(house, boxUrn('top'), playbook);
  expect(outcomesOf(await house.applied(playbook, { confirm }))).toEqual({
    top: 'noop',
    a: 'changed',
    b: 'changed',
    c: 'changed',
    d: 'changed',
  });
});

test('something else that moved meanwhile is refused and named; what is done stays done', async () => {
  const house = site();
  const confirm = await upTo(house, boxUrn('top'));
  house.cloud.changeBox('same', { parent: 'organizations/2' });
  const refusal = refusalOf(await house.apply(TREE, { confirm }));
  expect(new Set(refusal.differences.map((difference) => difference.address))).toEqual(new Set(['same']));
  expect(house.cloud.written).toEqual([boxUrn('old'), boxUrn('top')]);
});

test('a step that was done and then changed by someone else is refused', async () => {
  const house = site();
  const confirm = await upTo(house, boxUrn('top'));
  house.cloud.changeBox('top', { title: 'theirs' });
  const refusal = refusalOf(await house.apply(TREE, { confirm }));
  expect(refusal.differences).toContainEqual(expect.objectContaining({ address: 'top', field: 'change' }));
});

test('something to come that someone else made meanwhile is refused', async () => {
  const house = site();
  const confirm = await upTo(house, boxUrn('top'));
  house.cloud.addBox('mid', { parent: house.cloud.boxes.get('top')?.id ?? '' });
  refusalOf(await house.apply(TREE, { confirm }));
});

test('an edited playbook is refused', async () => {
  const house = site();
  const confirm = await upTo(house, boxUrn('top'));
  refusalOf(await house.apply(playbookOf([box('top', { title: 'T' }), box('more')]), { confirm }));
});

test('without the reviewed plan there is nothing to compare with, so it is refused', async () => {
  const house = site();
  const confirm = await upTo(house, boxUrn('top'));
  refusalOf(await house.apply(TREE, { confirm, reviewed: null }));
});

test('a failure that was mended goes on under the same digest', async () => {
  const house = site();
  const confirm = digestOf(await house.plan(TREE));
  house.cloud.mishap(boxUrn('mid'), { kind: 'stale' });
  const first = await house.applied(TREE, { confirm });
  expect(at(first, 's').outcome).toBe('blocked');
  const second = await house.applied(TREE, { confirm });
  expect(second.summary).toMatchObject({ changed: 2, blocked: 0 });
});

test('an adoption half done goes on', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'live' });
  const playbook = playbookOf([
    box('a', { title: 'x' }, { reconcile: 'adopt' }),
    box('b', {}, { dependsOn: ['a'] }),
    box('c', {}, { dependsOn: ['b'] }),
  ]);
  const confirm = await upTo(house, boxUrn('b'), playbook);
  expect(outcomesOf(await house.applied(playbook, { confirm }))).toEqual({ a: 'noop', b: 'noop', c: 'changed' });
});

test('records half done go on', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const playbook = playbookOf([
    box('a', {}, { protect: true }),
    box('b', {}, { dependsOn: ['a'] }),
    box('c', {}, { dependsOn: ['b'] }),
  ]);
  const confirm = await upTo(house, boxUrn('b'), playbook);
  expect(outcomesOf(await house.applied(playbook, { confirm }))).toEqual({ a: 'noop', b: 'noop', c: 'changed' });
});

test('deciding whether a wide and deep plan may go on takes no time', async () => {
  const names = (layer: number) => Array.from({ length: 6 }, (_, index) => `l${layer}_${index}`);
  const layers = Array.from({ length: 14 }, (_, layer) =>
    names(layer).map((name) => box(name, {}, layer === 0 ? {} : { dependsOn: names(layer - 1) })),
  );
  const playbook = playbookOf([...layers.flat(), box('done')]);
  const house = new House();
  const confirm = digestOf(await house.plan(playbook));
  const made = house.cloud.addBox('done');
  const last = house.cloud.addBox('l13_0');
  house.log.remember(
    boxFact('done', { resource_id: made.id, digest: confirm, step: 'done' }),
    boxFact('l13_0', { resource_id: last.id }),
  );
  const refusal = refusalOf(await house.apply(playbook, { confirm }));
  expect(refusal.differences.map((difference) => difference.address)).toContain('l13_0');
}, 5_000);
