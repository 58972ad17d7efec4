import { describe, expect, it } from 'vitest';
import { error, errors, inputOf, playbook, projectStep } from './support.ts';

describe('YAML is never guessed:', () => {
  it.each([
    ['a key twice', 'a: 1\nb: 2\na: 3\n', '3:1 DUPLICATE_KEY: The key "a"'],
    ['a number and a text as the same key', '1: a\n"1": b\n', '2:1 DUPLICATE_KEY: The key "1"'],
    ['a merge key', 'a: &a { x: 1 }\nb:\n  <<: *a\n', '3:3 YAML_INVALID: Merge keys'],
    ['a second document', 'a: 1\n---\nb: 2\n', '2:1 YAML_INVALID: A second document'],
    ['YAML 1.1', '%YAML 1.1\n---\na: no\n', '1:1 YAML_INVALID: %YAML 1.1 is not supported'],
    ['an unknown tag', 'a: !!js/function "x"\n', '1:4 YAML_INVALID'],
    ['a binary tag', 'a: !!binary aGVsbG8=\n', '1:13 YAML_INVALID: The tag !!binary'],
    ['a map as a key', '{ a: 1 }: x\n', '1:1 YAML_INVALID: A key must be a plain text'],
    ['no key', '? \n: x\n', 'YAML_INVALID: A key must be a plain text'],
    ['an alias to nothing', 'a: *b\n', '1:4 YAML_INVALID: The alias *b'],
    ['an open bracket', 'a: [1, 2\nb: 3\n', 'YAML_INVALID'],
    ['bad indentation', 'a:\n  b: 1\n c: 2\n', '3:'],
  ])('%s', async (_name, text, expected) => {
    expect((await errors(text)).join('\n')).toContain(expected);
  });

  it('what follows from the first trouble at a place is not told', async () => {
    const found = await errors('{[}:::');
    expect(new Set(found.map((text) => text.split(' ', 1)[0])).size).toBe(found.length);
  });

  it('a tab is refused with its place and what to do', async () => {
    expect((await errors('a:\n\tb: 1\n'))[0]).toMatch(/^2:1 YAML_INVALID: .*tab/i);
  });

  it.each<[string, unknown]>([
    ['123', 123],
    ['0123', '0123'],
    ['1e3', '1e3'],
    ['1.0', '1.0'],
    ['1.5', 1.5],
    ['0x10', '0x10'],
    ['0o17', '0o17'],
    ['+5', '+5'],
    ['-0', '-0'],
    ['-12', -12],
    ['.inf', '.inf'],
    ['9007199254740993', '9007199254740993'],
    ['12345678901234567890123', '12345678901234567890123'],
    ['no', 'no'],
    ['on', 'on'],
    ['true', true],
    ['~', null],
    ['2001-01-01', '2001-01-01'],
    ['12:30:45', '12:30:45'],
    ['"0123"', '0123'],
    ['!!str 5', '5'],
  ])('the scalar %s stays what it is', async (source, expected) => {
    const text = playbook(projectStep(`{ note: ${source}, flag: "{{ workload.v }}" }`), `{ v: ${source} }`);
    expect(await inputOf(text)).toEqual({ note: expected, flag: expected });
  });

  it('an anchor is a copy', async () => {
    const text = playbook(projectStep('{ labels: &l { a: x }, note: *l }'));
    expect(await inputOf(text)).toEqual({ labels: { a: 'x' }, note: { a: 'x' } });
  });

  it('a whole-string template in a block scalar keeps its type', async () => {
    const step = `  - step: p\n    tool:\n      kind: provider\n      action: google.cloudresourcemanager.projects.ensure\n      input:\n        count: |\n          {{ workload.n }}\n        note: |\n          a {{ workload.n }}\n`;
    expect(await inputOf(playbook(step, '{ n: 3 }'))).toEqual({ count: 3, note: 'a 3\n' });
  });

  it('the first trouble does not hide the second', async () => {
    expect(await errors('a: 1\na: 2\nb: &x 1\nb: *y\n')).toHaveLength(3);
    expect(await error(playbook(projectStep('{ note: 1, note: 2 }')))).toContain('DUPLICATE_KEY');
  });
});
