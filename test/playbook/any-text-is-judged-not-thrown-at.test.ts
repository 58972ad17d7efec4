import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TemplateError } from '../../src/playbook/expression.ts';
import { parseExpression } from '../../src/playbook/expression-parser.ts';
import { load } from './support.ts';

const TEXTS = ['org-foundation', 'seed-steps', 'twelve-mistakes'].map((name) =>
  readFileSync(`fixtures/playbooks/${name}/playbook.yaml`, 'utf8'),
);
const SNIPPETS = [
  '{{',
  '}}',
  '{%',
  '[',
  ']',
  '{',
  '}',
  ': ',
  '- ',
  '\n',
  '\t',
  '"',
  "'",
  '&a ',
  '*a',
  '!!map ',
  '|',
  '>',
  '#',
  '?',
  'null',
  '~',
  '0',
  'true',
  'steps.',
  '__proto__',
  'constructor',
  'next: ',
  'loop: ',
  'tool: ',
  'depends_on: ',
  '\u0000',
  '\u2028',
  '\ud800',
  'é',
  '...',
  '---',
  '%YAML 1.1',
];

describe('any text', () => {
  it('is judged: a playbook without errors, or errors without a playbook', async () => {
    const edit = fc.record({
      at: fc.nat(4000),
      cut: fc.nat(40),
      put: fc.array(fc.constantFrom(...SNIPPETS), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TEXTS),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        async (original, edits) => {
          const text = edits.reduce(
            (now, { at, cut, put }) => now.slice(0, at) + put.join('') + now.slice(at + cut),
            original,
          );
          const { playbook, diagnostics } = await load(text);
          expect(playbook === null).toBe(diagnostics.some((item) => item.severity === 'error'));
          expect(
            diagnostics.every((item) => item.source === null || (item.source.line > 0 && item.source.column > 0)),
          ).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('in an expression is an expression or a TemplateError', () => {
    const token = fc.constantFrom(
      'a',
      '.b',
      '[0]',
      "['k']",
      '|',
      'lower',
      'default',
      '(',
      ')',
      ',',
      '1',
      '2.5',
      "'s'",
      '+',
      '-',
      '*',
      '/',
      '//',
      '%',
      '~',
      '**',
      '==',
      '<',
      'and',
      'or',
      'not',
      'in',
      'is',
      'defined',
      'none',
      'if',
      'else',
      '{',
      '}',
      ':',
      '[',
      ']',
      '=',
      '!',
      '"',
      '\\',
      'loop',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), fc.constantFrom('', ' '), (tokens, glue) => {
        try {
          expect(parseExpression(tokens.join(glue)).kind).toBeTypeOf('string');
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
