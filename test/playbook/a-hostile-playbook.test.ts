import { describe, expect, it } from 'vitest';
import { error, errors, inputOf, load, playbook, projectStep } from './support.ts';

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const started = Date.now();
  const result = await work;
  expect(Date.now() - started).toBeLessThan(milliseconds);
  return result;
}

describe('a hostile playbook', () => {
  it.each([
    '{{ workload.constructor }}',
    "{{ workload['constructor'] }}",
    "{{ workload['__proto__'] }}",
    '{{ workload.list.constructor }}',
    "{{ workload.list['length'] }}",
    '{{ workload.name.constructor }}',
    "{{ workload.name['__proto__'].x }}",
    '{{ workload.toString }}',
    '{{ env.constructor }}',
    "{{ workload.list | map(attribute='constructor') }}",
    "{{ [workload] | map(attribute='constructor') }}",
  ])('reaches nothing of JavaScript through %s', async (expression) => {
    const text = playbook(projectStep(`{ note: ${JSON.stringify(expression)} }`), '{ name: x, list: [1] }');
    expect(await error(text)).toContain('TEMPLATE_UNDEFINED');
  });

  it('sets no prototype through a key of the file, a template or --set', async () => {
    expect(await errors(playbook(projectStep('{ labels: { __proto__: { polluted: 1 } } }')))).toEqual([
      expect.stringContaining('"__proto__" is not accepted'),
    ]);
    const literal = playbook(projectStep(`{ labels: "{{ {'__proto__': {'polluted': 1}} }}" }`));
    expect(await error(literal)).toContain('TEMPLATE_INVALID');
    expect(await error(playbook(projectStep('{}')), { sets: ['__proto__.polluted=1'] })).toContain('USAGE');
    expect(await error(playbook(projectStep('{}')), { sets: ['a={__proto__: {polluted: 1}}'] })).toContain('USAGE');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('may use constructor and toString as plain keys', async () => {
    const input = await inputOf(
      playbook(
        projectStep('{ labels: { constructor: a, toString: "{{ workload.constructor }}" } }'),
        '{ constructor: b }',
      ),
    );
    expect(input['labels']).toEqual({ constructor: 'a', toString: 'b' });
  });

  it('does not expand aliases without end', async () => {
    const lines = ['x-0: &a0 [1,1,1,1,1,1,1,1,1,1]'];
    for (let i = 1; i < 12; i += 1)
      lines.push(`x-${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(', ')}]`);
    const found = await within(3000, errors(`${lines.join('\n')}\n${playbook(projectStep('{}'))}`));
    expect(found.filter((line) => line.includes('YAML_LIMIT'))).toHaveLength(1);
    expect(found[0]).toContain('YAML_LIMIT: Aliases expand');
  });

  it('does not hold an alias inside its own anchor', async () => {
    expect((await errors('a: &a [*a]\n'))[0]).toContain('YAML_INVALID: The alias *a has no finished anchor');
  });

  it.each([
    ['flow', '['.repeat(100_000)],
    ['closed flow', `${'['.repeat(3000)}${']'.repeat(3000)}`],
    ['block', `${'- '.repeat(50_000)}x`],
    ['maps', `${'{a: '.repeat(3000)}1${'}'.repeat(3000)}`],
    ['keys', `${'? '.repeat(5000)}x`],
  ])('nests too deep in %s style: refused at once', async (_name, text) => {
    const found = await within(3000, errors(`a: ${text}\n`));
    expect(found[0]).toMatch(/YAML_(LIMIT|INVALID)/);
  });

  it('nests too deep through aliases: refused', async () => {
    const open = '['.repeat(40);
    const close = ']'.repeat(40);
    const found = await errors(`a: &a ${open}1${close}\nb: &b ${open}*a${close}\n`);
    expect(found.filter((line) => line.includes('YAML_LIMIT'))).toHaveLength(1);
  });

  it('has 20,000 keys or anchors: read in linear time', async () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `  k${i}: &a${i} ${i}\n  l${i}: *a${i}`).join('\n');
    const text = `x-many:\n${keys}\n${playbook(projectStep('{ project_id: p }'))}`;
    expect((await within(8000, load(text))).playbook).not.toBeNull();
  });

  it('burns no time in templates', async () => {
    const list = `[${Array.from({ length: 2000 }, (_, i) => i).join(', ')}]`;
    const nested = "{{ workload.l | map('string') | join(',') | split(',') | map('replace', '1', workload.s) | join }}";
    const text = playbook(
      projectStep(`{ note: ${JSON.stringify(nested)} }`),
      `{ l: ${list}, s: "${'x'.repeat(5000)}" }`,
    );
    expect(await within(3000, error(text))).toContain('TEMPLATE_LIMIT');
  });

  it('repeats costly templates in a loop: the whole is bounded', async () => {
    const list = `[${Array.from({ length: 3000 }, (_, i) => i).join(', ')}]`;
    const text = playbook(
      `  - step: p\n    loop: { in: "{{ workload.l }}", iterator: x }\n    tool: { kind: provider, action: google.cloudresourcemanager.projects.ensure, input: { note: "{{ workload.l | map('string') | map('int') | map('string') | sort | join }}" } }\n`,
      `{ l: ${list} }`,
    );
    const found = await within(20_000, errors(text));
    expect(found[0]).toContain('TEMPLATE_LIMIT');
  });

  it('has an expression of white space: cut off', async () => {
    expect(await within(2000, error(playbook(projectStep(`{ note: "{{${' '.repeat(64_000)}x }}" }`))))).toContain(
      'TEMPLATE_LIMIT',
    );
  });

  it('has many openings: scanned once', async () => {
    expect(await within(3000, error(playbook(projectStep(`{ note: "${'{{'.repeat(100_000)}" }`))))).toContain(
      'TEMPLATE_LIMIT',
    );
    const braces = await within(3000, inputOf(playbook(projectStep(`{ note: "${'{ '.repeat(100_000)}" }`))));
    expect(String(braces['note'])).toHaveLength(200_000);
  });

  it('makes more than 100,000 steps: refused', async () => {
    const list = `[${Array.from({ length: 400 }, (_, i) => i).join(', ')}]`;
    const step = (name: string) =>
      `  - step: ${name}\n    loop: { in: "{{ workload.l }}", iterator: x }\n    tool: { kind: provider, action: google.serviceusage.services.enable, input: { project_id: p, services: "{{ workload.l }}" } }\n`;
    expect((await within(20_000, errors(playbook(step('a'), `{ l: ${list} }`))))[0]).toContain(
      'YAML_LIMIT: The playbook has more than 100000 steps',
    );
  });

  it('orders one long loop after another: the edges are bounded', async () => {
    const list = `[${Array.from({ length: 3000 }, (_, i) => i).join(', ')}]`;
    const step = (name: string, more: string) =>
      `  - step: ${name}\n    loop: { in: "{{ workload.l }}", iterator: x }\n${more}    tool: { kind: provider, action: google.cloudresourcemanager.projects.ensure, input: { project_id: "{{ iter.x }}" } }\n`;
    const text = playbook(step('a', '') + step('b', '    depends_on: [a]\n'), `{ l: ${list} }`);
    expect((await within(20_000, errors(text)))[0]).toContain('YAML_LIMIT: depends_on and next give more than');
  });

  it('gives a thousand complaints at most', async () => {
    const text = playbook(Array.from({ length: 3000 }, (_, i) => `  - step: s${i}\n    tol: x\n`).join(''));
    expect((await load(text)).diagnostics).toHaveLength(1000);
  });
});

describe('a text of millions of tokens', () => {
  it('is refused before they fill the memory', async () => {
    const found = await within(60_000, errors(`x-a: [${','.repeat(6_000_000)}]\n`));
    expect(found[0]).toContain('YAML_LIMIT: The text has more than 5000000 tokens in one piece');
  }, 90_000);

  it('that is cut in slices is judged by them: it is not read a second time', async () => {
    const filler = 'x'.repeat(90_000);
    const workflow = Array.from({ length: 100 }, (_, i) =>
      projectStep(`{ project_id: p${i}, note: ${filler} }`, `s${i}`),
    ).join('');
    const text = playbook(workflow).replace('project_id: p70,', 'project_id: "p70,');
    expect((await errors(text))[0]).toMatch(/^\d+:\d+ YAML_INVALID/);
    expect((await errors(text.replace('"p70', 'p70').replace('note: x', 'project_id: x')))[0]).toMatch(
      /^6:\d+ DUPLICATE_KEY/,
    );
  });
});
