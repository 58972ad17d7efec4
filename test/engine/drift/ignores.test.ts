import { expect, test } from 'vitest';
import type { Verdict } from '../../../src/core/plan.ts';
import { type DriftIgnore, ignoredOf } from '../../../src/engine/drift-ignores.ts';

const URN = 'google:cloudresourcemanager:project:acme-web';
const NOW = Date.parse('2026-06-15T12:00:00Z');

const ignore = (changes: Partial<DriftIgnore> = {}): DriftIgnore => ({
  urn: URN,
  field: null,
  reason: 'known',
  until: null,
  ...changes,
});

const reasonOf = (
  ignores: readonly DriftIgnore[],
  drift: Verdict = 'modified',
  fields: readonly string[] = ['labels'],
) => ignoredOf(ignores, URN, drift, fields, NOW).whole;

test.each([
  [URN, true],
  ['google:cloudresourcemanager:project:acme-*', true],
  ['*', true],
  ['google:*:project:*-web', true],
  ['*acme*web*', true],
  ['*web*acme*', false],
  ['google:cloudresourcemanager:project:acme', false],
  ['google:cloudresourcemanager:project:acme-web-*', false],
  ['google:cloudresourcemanager:project:acme-web*web', false],
  ['', false],
])('the pattern %j covers the project: %s', (urn, covers) => {
  expect(reasonOf([ignore({ urn })])).toBe(covers ? 'known' : null);
});

test.each([
  ['2026-06-15', true],
  ['2026-06-14', false],
  ['2026-06-15T12:00:01Z', true],
  ['2026-06-15T11:59:59Z', false],
  ['no time', false],
])('until %j it still counts: %s', (until, counts) => {
  expect(reasonOf([ignore({ until })])).toBe(counts ? 'known' : null);
});

test.each<[Verdict, boolean]>([
  ['modified', true],
  ['missing', true],
  ['untracked', true],
  ['not_managed', true],
  ['in_sync', false],
  ['unchecked', false],
])('%s can be ignored: %s', (drift, can) => {
  expect(reasonOf([ignore()], drift)).toBe(can ? 'known' : null);
});

test('fields are covered one by one, and only where something differs in them', () => {
  const labels = ignore({ field: 'labels', reason: 'set by the export' });
  const parent = ignore({ field: 'parent', reason: 'moved by hand' });
  expect(reasonOf([labels])).toBe('set by the export');
  expect(reasonOf([labels], 'modified', ['labels', 'parent'])).toBe(null);
  expect(reasonOf([labels, parent], 'modified', ['labels', 'parent'])).toBe('set by the export; moved by hand');
  expect(reasonOf([labels, { ...parent, reason: labels.reason }], 'modified', ['labels', 'parent'])).toBe(
    labels.reason,
  );
  expect(reasonOf([labels], 'missing')).toBe(null);
  expect(reasonOf([labels], 'modified', [])).toBe(null);
});

test('a field that is ignored beside one that is not is told as that', () => {
  const labels = ignore({ field: 'labels', reason: 'set by the export' });
  const ignored = ignoredOf([labels], URN, 'modified', ['labels', 'parent'], NOW);
  expect(ignored).toEqual({ whole: null, fields: { labels: 'set by the export' } });
  expect(ignoredOf([ignore()], URN, 'modified', ['labels'], NOW)).toEqual({ whole: 'known', fields: {} });
});
