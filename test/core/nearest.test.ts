import fc from 'fast-check';
import { expect, test } from 'vitest';
import { didYouMean, editDistance, nearest } from '../../src/core/nearest.ts';

test.each([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['abc', '', 3],
  ['kitten', 'sitting', 3],
  ['parnet', 'parent', 1],
  ['ab', 'ba', 1],
])('%s and %s are %i apart', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
});

test('a distance is the same from both ends, and 0 only between equals', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});

test('the nearest known name is found, the first of equals, none where all are far', () => {
  expect(nearest('Project_ID', ['parent', 'project_id'])).toBe('project_id');
  expect(nearest('fat', ['cat', 'hat'])).toBe('cat');
  expect(nearest('x', ['parent'])).toBeNull();
  expect(nearest('a'.repeat(101), ['a'.repeat(101)])).toBeNull();
  expect(nearest('a', ['a'.repeat(101)])).toBeNull();
});

test('a hint names it', () => {
  expect(didYouMean('parnet', ['parent'])).toBe('did you mean "parent"?');
  expect(didYouMean('x', ['parent'])).toBeNull();
});
