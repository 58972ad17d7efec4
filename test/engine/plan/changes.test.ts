import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { hasChanges } from '../../../src/core/plan.ts';
import { at, boxFact, changesOf, codesOf, House } from '../../support/in-memory/house.ts';
import {
  box,
  boxUrn,
  dropBox,
  grant,
  grantUrn,
  playbookOf,
  readBox,
  shelf,
} from '../../support/in-memory/playbooks.ts';

test('what is not there is to be created, with the request that would make it', async () => {
  const house = new House();
  const result = await house.plan(playbookOf([box('alpha', { title: 'A' })]));
  const step = at(result.plan, 'alpha');
  expect(step).toMatchObject({ change: 'create', present: false, urn: boxUrn('alpha'), record: null, diff: {} });
  expect(step.would_call).toEqual([
    {
      method: 'POST',
      url: 'https://store.example/v1/box/alpha',
      body: { name: 'alpha', parent: 'organizations/1', title: 'A' },
    },
  ]);
  expect(result.plan.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(hasChanges(result.plan)).toBe(true);
});

test('a field that differs is an update of that field alone', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { title: 'old', labels: { a: '1' } });
  const { plan } = await house.plan(playbookOf([box('alpha', { title: 'new', labels: { a: '1' } })]));
  expect(at(plan, 'alpha')).toMatchObject({
    change: 'update',
    present: true,
    diff: { title: { desired: 'new', actual: 'old' } },
    would_call: [{ body: { title: 'new' } }],
  });
});

test('another parent is a move, whatever else differs', async () => {
  const house = new House();
  const parent = house.cloud.addBox('top');
  house.cloud.addBox('alpha', { title: 'old' });
  const { plan } = await house.plan(playbookOf([box('alpha', { parent: parent.id, title: 'new' })]));
  const step = at(plan, 'alpha');
  expect(step.change).toBe('move');
  expect(Object.keys(step.diff).sort()).toEqual(['parent', 'title']);
  expect(step.would_call.map((call) => ('body' in call ? call.body : null))).toEqual([
    { title: 'new' },
    { parent: parent.id },
  ]);
});

test('what is as declared and owned needs nothing at all', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { id: 'folders/7' });
  house.log.remember(boxFact('alpha', { resource_id: 'folders/7' }));
  const { plan } = await house.plan(playbookOf([box('alpha')]));
  expect(at(plan, 'alpha')).toMatchObject({ change: 'none', present: true, record: null, would_call: [] });
  expect(hasChanges(plan)).toBe(false);
});

test('labels of strangers are no difference', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { id: 'folders/7', labels: { mine: '1', theirs: '2' } });
  const { plan } = await house.plan(playbookOf([box('alpha', { labels: { mine: '1' } })]));
  expect(at(plan, 'alpha').change).toBe('none');
});

test('something deleted a while ago is blocked with its purge date, and restored only where the step says so', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { state: 'DELETE_REQUESTED' });
  const blocked = at((await house.plan(playbookOf([box('alpha')]))).plan, 'alpha');
  expect(blocked.change).toBe('blocked');
  expect(blocked.diagnostics[0]).toMatchObject({ code: 'PENDING_DELETION', hint: expect.stringContaining('undelete') });
  expect(blocked.diagnostics[0]?.detail).toContain('2026-02-01T00:00:00Z');
  const restored = at((await house.plan(playbookOf([box('alpha', { undelete: true })]))).plan, 'alpha');
  expect(restored.change).toBe('undelete');
});

test('a field that is fixed blocks the step: nothing is ever replaced', async () => {
  const house = new House();
  house.cloud.addBox('alpha', { color: 'red' });
  const step = at((await house.plan(playbookOf([box('alpha', { color: 'blue' })]))).plan, 'alpha');
  expect(step).toMatchObject({
    change: 'blocked',
    diff: { color: { desired: 'blue', actual: 'red' } },
    would_call: [],
  });
  expect(codesOf(step.diagnostics)).toEqual(['UNSUPPORTED']);
});

test('a box that may not be seen is a create that proves it, present unknown, with a note', async () => {
  const house = new House();
  house.cloud.hidden.add('alpha');
  const step = at((await house.plan(playbookOf([box('alpha')]))).plan, 'alpha');
  expect(step).toMatchObject({ change: 'create', present: 'unknown' });
  expect(step.diagnostics).toMatchObject([
    {
      code: 'NOT_VISIBLE',
      severity: 'note',
      address: 'alpha',
      detail: expect.stringContaining('normal before a first apply'),
    },
  ]);
});

test('one resource that cannot be read is blocked, all others are still planned [A7]', async () => {
  const house = new House();
  house.cloud.unreadable.set('bad', diagnostic('UNAVAILABLE', 'the service answers 503.'));
  const result = await house.plan(playbookOf([box('bad'), box('good'), box('child', {}, { dependsOn: ['bad'] })]));
  expect(changesOf(result)).toEqual({ bad: 'blocked', good: 'create', child: 'blocked' });
  expect(at(result.plan, 'bad').diagnostics).toMatchObject([{ code: 'UNAVAILABLE', address: 'bad' }]);
  expect(at(result.plan, 'child').diagnostics[0]?.detail).toContain('depends on bad');
});

test('reads are shown as reads and their answers feed other steps', async () => {
  const house = new House();
  const top = house.cloud.addBox('top');
  const result = await house.plan(playbookOf([readBox('look', 'top')]));
  expect(at(result.plan, 'look')).toMatchObject({
    change: 'read',
    present: true,
    urn: null,
    reconcile: null,
    stack: null,
    desired: null,
    recorded: null,
  });
  expect(top.id).toBe('folders/101');
});

test('a read that fails blocks itself alone', async () => {
  const house = new House();
  const result = await house.plan(playbookOf([readBox('look', 'nowhere'), box('alpha')]));
  expect(changesOf(result)).toEqual({ look: 'blocked', alpha: 'create' });
});

test('a delete of what is there is a delete; of what is absent nothing', async () => {
  const house = new House();
  house.cloud.addBox('here');
  const result = await house.plan(playbookOf([dropBox('here'), dropBox('gone')]));
  expect(changesOf(result)).toEqual({ drop_here: 'delete', drop_gone: 'none' });
  expect(at(result.plan, 'drop_here')).toMatchObject({
    reconcile: null,
    plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('a name that only the cloud can resolve becomes its id', async () => {
  const house = new House();
  const top = house.cloud.addBox('top');
  const { plan } = await house.plan(
    playbookOf([shelf('s', { parent: 'by-name/top' }), shelf('t', { parent: 'by-name/none' })]),
  );
  expect(at(plan, 's')).toMatchObject({ change: 'create', urn: `mem:store:shelf:${top.id}/s` });
  expect(at(plan, 't')).toMatchObject({ change: 'blocked', urn: null, diagnostics: [{ code: 'NOT_FOUND' }] });
});

test('the summary counts a held step under held alone', async () => {
  const house = new House();
  house.cloud.addBox('same');
  const steps = [
    box('one'),
    box('two', {}, { dryRun: true }),
    box('same'),
    box('off', {}, { skip: { kind: 'not_provider', detail: 'a shell step is never run' } }),
  ];
  const { plan } = await house.plan(playbookOf(steps));
  expect(plan.summary).toEqual({
    create: 1,
    update: 0,
    move: 0,
    undelete: 0,
    delete: 0,
    adopt: 0,
    none: 1,
    read: 0,
    held: 1,
    blocked: 0,
    unknown: 0,
    skipped: 1,
  });
  expect(at(plan, 'off')).toMatchObject({ change: 'skipped', diagnostics: [{ code: 'STEP_SKIPPED' }] });
});

test('grants of one box are planned as one batch', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  house.cloud.addBox('beta');
  const { plan } = await house.plan(
    playbookOf([
      grant('a', { box: 'alpha' }),
      grant('b', { box: 'alpha', role: 'writer' }),
      grant('c', { box: 'beta' }),
    ]),
  );
  expect(plan.batches).toEqual([{ request: 'grants:alpha', addresses: ['a', 'b'] }]);
  expect(at(plan, 'a').urn).toBe(grantUrn('alpha'));
});

test('secrets are echoed by no plan', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([box('alpha', { secret: 'hunter2' })]));
  expect(JSON.stringify(at(plan, 'alpha').input)).not.toContain('hunter2');
});

test('a plan writes nothing to the log and takes no lock', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  await house.plan(playbookOf([box('alpha'), box('beta'), dropBox('gone')]));
  expect(house.log.rows).toEqual([]);
  expect(house.log.appends).toBe(0);
  expect(house.log.lockings).toEqual([]);
  expect(house.cloud.writes).toEqual([]);
});

test('each resource is looked at once, however many steps ask', async () => {
  const house = new House();
  house.cloud.addBox('alpha');
  await house.plan(playbookOf([box('alpha'), box('again', { name: 'alpha' }, { dryRun: true })]));
  expect(house.cloud.calls.filter((call) => call.kind === 'observe')).toHaveLength(1);
});
