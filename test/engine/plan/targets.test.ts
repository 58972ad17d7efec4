import { expect, test } from 'vitest';
import { at, changesOf, House, thrownBy } from '../../support/in-memory/house.ts';
import { box, boxUrn, playbookOf, ref } from '../../support/in-memory/playbooks.ts';

const STEPS = [
  box('top'),
  box('mid', { parent: ref('top', 'resource.id') }),
  box('leaf', { parent: ref('mid', 'resource.id') }),
  box('list[a]', { name: 'la' }),
  box('list[b]', { name: 'lb' }),
  box('list_of_others', { name: 'other' }),
];

async function selected(house: House, targets: readonly string[], excludes: readonly string[] = []) {
  const result = await house.plan(playbookOf(STEPS), { options: { targets, excludes } });
  return Object.entries(changesOf(result)).flatMap(([address, change]) => (change === 'skipped' ? [] : [address]));
}

test('a target brings what it depends on', async () => {
  expect(await selected(new House(), ['mid'])).toEqual(['top', 'mid']);
});

test('a step name means all its instances and no other step', async () => {
  expect(await selected(new House(), ['list'])).toEqual(['list[a]', 'list[b]']);
});

test('an address means one instance, a URN the step that manages it', async () => {
  expect(await selected(new House(), ['list[b]'])).toEqual(['list[b]']);
  expect(await selected(new House(), [boxUrn('other')])).toEqual(['list_of_others']);
});

test('an exclusion takes along what depends on it', async () => {
  expect(await selected(new House(), [], ['mid'])).toEqual(['list[a]', 'list[b]', 'list_of_others', 'top']);
});

test('target and exclusion together', async () => {
  expect(await selected(new House(), ['leaf', 'list'], ['mid', 'list[a]'])).toEqual(['list[b]', 'top']);
});

test('what is not selected is shown as skipped and never read', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf(STEPS), { options: { targets: ['top'] } });
  expect(at(plan, 'leaf')).toMatchObject({ change: 'skipped', diagnostics: [{ code: 'STEP_SKIPPED' }] });
  expect(house.cloud.calls).toMatchObject([{ what: [boxUrn('top')] }]);
});

test('a name that fits nothing is an error that names the steps there are', async () => {
  const found = await thrownBy(selected(new House(), ['nothing', 'none']), 'UNKNOWN_STEP');
  expect(found).toHaveLength(2);
  expect(found[0]?.hint).toContain('top, mid, leaf');
});

test('two targets make another digest than one', async () => {
  const house = new House();
  const all = await house.plan(playbookOf(STEPS));
  const some = await house.plan(playbookOf(STEPS), { options: { targets: ['top'] } });
  expect(some.plan.digest).not.toBe(all.plan.digest);
});

test('a long chain written back to front can be excluded in no time', async () => {
  const length = 20_000;
  const chain = Array.from({ length }, (_, index) =>
    box(`s${index}`, {}, index + 1 < length ? { dependsOn: [`s${index + 1}`] } : {}),
  );
  const result = await new House().plan(playbookOf(chain), { options: { excludes: [`s${length - 1}`] } });
  expect(result.plan.summary.skipped).toBe(length);
}, 10_000);
