import { expect, test } from 'vitest';
import { foldFacts } from '../../src/core/fold.ts';
import { detectAliases, detectOrphans, detectOrphansScoped, detectStackConflicts } from '../../src/core/orphans.ts';
import { fact } from './support/facts.ts';

const gone = { verb: 'delete', outcome: 'deleted' } as const;
const urnsOf = (items: readonly { readonly urn: string }[]): readonly string[] => items.map((item) => item.urn);
const declared = (...names: string[]) => ({ urns: new Set(names.map((name) => fact(name).urn)) });

test('what is owned and not declared is an orphan; what was deleted or only planned is none', () => {
  const model = foldFacts([
    fact('z'),
    fact('a'),
    fact('kept'),
    fact('gone'),
    fact('gone', gone),
    fact('plan', { outcome: 'planned' }),
  ]);
  expect(urnsOf(detectOrphans(model, declared('kept')))).toEqual([fact('a').urn, fact('z').urn]);
});

test("another stack's resources are never orphans of this one", () => {
  const model = foldFacts([fact('a'), fact('b', { stack: 'test' })]);
  expect(urnsOf(detectOrphans(model, declared()))).toHaveLength(2);
  expect(urnsOf(detectOrphansScoped(model, 'prod', declared()))).toEqual([fact('a').urn]);
  expect(detectOrphansScoped(model, 'none', declared())).toEqual([]);
});

test('declared by its resource id is declared', () => {
  const model = foldFacts([fact('a', { resource_id: 'projects/1' })]);
  expect(detectOrphans(model, { ...declared(), resourceIds: new Set(['projects/1']) })).toEqual([]);
  expect(detectOrphans(model, { ...declared(), resourceIds: new Set(['projects/2']) })).toHaveLength(1);
});

test('two URNs of one resource are aliases; none is an orphan while the other is declared', () => {
  const model = foldFacts([
    fact('new', { resource_id: 'projects/1' }),
    fact('old', { resource_id: 'projects/1' }),
    fact('none'),
    fact('neither'),
  ]);
  expect(detectAliases(model).map(urnsOf)).toEqual([[fact('new').urn, fact('old').urn]]);
  expect(urnsOf(detectOrphansScoped(model, 'prod', declared('new', 'none', 'neither')))).toEqual([]);
  expect(urnsOf(detectOrphans(model, declared('none', 'neither')))).toEqual([fact('new').urn, fact('old').urn]);
});

test('the same id of another type is another resource', () => {
  const model = foldFacts([fact('a', { resource_id: '1' }), fact('b', { resource_id: '1', resource_type: 'folder' })]);
  expect(detectAliases(model)).toEqual([]);
  expect(urnsOf(detectOrphans(model, declared('a')))).toEqual([fact('b').urn]);
});

test('two ways to write one URN are aliases, with and without an id', () => {
  const model = foldFacts([
    fact('1/a'),
    fact('one/a'),
    fact('1', { resource_id: 'projects/1' }),
    fact('one'),
    fact('2/a'),
  ]);
  const oneUrn = (urn: string) => urn.replace(/:1(?=\/|$)/, ':one');
  expect(detectAliases(model, oneUrn).map(urnsOf)).toEqual([
    [fact('1').urn, fact('one').urn],
    [fact('1/a').urn, fact('one/a').urn],
  ]);
  expect(urnsOf(detectOrphansScoped(model, 'prod', declared('one', 'one/a'), oneUrn))).toEqual([fact('2/a').urn]);
});

const forgotten = { verb: 'delete', outcome: 'absent', forgotten: true } as const;

test.each<[string, Parameters<typeof detectStackConflicts>[0], readonly string[]]>([
  ['two stacks that ensure one resource', [fact('a'), fact('a', { stack: 'test' })], ['prod', 'test']],
  ['two stacks, in turn', [fact('a'), fact('a', { stack: 'test' }), fact('a')], ['prod', 'test']],
  ['one stack', [fact('a'), fact('a')], []],
  ['a planned second', [fact('a'), fact('a', { stack: 'test', outcome: 'planned' })], []],
  ['a transfer', [fact('a'), fact('a', gone), fact('a', { stack: 'test', verb: 'adopt', outcome: 'adopted' })], []],
  [
    'a take-over',
    [fact('a'), fact('a', forgotten), fact('a', { stack: 'test', verb: 'adopt', outcome: 'adopted' })],
    [],
  ],
  [
    'a third that forgets',
    [fact('a'), fact('a', { ...forgotten, stack: 'other' }), fact('a', { stack: 'test' })],
    ['prod', 'test'],
  ],
  [
    'a conflict that was resolved later is still told',
    [fact('a'), fact('a', { stack: 'test' }), fact('a', gone)],
    ['prod', 'test'],
  ],
])('%s', (_, facts, stacks) => {
  expect(detectStackConflicts(facts)).toEqual(stacks.length === 0 ? [] : [{ urn: fact('a').urn, stacks }]);
});

test('conflicts come by URN', () => {
  const both = (name: string) => [fact(name), fact(name, { stack: 'test' })];
  expect(urnsOf(detectStackConflicts([...both('b'), ...both('a')]))).toEqual([fact('a').urn, fact('b').urn]);
});
