import { expect, test } from 'vitest';
import { at, boxFact, changesOf, codesOf, House } from '../../support/in-memory/house.ts';
import { box, dropBox, grant, grantUrn, playbookOf, type StepMaker } from '../../support/in-memory/playbooks.ts';

const DESTROY = { verb: 'destroy' } as const;
const TOP = box('top');
const INNER = grant('g', { box: 'top' });
const SIBLING = grant('ours', { box: 'top', member: 'user:b' });

/** A house whose own stack made these boxes and grants, but for the grant `g`, about which a fact says this. */
async function houseWhere(said: object, made: readonly StepMaker[] = [TOP]): Promise<House> {
  const house = new House();
  await house.applied(playbookOf([...made, INNER]));
  house.log.remember(
    boxFact('g', {
      urn: grantUrn('top'),
      resource_type: 'grant',
      desired: { box: 'top', role: 'reader', member: 'user:a' },
      ...said,
    }),
  );
  return house;
}

test('what another stack protects keeps what it lies in, declared or not', async () => {
  const house = await houseWhere({ stack: 'other', protect: true });
  for (const [rest, by] of [
    [[], grantUrn('top')],
    [[INNER], 'g'],
  ] as const) {
    const { plan } = await house.plan(playbookOf([TOP, ...rest]), DESTROY);
    expect(at(plan, 'top').held).toBe(`needed by ${by}, which is protected`);
  }
});

test('what another stack owns and the playbook declares is blocked, and so is what it lies in', async () => {
  const house = await houseWhere({ stack: 'other' }, [TOP, SIBLING]);
  const playbook = playbookOf([TOP, INNER, SIBLING]);
  const result = await house.plan(playbook, DESTROY);
  const { plan } = result;
  expect(changesOf(result)).toEqual({ top: 'blocked', g: 'blocked', ours: 'blocked' });
  expect(codesOf(at(plan, 'g').diagnostics)).toEqual(['NOT_OURS']);
  expect(at(plan, 'top').diagnostics[0]?.detail).toContain('g, which lies in it, is not ours');
  house.cloud.forgetCalls();
  const report = await house.applied(playbook, DESTROY);
  expect(report.summary).toMatchObject({ blocked: 3 });
  expect(house.cloud.written).toEqual([]);
});

test('what another stack owns without protecting it goes with what it lies in where the playbook does not declare it', async () => {
  const house = await houseWhere({ stack: 'other' });
  const result = await house.plan(playbookOf([TOP]), DESTROY);
  expect(changesOf(result)).toEqual({ top: 'delete' });
  expect(at(result.plan, 'top').diagnostics).toMatchObject([
    { code: 'NOT_OURS', severity: 'warning', detail: expect.stringContaining(`${grantUrn('top')} (stack other)`) },
  ]);
  const explicit = await house.plan(playbookOf([dropBox('top')]));
  expect(at(explicit.plan, 'drop_top')).toMatchObject({ change: 'delete', diagnostics: [{ code: 'NOT_OURS' }] });
  const own = await houseWhere({});
  expect(at((await own.plan(playbookOf([dropBox('top')]))).plan, 'drop_top').diagnostics).toMatchObject([
    { code: 'CONTENTS_GO', severity: 'note', detail: expect.stringContaining(grantUrn('top')) },
  ]);
  expect(at((await own.plan(playbookOf([TOP, INNER]), DESTROY)).plan, 'top').diagnostics).toEqual([]);
});

test('what was merely found keeps what it lies in, declared or not, unless it is asked for', async () => {
  const house = await houseWhere({ origin: 'found' });
  for (const rest of [[], [INNER]]) {
    const playbook = playbookOf([TOP, ...rest]);
    const { plan } = await house.plan(playbook, DESTROY);
    expect(at(plan, 'top').held).toContain('found as declared, not made by this stack');
    const all = await house.plan(playbook, { ...DESTROY, options: { includeFound: true } });
    expect(at(all.plan, 'top')).toMatchObject({ change: 'delete', held: null });
  }
});

test.each([
  ['noop', 'found as declared, not made by this stack'],
  ['changed', null],
] as const)('what another tool recorded first as %s, without an origin', async (outcome, held) => {
  const house = new House();
  house.cloud.addBox('top');
  const { origin: _, ...fact } = boxFact('top', { outcome });
  house.log.remember(fact);
  const { plan } = await house.plan(playbookOf([TOP]), DESTROY);
  expect(at(plan, 'top')).toMatchObject({ change: 'delete', held });
});
