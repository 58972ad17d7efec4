import { expect, test } from 'vitest';
import { misfit, type ResultShape } from '../../src/core/result-shape.ts';

const SHAPE: ResultShape = {
  keys: { name: 'value', labels: 'any', folders: { items: { keys: { name: 'value' } } } },
};

test.each(['', 'name', 'labels', 'labels a b c', 'folders', 'folders 0', 'folders 12 name'])(
  '"%s" may be there',
  (path) => {
    expect(
      misfit(
        SHAPE,
        path.split(' ').filter((key) => key !== ''),
      ),
    ).toBeNull();
  },
);

test.each([
  ['nmae', [], 'nmae'],
  ['name first', ['name'], 'first'],
  ['folders name', ['folders'], 'name'],
  ['folders 0 nmae x', ['folders', '0'], 'nmae'],
  ['constructor', [], 'constructor'],
])('"%s" never is', (path, before, key) => {
  expect(misfit(SHAPE, path.split(' '))).toMatchObject({ before, key });
});
