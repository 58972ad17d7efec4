import { describe, expect, it } from 'vitest';
import { error, inputOf, playbook, projectStep } from './support.ts';

const WORKLOAD = `{ name: acme, org: "1", n: 7, f: 2.5, yes_: true, nothing: null, empty: "", list: [b, a, B, a], map: { x: 1, y: two }, projects: [{ id: p1, env: prod, n: 2 }, { id: p2, env: dev, n: 1 }], tpl: "{{ x }}", deep: { a: { b: [ { c: found } ] } } }`;

function value(expression: string): Promise<unknown> {
  const yaml = JSON.stringify(expression);
  return inputOf(playbook(projectStep(`{ note: ${yaml} }`), WORKLOAD), { env: { CI: 'yes' } }).then(
    (input) => input['note'],
  );
}

function failure(expression: string): Promise<string> {
  return error(playbook(projectStep(`{ note: ${JSON.stringify(expression)} }`), WORKLOAD));
}

describe('a template gives', () => {
  it.each<[string, unknown]>([
    ['plain', 'plain'],
    ['{{ workload.name }}', 'acme'],
    ['organizations/{{ workload.org }}', 'organizations/1'],
    ['{{ workload.n }}', 7],
    ['{{ workload.yes_ }}', true],
    ['{{ workload.nothing }}', null],
    ['{{ workload.list }}', ['b', 'a', 'B', 'a']],
    ['{{ workload.n }}-{{ workload.yes_ }}', '7-true'],
    ['{{ workload.map }}', { x: 1, y: 'two' }],
    ["{{ workload['map']['y'] }}", 'two'],
    ['{{ workload.deep.a.b[0].c }}', 'found'],
    ['{{ workload.list[-1] }}', 'a'],
    ['{{ env.CI }}', 'yes'],
    ['{{ 1 + 2 * 3 }}', 7],
    ['{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }}', '3 -4 2 3.5'],
    ["{{ 'a' + 'b' }}", 'ab'],
    ["{{ 'a' ~ 1 ~ true }}", 'a1true'],
    ['{{ workload.n > 5 and workload.n <= 7 }}', true],
    ["{{ workload.name == 'acme' }}", true],
    ["{{ 1 == '1' }}", false],
    ["{{ 'a' in workload.list }}", true],
    ["{{ 'z' not in workload.list }}", true],
    ["{{ 'x' in workload.map }}", true],
    ["{{ 'cm' in workload.name }}", true],
    ["{{ 'yes' if workload.yes_ else 'no' }}", 'yes'],
    ["{{ workload.missing | default('none') }}", 'none'],
    ["{{ workload.missing.deeper | default('none') }}", 'none'],
    ["{{ workload.empty | default('x', true) }}", 'x'],
    ["{{ workload.empty | default('x') }}", ''],
    ['{{ workload.missing is defined }}', false],
    ['{{ workload.missing is not defined }}', true],
    ['{{ workload.nothing is none }}', true],
    ["{{ '42' | int }}", 42],
    ["{{ 'x' | int(0) }}", 0],
    ["{{ '2.5' | float }}", 2.5],
    ['{{ 42 | string }}', '42'],
    ["{{ 'Yes' | bool }}", true],
    ['{{ workload.list | length }}', 4],
    ["{{ 'ABC' | lower }}{{ 'abc' | upper }}", 'abcABC'],
    ["{{ '  x ' | trim }}", 'x'],
    ["{{ 'a-b-c' | replace('-', '.') }}", 'a.b.c'],
    ["{{ 'a,b' | split(',') }}", ['a', 'b']],
    ["{{ workload.list | join('/') }}", 'b/a/B/a'],
    ['{{ workload.list | first }}{{ workload.list | last }}', 'ba'],
    ['{{ workload.list | sort }}', ['a', 'a', 'b', 'B']],
    ['{{ workload.list | unique }}', ['b', 'a']],
    ["{{ workload.projects | map(attribute='id') }}", ['p1', 'p2']],
    ["{{ workload.list | map('upper') | join }}", 'BABA'],
    ["{{ workload.projects | selectattr('env', '==', 'prod') | map(attribute='id') | first }}", 'p1'],
    ["{{ workload.projects | rejectattr('env', 'equalto', 'prod') | map(attribute='id') | first }}", 'p2'],
    ["{{ workload.list | select('in', ['a']) }}", ['a', 'a']],
    ["{{ workload.list | reject('in', ['a']) }}", ['b', 'B']],
    ["{{ workload.projects | sort(attribute='n') | map(attribute='id') }}", ['p2', 'p1']],
    [
      '{{ workload.map | items }}',
      [
        ['x', 1],
        ['y', 'two'],
      ],
    ],
    ['{{ workload.map | tojson }}', '{"x":1,"y":"two"}'],
    ['{{ -3 | abs }}', 3],
    ['{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.345 | round(2) }}', '2 4 2.35'],
    ['{{ [3, 1, 2] | min }}{{ [3, 1, 2] | max }}', '13'],
    ["{{ {'a': 1, 'b': [1, 2]} }}", { a: 1, b: [1, 2] }],
    ["{{ {'a': {'b': 1}}}}", { a: { b: 1 } }],
    ["{{ 'a }} b' }}", 'a }} b'],
    ["{{ '{{' }}", '{{'],
    ['a {{- workload.name -}} b', 'aacmeb'],
    ['{{ not workload.yes_ }}', false],
    ["{{ workload.empty or 'other' }}", 'other'],
  ])('%s', async (expression, expected) => {
    expect(await value(expression)).toEqual(expected);
  });
});

describe('a template is refused:', () => {
  it.each<[string, string]>([
    ['{{ workload.missing }}', 'TEMPLATE_UNDEFINED: workload has no "missing"'],
    ['{{ workload.nmae }}', 'did you mean "name"?'],
    ['{{ workloud.name }}', 'did you mean "workload"?'],
    ["{{ workloud.name | default('x') }}", 'TEMPLATE_UNDEFINED: There is no variable "workloud"'],
    ['{{ env.HOME }}', 'TEMPLATE_UNDEFINED: env has no "HOME"'],
    ['{{ iter.x }}', 'TEMPLATE_UNDEFINED: `iter` is only there in a step with a loop'],
    ['{{ execution_id }}', 'TEMPLATE_UNDEFINED: `execution_id` is only there'],
    ['{{ workload.name', 'TEMPLATE_INVALID: An expression is not closed'],
    ['{{ }}', 'TEMPLATE_INVALID: An expression is empty'],
    ['{{ a b }}', 'TEMPLATE_INVALID'],
    ['{% if true %}x{% endif %}', 'TEMPLATE_INVALID: Statements'],
    ['{# note #}', 'TEMPLATE_INVALID: Comments'],
    ['{{ workload.name.upper() }}', 'TEMPLATE_INVALID: Calls are not accepted'],
    ['{{ range(3) }}', 'TEMPLATE_INVALID: Calls are not accepted'],
    ['{{ workload.list[1:] }}', 'TEMPLATE_INVALID: Slices'],
    ['{{ 2 ** 3 }}', 'TEMPLATE_INVALID: The operator ** is not accepted'],
    ["{{ 'a' * 3 }}", 'TEMPLATE_INVALID: `*` needs two numbers'],
    ["{{ 'a' + 1 }}", 'join texts with `~`'],
    ["{{ 1 < 'a' }}", "TEMPLATE_INVALID: a number and a text can't be ordered"],
    ['{{ 1 / 0 }}', 'TEMPLATE_INVALID: Division by zero'],
    ['{{ 9007199254740993 }}', 'above 2^53'],
    ['{{ 9007199254740991 + 2 }}', 'above 2^53'],
    ["{{ '9007199254740993' | int }}", 'above 2^53'],
    ['{{ workload.name | uper }}', 'did you mean "upper"?'],
    ['{{ workload.name is string }}', 'TEMPLATE_INVALID: There is no test "string"'],
    ["{{ 'x' | int }}", 'TEMPLATE_INVALID: "x" is no whole number'],
    ['{{ [] | first }}', 'TEMPLATE_UNDEFINED: first of an empty list'],
    ['a{{ workload.nothing }}', "TEMPLATE_INVALID: None can't stand inside a text"],
    ['{{ workload.tpl }}', 'TEMPLATE_INVALID: workload.tpl is itself a template'],
    ["{{ workload.list | select('odd') }}", 'TEMPLATE_INVALID: There is no test "odd"'],
    ["{{ 'x' | replace('', 'y') }}", 'TEMPLATE_INVALID: replace needs a text to look for'],
    ["{{ 'x' | lower(1) }}", 'TEMPLATE_INVALID: The filter takes 0 arguments'],
    ["{{ 'a' if false }}", 'TEMPLATE_UNDEFINED: the condition does not hold'],
    [`{{ ${'a'.repeat(1100)} }}`, 'TEMPLATE_LIMIT'],
    [`{{ ${'['.repeat(400)}${']'.repeat(400)} }}`, 'TEMPLATE_LIMIT'],
  ])('%s', async (expression, expected) => {
    const found = await failure(expression);
    expect(found).toContain(expected);
    expect(found).toMatch(/^6:\d+ /);
  });
});
