import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePath } from '../../src/playbook/expression.ts';
import { parseExpression } from '../../src/playbook/expression-parser.ts';

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
const word = fc.constantFrom('true', 'None', 'not', 'and', 'or', 'in', 'is', 'if', 'else', 'workload', 'steps', 'iter');
const blank = fc.constantFrom('', ' ', '  ', '\t', '\n');
const path = fc
  .tuple(blank, fc.array(fc.oneof(name, word), { minLength: 1, maxLength: 5 }), blank)
  .map(([before, names, after]) => `${before}${names.join('.')}${after}`);

describe('a plain path', () => {
  it('is read alike by the short way and by the full grammar, or not by the short way', () => {
    fc.assert(
      fc.property(path, (text) => {
        const short = parsePath(text);
        if (short !== null) expect(parseExpression(text)).toEqual(short);
      }),
      { numRuns: 2000 },
    );
  });

  it('is nothing else: whatever the short way accepts, the full grammar reads alike', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', '.', '1', ' ', '_', '[', '|', '(', "'", '-') }),
        (text) => {
          const short = parsePath(text);
          if (short !== null) expect(parseExpression(text)).toEqual(short);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each(['true', 'not', 'a-b', 'a.0', "a['b']", 'a | lower', 'a.', '.a', 'ä.b', ''])('is not %s', (text) => {
    expect(parsePath(text)).toBeNull();
  });
});
