import { expect, test } from 'vitest';
import { CODES, type Code, diagnostic, faultOf } from '../../src/core/codes.ts';
import { DiagnosticError, hasErrors, isError } from '../../src/core/diagnostics.ts';

test('a diagnostic takes severity and summary from the table; every key is there', () => {
  expect(diagnostic('GUARD', 'why', { urn: 'u' })).toEqual({
    code: 'GUARD',
    severity: 'error',
    summary: CODES.GUARD.summary,
    detail: 'why',
    address: null,
    urn: 'u',
    source: null,
    hint: null,
    operation: null,
    retryable: null,
  });
  expect(diagnostic('LOG_INVALID', 'd', { severity: 'warning' }).severity).toBe('warning');
});

test.each(Object.keys(CODES) as Code[])('%s has a summary without a full stop and an explanation with one', (code) => {
  expect(CODES[code].summary).toMatch(/^[A-Z].*[^.]$/);
  expect(CODES[code].explanation).toMatch(/^\S.*\.$/);
  expect(faultOf(diagnostic(code, ''))).toBe(CODES[code].fault);
});

test('a code that is not in the table is a bug', () => {
  expect(faultOf({ ...diagnostic('GUARD', ''), code: 'NO_SUCH_CODE' })).toBe('bug');
});

test('only errors are errors, and an error carries its diagnostics', () => {
  const items = [diagnostic('OTHER_STACK', 'w'), diagnostic('LOG_TORN', 'n')];
  expect([
    hasErrors(items),
    hasErrors([...items, diagnostic('GUARD', 'e')]),
    isError(diagnostic('GUARD', 'e')),
  ]).toEqual([false, true, true]);
  const error = new DiagnosticError(items);
  expect([error.message, error.name, error.diagnostics]).toEqual([
    'OTHER_STACK: w\nLOG_TORN: n',
    'DiagnosticError',
    items,
  ]);
});
