import { describe, expect, it } from 'vitest';
import { cutWorkflow } from '../../src/playbook/yaml-slices.ts';
import { error, load, playbook, projectStep } from './support.ts';

const FILLER = 'x'.repeat(600);

function workflow(count: number, change: (index: number, text: string) => string = (_, text) => text): string {
  return Array.from({ length: count }, (_, i) =>
    change(i, projectStep(`{ project_id: p${i}, note: ${FILLER} }`, `s${i}`)),
  ).join('');
}

describe('a long playbook', () => {
  it('gives the same steps and places as a short one', async () => {
    const text = playbook(workflow(130));
    expect(cutWorkflow(text)?.items).toHaveLength(3);
    const { playbook: loaded } = await load(text);
    expect(loaded?.steps).toHaveLength(130);
    expect(loaded?.steps[129]?.source).toEqual({ file: 'playbook.yaml', line: 5 + 2 * 129, column: 5 });
    expect(loaded?.steps[129]?.positions.get('input.project_id')?.line).toBe(6 + 2 * 129);
    const [short] = (await load(playbook(workflow(1)))).playbook?.steps ?? [];
    expect({ ...loaded?.steps[0], positions: null }).toEqual({ ...short, positions: null });
  });

  it('may have keys after its workflow, comments and blank lines between steps, aliases across slices', async () => {
    const text = playbook(
      workflow(130, (i, step) =>
        i === 0
          ? step.replace('project_id: p0', 'project_id: &id p0')
          : i === 120
            ? `# note\n\n   # more\n${step.replace('project_id: p120', 'project_id: *id')}`
            : step,
      ),
    );
    const { playbook: loaded, diagnostics } = await load(`${text}x-after: { a: 1 }\nkeychain: []\n`);
    expect(loaded?.steps[120]?.input['project_id']).toBe('p0');
    expect(diagnostics.map((item) => item.code)).toEqual(['KEY_IGNORED']);
  });

  it.each([
    ['a second document', (text: string) => `${text}---\na: 1\n`, 'A second document'],
    ['the workflow twice', (text: string) => `${text}workflow: []\n`, 'DUPLICATE_KEY'],
    ['a key that stands before it', (text: string) => `${text}metadata: {}\n`, 'DUPLICATE_KEY'],
    [
      'an open quote in the middle',
      (text: string) => text.replace('project_id: p70', 'project_id: "p70'),
      'YAML_INVALID',
    ],
    [
      'a bad line in the middle',
      (text: string) => text.replace('  - step: s70\n', '  - step: s70\n   x: 1\n'),
      'YAML_INVALID',
    ],
    ['a tab in the middle', (text: string) => text.replace('  - step: s70\n', '  - step: s70\n\t'), 'YAML_INVALID'],
    ['a duplicate key in the middle', (text: string) => text.replace('project_id: p70,', 'note: a,'), 'DUPLICATE_KEY'],
  ])('with %s is judged as a whole', async (_name, change, expected) => {
    const { playbook: loaded, diagnostics } = await load(change(playbook(workflow(130))));
    expect(loaded).toBeNull();
    expect(diagnostics.map((item) => `${item.code}: ${item.detail}`).join('\n')).toContain(expected);
  });

  it('has places of the whole file in complaints', async () => {
    const text = playbook(workflow(130)).replace('project_id: p100', 'project_idd: p100');
    expect(await error(text)).toMatch(/^206:\d+ UNKNOWN_KEY/);
  });

  it.each([
    ['too short', playbook(workflow(3))],
    ['in flow style', `workflow: [${'a, '.repeat(60_000)}]\n`],
    ['a list that is no list', `workflow:\n  a: ${'x'.repeat(70_000)}\n`],
    ['few entries', playbook(workflow(40)).replace(FILLER, FILLER.repeat(100))],
  ])('is not cut when it is %s', (_name, text) => {
    expect(cutWorkflow(text)).toBeNull();
  });

  it('may have its list at the margin, and quoted or block text that looks like an entry', async () => {
    const margin = playbook(workflow(130).replaceAll(/^ {2}/gm, ''));
    expect((await load(margin)).playbook?.steps).toHaveLength(130);
    const block = `  - step: block\n    desc: |\n        - step: no\n      - step: neither\n    tool: { kind: http }\n`;
    const { playbook: loaded } = await load(
      playbook(
        workflow(70) +
          block.replace('      - step: neither\n', '') +
          workflow(70, (i, text) => text.replaceAll(`s${i}\n`, `t${i}\n`)),
      ),
    );
    expect(loaded?.steps).toHaveLength(141);
  });
});
