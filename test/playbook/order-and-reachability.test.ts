import { describe, expect, it } from 'vitest';
import { error, errors, load, playbook, steps } from './support.ts';

const TOOL = 'tool: { kind: provider, action: google.cloudresourcemanager.projects.ensure, input: { project_id: p } }';

function step(name: string, more = '', tool = TOOL): string {
  const keys = [`step: ${name}`, more, tool].filter((part) => part !== '');
  return `  - ${keys.join('\n    ')}\n`;
}

async function order(workflow: string): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await steps(playbook(workflow))).map((item) => [
      item.address,
      item.skip === null ? item.dependsOn.join(' ') : item.skip.kind,
    ]),
  );
}

describe('order', () => {
  it.each([
    ['next: [{ step: b }]'],
    ['next: b'],
    ['next: [b]'],
    ['next: { step: b }'],
    ['next: { arcs: [{ step: b }] }'],
    ['next: { spec: { mode: exclusive }, arcs: [{ step: b, when: true }] }'],
    ['next: { arcs: [b] }'],
  ])('comes from %s', async (next) => {
    expect(await order(step('a', next) + step('b'))).toEqual({ a: '', b: 'a' });
  });

  it('comes from depends_on: a name means all instances, an address one', async () => {
    const loop = step('l', 'loop: { in: [x, y], iterator: i }');
    expect(await order(`${loop}${step('a', 'depends_on: [l]')}${step('b', 'depends_on: "l[y]"')}`)).toEqual({
      'l[x]': '',
      'l[y]': '',
      a: 'l[x] l[y]',
      b: 'l[y]',
    });
  });

  it('survives steps that are not run', async () => {
    const workflow =
      step('a', 'next: r') +
      step('r', 'next: [s]', '') +
      step('s', 'next: b', 'tool: { kind: http, url: x }') +
      step('b') +
      step('c', 'depends_on: r');
    expect(await order(`${step('start', 'next: [a, c]', '')}${workflow}`)).toEqual({
      start: 'routing',
      a: '',
      r: 'routing',
      s: 'not_provider',
      b: 'a',
      c: 'a',
    });
  });

  it('does not hang on circles of routes', async () => {
    expect(
      await order(step('a', 'next: r') + step('r', 'next: q', '') + step('q', 'next: [r, b]', '') + step('b')),
    ).toMatchObject({ b: 'a' });
    expect(await order(step('a', 'next: b') + step('b', 'next: a'))).toEqual({ a: 'b', b: 'a' });
  });

  it.each([
    [
      step('a', 'depends_on: [aa, bb]') + step('bbb'),
      ['UNKNOWN_STEP: depends_on of "a" names a step "aa"', 'did you mean "bbb"?'],
    ],
    [step('a', 'next: [{ step: c }]') + step('b'), ['UNKNOWN_STEP: next of "a" names a step "c"', '']],
    [step('a', 'depends_on: { x: 1 }'), ['INVALID_VALUE: depends_on must be', '']],
    [step('a', 'next: { arc: [] }'), ['UNKNOWN_KEY: next has no key "arc". (did you mean "arcs"?)', '']],
    [step('a', 'next: { arcs: x }'), ['INVALID_VALUE: next.arcs must be a list', '']],
    [step('a', 'next: [{ stp: b }]'), ['UNKNOWN_KEY: An arc of next has no key "stp"', '']],
    [step('a', 'next: [[a]]'), ['INVALID_VALUE: An arc of next must be a mapping', '']],
  ])('is refused: %#', async (workflow, expected) => {
    const found = (await errors(playbook(workflow))).join('\n');
    for (const part of expected) expect(found).toContain(part);
  });

  it('may name an end that is not written', async () => {
    expect(await order(step('a', 'next: end'))).toEqual({ a: '' });
  });
});

describe("what can't be reached", () => {
  it('is everything reachable where nothing routes', async () => {
    expect(await order(step('a') + step('b'))).toEqual({ a: '', b: '' });
  });

  it('is counted from start, else from the first step, and noted', async () => {
    const { playbook: loaded, diagnostics } = await load(
      playbook(step('z') + step('start', 'next: a', '') + step('a') + step('b')),
    );
    expect(loaded?.steps.map((item) => item.skip?.kind ?? 'run')).toEqual([
      'unreachable',
      'routing',
      'run',
      'unreachable',
    ]);
    expect(diagnostics.map((item) => [item.code, item.severity, item.address])).toEqual([
      ['STEP_SKIPPED', 'note', 'z'],
      ['STEP_SKIPPED', 'note', 'b'],
    ]);
    expect(await order(step('a', 'next: b') + step('b') + step('c'))).toEqual({ a: '', b: 'a', c: 'unreachable' });
  });

  it('has no result to refer to', async () => {
    const text = playbook(
      step('a', 'next: b') + step('b', '', TOOL.replace('p }', '"{{ steps.c.id }}" }')) + step('c'),
    );
    expect(await error(text)).toContain('UNKNOWN_STEP: The step "c" has no result here: no `next` leads to it');
  });
});

describe('a condition on the way', () => {
  const conditional = step('a', 'next: { arcs: [{ step: b, when: "{{ a.data.x }}" }] }') + step('b');
  const admitted = (admit: string) => step('a', `spec: { policy: { admit: ${admit} } }`);

  it('is an error with what to do instead, under exec a note', async () => {
    expect(await error(playbook(conditional))).toMatch(/CONDITIONAL_ROUTE: The arc from "a" has a condition.*--set/);
    const { playbook: loaded, diagnostics } = await load(playbook(conditional), { conditionalRoutes: 'note' });
    expect(loaded).not.toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'CONDITIONAL_ROUTE', severity: 'note' }]);
  });

  it.each([
    '{ rules: [{ when: "{{ x }}", then: { allow: true } }] }',
    '{ rules: [{ else: { then: { allow: false } } }] }',
    '{ mode: x }',
    'false',
    '[{ when: x }]',
  ])('admission %s: an error', async (admit) => {
    expect(await error(playbook(admitted(admit)))).toContain('CONDITIONAL_ROUTE: The step "a" has an admission rule');
  });

  it.each(['true', '', '{}', '{ rules: [] }', '{ rules: [{ then: { allow: true } }] }', '[{ allow: true }]', '[true]'])(
    'admission %s: open',
    async (admit) => {
      expect(await order(admitted(admit))).toEqual({ a: '' });
    },
  );

  it("in the rest of spec is NoETL's: a note", async () => {
    const { diagnostics } = await load(playbook(step('a', 'spec: { mode: x, policy: { lifecycle: y } }')));
    expect(diagnostics.map((item) => item.code)).toEqual(['KEY_IGNORED', 'KEY_IGNORED']);
  });
});
