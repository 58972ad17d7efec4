import { expect, test } from 'vitest';
import { ACTIONS } from '../../../src/providers/yandex/actions.ts';
import { yandexCatalogue } from '../../../src/providers/yandex/catalogue.ts';
import { KINDS } from '../../../src/providers/yandex/kinds.ts';
import { resourceOf } from '../../../src/providers/yandex/observed.ts';
import { LIST_RESULT, RESULT } from '../../../src/providers/yandex/result-shapes.ts';
import { liveOf } from '../../../src/providers/yandex/wire.ts';

test('a result has the keys that references may name, and no other', () => {
  const row = { id: 'abc', folder_id: 'def', name: 'n', description: '', labels: {} };
  for (const { kind } of KINDS)
    expect(Object.keys(resourceOf(liveOf(kind, row, { fields: {} })))).toEqual(
      Object.keys((RESULT as { readonly keys: object }).keys),
    );
});

test('lists hold many of what the other actions give', () => {
  for (const { spec, verb } of ACTIONS.values())
    expect(yandexCatalogue.resultOf?.(spec)).toBe(verb === 'list' || verb === 'discover' ? LIST_RESULT : RESULT);
});
