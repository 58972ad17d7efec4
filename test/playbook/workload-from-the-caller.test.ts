import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import type { LoadRequest } from '../../src/playbook/load.ts';
import { error, load, playbook, projectStep } from './support.ts';

const WORKLOAD = '{ action: plan, a: { b: 1, c: [1, { d: x }] }, list: [x] }';

async function workload(changes: Partial<LoadRequest>): Promise<Json> {
  const { playbook: loaded, diagnostics } = await load(playbook(projectStep('{}'), WORKLOAD), changes);
  if (loaded === null) throw new Error(JSON.stringify(diagnostics));
  return loaded.scope.workload;
}

describe('the workload', () => {
  it("has the verb's action, unless a file or --set says otherwise, and its own under exec", async () => {
    expect(await workload({})).toMatchObject({ action: 'apply' });
    expect(await workload({ action: null })).toMatchObject({ action: 'plan' });
    expect(await workload({ sets: ['action=plan'] })).toMatchObject({ action: 'plan' });
    expect(await workload({ workloadFile: { path: 'w.yaml', text: 'action: other\n' } })).toMatchObject({
      action: 'other',
    });
  });

  it('merges a file, maps into maps, then each --set', async () => {
    const file = { path: 'w.yaml', text: 'a: { b: 2, e: 3 }\nlist: [y, z]\n' };
    expect(await workload({ workloadFile: file, sets: ['a.e=4'] })).toEqual({
      action: 'apply',
      a: { b: 2, e: 4, c: [1, { d: 'x' }] },
      list: ['y', 'z'],
    });
  });

  it.each<[string, Json]>([
    ['a.b=2', { a: { b: 2, c: [1, { d: 'x' }] } }],
    ['workload.a.b=true', { a: { b: true, c: [1, { d: 'x' }] } }],
    ['a.c[1].d=y', { a: { b: 1, c: [1, { d: 'y' }] } }],
    ['new.deep.key={ x: [1, 2] }', { new: { deep: { key: { x: [1, 2] } } } }],
    ['list[0]=y', { list: ['y'] }],
    ['list=[]', { list: [] }],
    ['a=', { a: null }],
    ['a=null', { a: null }],
    ['a=0123', { a: '0123' }],
    ['a=x=y', { a: 'x=y' }],
    ['a="x: y"', { a: 'x: y' }],
  ])('--set %s', async (set, expected) => {
    expect(await workload({ sets: [set] })).toMatchObject(expected as object);
  });

  it.each([
    ['a', 'is not path=value'],
    ['=1', 'is not path=value'],
    ['a..b=1', 'is not path=value'],
    ['.a=1', 'is not path=value'],
    ['a[x]=1', 'is not path=value'],
    ['[0]=1', 'leads through something'],
    ['list[1]=1', 'past the end of a list'],
    ['list.a=1', 'leads through something'],
    ['action.x=null', 'leads through something'],
    ['workload=1', 'names no key'],
    ['a.__proto__.x=1', 'is not path=value'],
    ['a=[1', 'the value is not valid YAML'],
    ['a={ __proto__: 1 }', 'the value is not valid YAML'],
  ])('--set %s is refused', async (set, expected) => {
    const found = await error(playbook(projectStep('{}'), WORKLOAD), { sets: [set] });
    expect(found).toContain(`USAGE: --set ${set}`);
    expect(found).toContain(expected);
  });

  it('file that is no mapping, or no YAML, is refused with its own name', async () => {
    const text = playbook(projectStep('{}'));
    const { diagnostics } = await load(text, { workloadFile: { path: 'w.yaml', text: 'a: 1\na: 2\n' } });
    expect(diagnostics).toMatchObject([{ code: 'DUPLICATE_KEY', source: { file: 'w.yaml', line: 2 } }]);
    expect(await error(text, { workloadFile: { path: 'w.yaml', text: '[1]' } })).toContain(
      'A workload file must be a mapping',
    );
  });

  it('is what templates see', async () => {
    const { playbook: loaded } = await load(playbook(projectStep('{ note: "{{ workload.action }}" }')), {
      sets: ['action=x'],
    });
    expect(loaded?.steps[0]?.input).toEqual({ note: 'x' });
  });
});
