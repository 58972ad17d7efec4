import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { at, boxFact, codesOf, House, outcomesOf } from '../../support/in-memory/house.ts';
import { box, boxUrn, dropBox, playbookOf, ref, type StepMaker } from '../../support/in-memory/playbooks.ts';

/** Applies `steps` behind a slow first write, during which the world may move and the clock does. */
async function afterAWhile(house: House, steps: readonly StepMaker[], meanwhile: () => void, milliseconds = 6000) {
  const gate = house.cloud.hold(boxUrn('first'));
  const running = house.applied(playbookOf([box('first'), ...steps]));
  await gate.reached;
  house.cloud.forgetCalls();
  house.clock.advance(milliseconds);
  meanwhile();
  gate.open();
  return await running;
}

const AFTER = { dependsOn: ['first'] };

test('within five seconds the look of the plan is good enough', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'x' });
  const report = await afterAWhile(house, [box('a', { title: 'y' }, AFTER)], () => undefined, 5000);
  expect(outcomesOf(report)).toEqual({ first: 'changed', a: 'changed' });
  expect(house.cloud.calls.map((call) => call.kind)).toEqual(['write']);
});

test('after that it is looked at again, once, and written if it did not move', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'x' });
  const report = await afterAWhile(house, [box('a', { title: 'y' }, AFTER)], () => undefined);
  expect(outcomesOf(report)).toEqual({ first: 'changed', a: 'changed' });
  expect(house.cloud.calls).toEqual([
    { kind: 'observe', what: [boxUrn('a')] },
    { kind: 'write', what: [boxUrn('a')] },
  ]);
});

test('a stranger who touches what is not managed stops nothing', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'x' });
  const report = await afterAWhile(house, [box('a', { title: 'y' }, AFTER)], () =>
    house.cloud.changeBox('a', { labels: { theirs: '1' } }),
  );
  expect(at(report, 'a').outcome).toBe('changed');
});

test('a managed field that moved is refused, with its dependants, and not touched', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'x' });
  const report = await afterAWhile(house, [box('a', { title: 'y' }, AFTER), box('b', {}, { dependsOn: ['a'] })], () =>
    house.cloud.changeBox('a', { title: 'z' }),
  );
  expect(outcomesOf(report)).toEqual({ first: 'changed', a: 'refused', b: 'blocked' });
  expect(codesOf(at(report, 'a').diagnostics)).toEqual(['STALE']);
  expect(house.cloud.boxes.get('a')?.title).toBe('z');
  expect(house.log.intents).toHaveLength(1);
});

test('another field that began to differ is refused as well', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'x', labels: { mine: '1' } });
  const report = await afterAWhile(house, [box('a', { title: 'y', labels: { mine: '1' } }, AFTER)], () =>
    house.cloud.changeBox('a', { labels: { mine: '2' } }),
  );
  expect(at(report, 'a').outcome).toBe('refused');
});

test('a create whose place is taken by now is refused; a resource that went is not made anew', async () => {
  const house = new House();
  house.cloud.addBox('gone', { title: 'x' });
  const report = await afterAWhile(
    house,
    [box('taken', { title: 'y' }, AFTER), box('gone', { title: 'y' }, AFTER)],
    () => {
      house.cloud.addBox('taken', { title: 'z' });
      house.cloud.boxes.delete('gone');
    },
  );
  expect(outcomesOf(report)).toEqual({ first: 'changed', taken: 'refused', gone: 'refused' });
});

test('what is as desired by now needs nothing, is recorded, and leaves nothing for the next plan', async () => {
  const house = new House();
  house.cloud.addBox('edit', { title: 'x' });
  const steps = [
    box('edit', { title: 'y' }, AFTER),
    box('made', {}, AFTER),
    box('use', { parent: ref('made', 'resource.id') }),
  ];
  const report = await afterAWhile(house, steps, () => {
    house.cloud.changeBox('edit', { title: 'y' });
    house.cloud.addBox('made', { id: 'folders/9' });
  });
  expect(outcomesOf(report)).toEqual({ first: 'changed', edit: 'noop', made: 'noop', use: 'changed' });
  expect(house.cloud.boxes.get('use')?.parent).toBe('folders/9');
  const { model } = await house.log.read('cloud');
  expect(model.owned.get(boxUrn('made'))).toMatchObject({ origin: 'found', resourceId: 'folders/9' });
  const again = await house.plan(playbookOf([box('first'), ...steps]));
  expect(again.plan.steps.map((step) => [step.change, step.record])).toEqual(
    again.plan.steps.map(() => ['none', null]),
  );
});

test('something that cannot be read any more fails, and is not written blindly', async () => {
  const house = new House();
  house.cloud.addBox('a', { title: 'x' });
  const report = await afterAWhile(house, [box('a', { title: 'y' }, AFTER)], () =>
    house.cloud.unreadable.set('a', diagnostic('UNAVAILABLE', '503')),
  );
  expect(at(report, 'a')).toMatchObject({ outcome: 'failed', diagnostics: [{ code: 'UNAVAILABLE' }] });
  expect(house.cloud.written).not.toContain(boxUrn('a'));
});

test('a delete of something that changed in any way is refused', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const report = await afterAWhile(house, [dropBox('a', AFTER)], () => house.cloud.changeBox('a', { title: 'in use' }));
  expect(at(report, 'drop_a').outcome).toBe('refused');
  expect(house.cloud.boxes.has('a')).toBe(true);
});

test('a delete of something of which only the etag moved is refused, whatever else this run made', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const report = await afterAWhile(house, [dropBox('a', AFTER)], () => house.cloud.changeBox('a', {}));
  expect(outcomesOf(report)).toEqual({ first: 'changed', drop_a: 'refused' });
  expect(at(report, 'drop_a').diagnostics).toMatchObject([
    { code: 'STALE', detail: expect.stringContaining('etag changed') },
  ]);
});

test('a delete with which more would go than the plan said is refused', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const linked = { ...diagnostic('BILLING_LINKED', 'The project is linked to A.'), severity: 'warning' as const };
  const report = await afterAWhile(house, [dropBox('a', AFTER)], () => house.cloud.blockers.set('a', linked));
  expect(at(report, 'drop_a').outcome).toBe('refused');
  expect(at(report, 'drop_a').diagnostics[0]).toMatchObject({
    code: 'STALE',
    detail: expect.stringContaining('(BILLING_LINKED)'),
  });
});

test('a delete of another resource under the same name is refused', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const report = await afterAWhile(
    house,
    [dropBox('a', AFTER)],
    () => void house.cloud.addBox('a', { id: 'folders/9' }),
  );
  expect(at(report, 'drop_a').outcome).toBe('refused');
});

test('a folder that was filled meanwhile is not deleted [A13]', async () => {
  const house = new House();
  house.cloud.addBox('a');
  const report = await afterAWhile(house, [dropBox('a', AFTER)], () =>
    house.cloud.blockers.set('a', diagnostic('FOLDER_NOT_EMPTY', 'a project lies in it.')),
  );
  expect(at(report, 'drop_a').outcome).toBe('refused');
  expect(codesOf(at(report, 'drop_a').diagnostics)).toEqual(['STALE', 'FOLDER_NOT_EMPTY']);
});

test('a delete of what is gone by now is absent, and the log says so', async () => {
  const house = new House();
  house.cloud.addBox('a');
  house.log.remember(boxFact('a'));
  const report = await afterAWhile(house, [dropBox('a', AFTER)], () => house.cloud.boxes.delete('a'));
  expect(at(report, 'drop_a').outcome).toBe('absent');
  expect((await house.log.read('cloud')).model.owned.has(boxUrn('a'))).toBe(false);
});

test('an update of what moved because a dependency of this run moved it goes on', async () => {
  const house = new House();
  const report = await afterAWhile(house, [box('a', { title: ref('first', 'resource.id') }, AFTER)], () => undefined);
  expect(at(report, 'a').outcome).toBe('changed');
});
