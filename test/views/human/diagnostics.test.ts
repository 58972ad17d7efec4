import { expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import { renderDiagnostics, sortDiagnostics } from '../../../src/views/human/diagnostics.ts';
import { PLAIN } from '../support/plans.ts';

const at = (line: number, column = 1, file = 'org.yaml') => ({ source: { file, line, column } });

test('many at once: by severity, then position, each with place, reason and way out', () => {
  const text = renderDiagnostics(
    [
      diagnostic('KEY_IGNORED', 'keychain belongs to NoETL.', at(2)),
      diagnostic('UNKNOWN_KEY', 'protct has no meaning here.', {
        ...at(12, 7),
        hint: 'did you mean protect?',
        address: 'projects[a]',
      }),
      diagnostic('INLINE_TOKEN', 'auth.token is spelt here.', at(5)),
      diagnostic(
        'MISSING_KEY',
        'A step needs the key step, by which others refer to it; the entry at this place has none, and no name can be made up for it.',
        at(3),
      ),
      diagnostic('UNAVAILABLE', 'Answered 503.', { urn: 'urn:x', operation: 'operations/1', retryable: true }),
    ],
    { ...PLAIN, width: 80 },
  );
  expect(text).toMatchInlineSnapshot(`
    "error[MISSING_KEY]: A required key is missing
      --> org.yaml:3:1
      A step needs the key step, by which others refer to it; the entry at this
      place has none, and no name can be made up for it.

    error[UNKNOWN_KEY]: An unknown key
      --> org.yaml:12:7
      at projects[a]
      protct has no meaning here.
      hint: did you mean protect?

    error[UNAVAILABLE]: The cloud is not available
      at urn:x
      Answered 503.
      operation: operations/1
      It may work when tried again.

    warning[INLINE_TOKEN]: A token stands in the playbook
      --> org.yaml:5:1
      auth.token is spelt here.

    note[KEY_IGNORED]: A key is accepted and ignored
      --> org.yaml:2:1
      keychain belongs to NoETL.

    3 errors, 1 warning, 1 note
    "
  `);
});

test('the same trouble at several places is told once', () => {
  const items = [1, 2, 3, 4, 5, 6].map((line) => diagnostic('KEY_IGNORED', 'retry has no effect.', at(line)));
  expect(renderDiagnostics(items, PLAIN)).toMatchInlineSnapshot(`
    "note[KEY_IGNORED]: A key is accepted and ignored
      --> org.yaml:1:1
      and org.yaml:2:1, org.yaml:3:1, org.yaml:4:1 and 2 more
      retry has no effect.

    6 notes
    "
  `);
  expect(
    renderDiagnostics([diagnostic('BUG', 'x', { address: 'a' }), diagnostic('BUG', 'x', { urn: 'u' })], PLAIN),
  ).toContain('and u\n');
});

test('none at all is no text', () => {
  expect(renderDiagnostics([], PLAIN)).toBe('');
});

test('order is by file, line, column; without a position last; stable', () => {
  const items = [
    diagnostic('BUG', '1'),
    diagnostic('BUG', '2', at(1, 1, 'b')),
    diagnostic('BUG', '3', at(2, 1, 'a')),
    diagnostic('BUG', '4', at(1, 9, 'a')),
    diagnostic('BUG', '5', at(1, 2, 'a')),
    diagnostic('BUG', '6'),
  ];
  expect(sortDiagnostics(items).map((item) => item.detail)).toEqual(['5', '4', '3', '2', '1', '6']);
});
