import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import {
  deferred,
  display,
  displayObject,
  isKnown,
  isUnknown,
  knownAfterApply,
  type Reference,
  referencesIn,
  resolveValue,
  scalarText,
  unknownOf,
  type Value,
} from '../../src/core/value.ts';

const folder: Reference = { address: 'folder', path: 'resource.name' };
const project: Reference = { address: 'project', path: '' };
const never = (): undefined => undefined;
const lookupOf = (known: Readonly<Record<string, Json>>) => (ref: Reference) => known[ref.address];

test('plain JSON is known, displays as itself and resolves to itself', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const value = JSON.parse(JSON.stringify(json)) as Value;
      expect(isKnown(value)).toBe(true);
      expect(referencesIn(value)).toEqual([]);
      expect(display(value)).toEqual(value);
      expect(resolveValue(value, never, never)).toEqual(value);
    }),
  );
});

test('no text or map of a playbook is taken for an unknown value', () => {
  expect(isUnknown('(known after apply: folder.resource.name)')).toBe(false);
  expect(isUnknown({ refs: [], parts: [], template: null })).toBe(false);
  expect(isUnknown(undefined)).toBe(false);
});

test('references are found wherever they stand, in order', () => {
  const value: Value = {
    a: unknownOf([folder]),
    b: [1, { c: unknownOf(['x', project, folder]) }],
    d: deferred({ text: '{{ x }}', iter: null }, [project]),
  };
  expect(referencesIn(value)).toEqual([folder, project, folder, project]);
  expect(isKnown(value)).toBe(false);
});

test('an unknown value is shown as what it waits for', () => {
  expect(knownAfterApply(folder)).toBe('(known after apply: folder.resource.name)');
  expect(display({ a: unknownOf(['x-', project]), b: [unknownOf([folder])] })).toEqual({
    a: 'x-(known after apply: project)',
    b: ['(known after apply: folder.resource.name)'],
  });
  expect(displayObject({ a: deferred({ text: 't', iter: null }, [project, folder]) })).toEqual({
    a: '(known after apply: project)(known after apply: folder.resource.name)',
  });
});

test('a lone reference becomes the value itself, of whatever type', () => {
  for (const known of ['text', 0, false, null, [1], { a: 1 }] as const) {
    expect(resolveValue([unknownOf([folder])], lookupOf({ folder: known }), never)).toEqual([known]);
  }
});

test('references inside a text become text; what is not known stays', () => {
  const text = unknownOf(['f=', folder, ' p=', project]);
  expect(resolveValue(text, lookupOf({ folder: 'folders/1', project: 7 }), never)).toBe('f=folders/1 p=7');
  const half = resolveValue(text, lookupOf({ folder: 'folders/1' }), never);
  expect(display(half)).toBe('f=folders/1 p=(known after apply: project)');
  expect(referencesIn(half)).toEqual([project]);
  expect(resolveValue(half, lookupOf({ project: null }), never)).toBe('f=folders/1 p=null');
});

test('a result that looks like a reference is still a result', () => {
  const hostile = { address: 'project', path: 'x' };
  expect(resolveValue(unknownOf(['x', folder]), lookupOf({ folder: hostile }), never)).toBe(
    `x${JSON.stringify(hostile)}`,
  );
});

test('a template that decides on a result is evaluated when it can be', () => {
  const template = { text: '{{ steps.folder.x > 1 }}', iter: 'key' };
  const value = deferred(template, [folder]);
  expect(resolveValue({ a: value }, never, never)).toEqual({ a: value });
  expect(resolveValue({ a: value }, never, (given) => (given === template ? false : undefined))).toEqual({ a: false });
});

test('a scalar in a text is its own text, all else is JSON', () => {
  expect(['a', 1, true, null, ['b'], { c: 1 }].map((value) => scalarText(value))).toEqual([
    'a',
    '1',
    'true',
    'null',
    '["b"]',
    '{"c":1}',
  ]);
});
