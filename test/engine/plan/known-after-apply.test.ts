import { expect, test } from 'vitest';
import { at, boxFact, changesOf, codesOf, House } from '../../support/in-memory/house.ts';
import { box, grant, playbookOf, readBox, ref, shelf, template, textWith } from '../../support/in-memory/playbooks.ts';

test('a result of a step to come is passed on whole and shown as known after apply', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([box('top'), box('child', { parent: ref('top', 'resource.id') })]));
  expect(at(plan, 'child')).toMatchObject({
    change: 'create',
    unknown: ['parent'],
    depends_on: ['top'],
    desired: { parent: '(known after apply: top.resource.id)' },
    input: { parent: '(known after apply: top.resource.id)' },
  });
  expect(at(plan, 'child').would_call).toMatchObject([{ body: { parent: '(known after apply: top.resource.id)' } }]);
});

test('inside a text it stands between the words around it', async () => {
  const house = new House();
  const title = textWith('in ', { address: 'top', path: 'resource.id' }, ' at ', { address: 'top', path: 'urn' }, '!');
  const { plan } = await house.plan(playbookOf([box('top'), box('child', { title })]));
  expect(at(plan, 'child').desired?.['title']).toBe(
    'in (known after apply: top.resource.id) at (known after apply: top.urn)!',
  );
  expect(at(plan, 'child').unknown).toEqual(['title']);
});

test('what is there already is known at plan time', async () => {
  const house = new House();
  const top = house.cloud.addBox('top');
  const { plan } = await house.plan(playbookOf([box('top'), box('child', { parent: ref('top', 'resource.id') })]));
  expect(at(plan, 'child')).toMatchObject({ unknown: [], desired: { parent: top.id } });
});

test('of something that will change its names are known, the rest is not', async () => {
  const house = new House();
  const top = house.cloud.addBox('top', { title: 'old' });
  const { plan } = await house.plan(
    playbookOf([
      box('top', { title: 'new' }),
      box('a', { parent: ref('top', 'resource.id') }),
      box('b', { title: ref('top', 'resource.title') }),
    ]),
  );
  expect(at(plan, 'a').desired?.['parent']).toBe(top.id);
  expect(at(plan, 'b').desired?.['title']).toBe('(known after apply: top.resource.title)');
});

test('a desired value that is not known yet differs from whatever is live', async () => {
  const house = new House();
  house.cloud.addBox('child', { title: 'x' });
  const { plan } = await house.plan(playbookOf([box('top'), box('child', { title: ref('top', 'resource.id') })]));
  expect(at(plan, 'child')).toMatchObject({
    change: 'update',
    diff: { title: { desired: '(known after apply: top.resource.id)', actual: 'x' } },
  });
});

test('a template that waits is evaluated once the results are there', async () => {
  const house = new House();
  const title = template('{{ steps.top.resource.title | upper }}', [{ address: 'top', path: 'resource.title' }]);
  const waiting = await house.plan(playbookOf([box('top', { title: 't' }), box('child', { title })]));
  expect(at(waiting.plan, 'child').unknown).toEqual(['title']);
  house.cloud.addBox('top', { title: 't' });
  const known = await house.plan(playbookOf([box('top', { title: 't' }), box('child', { title })]));
  expect(at(known.plan, 'child').desired?.['title']).toBe('T');
});

test('a path that a finished result does not have is an error that names the step', async () => {
  const house = new House();
  house.cloud.addBox('top');
  const result = await house.plan(playbookOf([box('top'), box('child', { title: ref('top', 'resource.nonsense') })]));
  expect(changesOf(result)).toEqual({ top: 'none', child: 'blocked' });
  expect(at(result.plan, 'child').diagnostics).toMatchObject([{ code: 'TEMPLATE_UNDEFINED', address: 'child' }]);
});

test('a value that turns out wrong once it is known is refused with the position of its step', async () => {
  const house = new House();
  house.cloud.addBox('top', { title: 'no place' });
  const result = await house.plan(playbookOf([box('top'), box('child', { parent: ref('top', 'resource.title') })]));
  expect(at(result.plan, 'child')).toMatchObject({
    change: 'blocked',
    diagnostics: [{ code: 'INVALID_VALUE', source: { file: 'org.yaml', line: 11 } }],
  });
});

test('a read after a change to what it reads waits for it; what takes from it waits as well', async () => {
  const house = new House();
  house.cloud.addBox('top', { title: 'old' });
  const { plan } = await house.plan(
    playbookOf([
      box('top', { title: 'new' }),
      readBox('look', 'top', { dependsOn: ['top'] }),
      box('child', { title: ref('look', 'resource.title') }),
    ]),
  );
  expect(at(plan, 'look')).toMatchObject({ change: 'read', present: 'unknown' });
  expect(at(plan, 'child').desired?.['title']).toBe('(known after apply: look.resource.title)');
  expect(house.cloud.calls.filter((call) => call.kind === 'read')).toEqual([]);
});

test('a read with nothing pending under it is made by the plan, and its answer used', async () => {
  const house = new House();
  const top = house.cloud.addBox('top');
  const { plan } = await house.plan(
    playbookOf([readBox('look', 'top'), box('child', { parent: ref('look', 'resource.id') })]),
  );
  expect(at(plan, 'child').desired?.['parent']).toBe(top.id);
});

test('a URN that hangs on a parent to come is null until then, and so is what lies in it unread', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([box('top'), shelf('s', { parent: ref('top', 'resource.id') })]));
  expect(at(plan, 's')).toMatchObject({ urn: null, change: 'create', present: false });
  expect(house.cloud.calls.map((call) => call.what)).toEqual([['mem:store:box:top']]);
});

test('a grant on a box to come is not looked for', async () => {
  const house = new House();
  const { plan } = await house.plan(playbookOf([box('top'), grant('g', { box: 'top' })]));
  expect(at(plan, 'g')).toMatchObject({ change: 'create', depends_on: ['top'] });
  expect(house.cloud.calls).toHaveLength(1);
});

test('a result that is null is known, not known after apply', async () => {
  const house = new House();
  house.cloud.addBox('top', { title: null });
  house.log.remember(boxFact('top'));
  const result = await house.plan(playbookOf([box('top'), box('child', { title: ref('top', 'resource.title') })]));
  expect(at(result.plan, 'child').unknown).toEqual([]);
  expect(codesOf(at(result.plan, 'child').diagnostics)).toEqual([]);
});
