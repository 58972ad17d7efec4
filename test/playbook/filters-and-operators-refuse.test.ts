import { describe, expect, it } from 'vitest';
import { Budget } from '../../src/playbook/budget.ts';
import { evaluate, type Names, present } from '../../src/playbook/evaluator.ts';
import { TemplateError } from '../../src/playbook/expression.ts';
import { parseExpression } from '../../src/playbook/expression-parser.ts';
import { FILTER_NAMES } from '../../src/playbook/filter-names.ts';
import { FILTERS } from '../../src/playbook/filters.ts';
import { playbook, projectStep, steps } from './support.ts';

const NAMES: Names = {
  isResult: () => false,
  result: () => null,
  variable: () => null,
};

function run(text: string): unknown {
  return present(evaluate(parseExpression(text), NAMES, new Budget()));
}

describe('an expression', () => {
  it.each<[string, unknown]>([
    ["'xxaxx' | trim('x')", 'a'],
    ["'a-b-c' | replace('-', '.', 1)", 'a.b-c'],
    ["'a,b,c' | split(',', 1)", ['a', 'b,c']],
    ["' a  b ' | split", ['a', 'b']],
    ["{'a': [1]} | tojson(indent=2)", '{\n  "a": [\n    1\n  ]\n}'],
    ["1.25 | round(1, 'ceil')", 1.3],
    ["1.29 | round(1, 'floor')", 1.2],
    ['1.4 | round', 1],
    ['true | int', 1],
    ['2.9 | int', 2],
    ["'-7' | int", -7],
    ["'1e2' | float", 100],
    ["'no' | bool", false],
    ['0 | bool', false],
    ["'aé😀' | length", 3],
    ["{'a': 1} | length", 1],
    ["['b', 'A'] | sort(case_sensitive=true)", ['A', 'b']],
    ['[1, 3, 2] | sort(reverse=true)', [3, 2, 1]],
    ["['a', 'A'] | unique(case_sensitive=true)", ['a', 'A']],
    ["[{'n': 1}, {'n': 2}] | max(attribute='n')", { n: 2 }],
    ["[{'n': {'m': 1}}] | map(attribute='n.m') | first", 1],
    ["[{}] | map(attribute='n', default=0)", [0]],
    ["[{'n': 'a'}, {'n': 'b'}] | join('-', attribute='n')", 'a-b'],
    ["[0, 1, ''] | select", [1]],
    ['[0, 1] | reject', [0]],
    ["[{'a': 1}, {}] | selectattr('a')", [{ a: 1 }]],
    ["[{'a': 1}, {}] | selectattr('a', 'defined')", [{ a: 1 }]],
    ["[{'a': none}, {'a': 1}] | rejectattr('a', 'none')", [{ a: 1 }]],
    ["[1, 2, 3] | select('ge', 2) | select('le', 2)", [2]],
    ["[1, 2, 3] | select('lt', 2)", [1]],
    ["[1, 2] | reject('ne', 1)", [1]],
    ["['a'] | map('replace', 'a', 'b')", ['b']],
    ['[1, [2]] == [1, [2]]', true],
    ["{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", true],
    ['1 != 2', true],
    ["'a' < 'b'", true],
    ['2 >= 3', false],
    ['+3', 3],
    ['- -3', 3],
    ['false or none', null],
    ["'' and 1 / 0", ''],
    ['1 or 1 / 0', 1],
    ["'a' if [] else 'b'", 'b'],
    ['{} | length', 0],
  ])('%s', (text, expected) => {
    expect(run(text)).toEqual(expected);
  });

  it.each([
    ['1 | lower', 'lower needs a text, not a number'],
    ["'a' | abs", 'abs needs a number'],
    ["'a' | items", 'items needs a map'],
    ['1 | length', 'length needs a map'],
    ["'a' | first", 'first needs a list'],
    ["[1, 'a'] | sort", "can't be ordered"],
    ["[1, 'a'] | max", "can't be ordered"],
    ["[{}] | sort(attribute='x')", 'no attribute "x"'],
    ["[{}] | map(attribute='x')", 'no attribute "x"'],
    ['[1] | map', 'map takes attribute= or the name of a filter'],
    ['[1] | list', 'There is no filter "list"'],
    ["[1] | map('nope')", 'There is no filter "nope"'],
    ["[1] | map('default', 1)", 'There is no filter "default" that can be used here'],
    ['[1] | join(1)', 'join needs a text as its separator'],
    ['[none] | join', "None can't stand"],
    ["[1] | select('==')", 'needs a value to compare with'],
    ['[1] | selectattr([1])', 'An attribute is a name'],
    ["'a' | split('')", 'a separator that is not empty'],
    ['1 | tojson(indent=99)', 'indents by at most 10'],
    ['1 | round(99)', 'precision from 0 to 15'],
    ["1 | round(0, 'up')", 'round takes common, ceil or floor'],
    ["1 | round('a')", 'round needs a whole number'],
    ['1 | round(nope=1)', 'The filter has no argument "nope"'],
    ["'maybe' | bool", 'neither true nor false'],
    ['[] | bool', 'neither true nor false'],
    ["'x' | float", 'is no number'],
    ["'' | float", 'is no number'],
    ['[] | int', 'is no whole number'],
    ['1 in 2', '`in` looks into'],
    ["-'a'", '`-` needs a number'],
    ['1 % 0', 'Division by zero'],
    ['1 // 0', 'Division by zero'],
    ['[1] + [2]', '`+` needs two numbers'],
    ['{1: 2}', 'A key of a map is a text'],
    ['[1][none]', 'A key in brackets is a text or a number'],
    ["'a'[0]", 'is a text and has no 0'],
    ['1 if 2 is nope', 'There is no test "nope"'],
    ['1 | 2', "can't be read"],
  ])('%s is refused', (text, expected) => {
    expect(() => run(text)).toThrow(TemplateError);
    expect(() => run(text)).toThrow(expected);
  });

  it('has every filter of the list, and no other', () => {
    expect([...FILTERS.keys(), 'default', 'map'].sort()).toEqual([...FILTER_NAMES].sort());
  });
});

describe('positions of a step', () => {
  it('can be walked like any map', async () => {
    const [step] = await steps(playbook(projectStep('{ labels: { a: [x] } }')));
    const positions = step?.positions ?? new Map();
    const keys = ['kind', 'provider', 'action', 'input', 'input.labels', 'input.labels.a', 'input.labels.a.0'];
    expect([...positions.keys()]).toEqual(keys);
    expect([...positions].map(([key]) => key)).toEqual(keys);
    expect([...positions.entries()].length + [...positions.values()].length).toBe(2 * positions.size);
    expect(positions.has('input')).toBe(true);
    const seen: string[] = [];
    positions.forEach((_position, key) => {
      seen.push(key);
    });
    expect(seen).toEqual(keys);
  });
});
