import { describe, expect, it } from 'vitest';
import { diagnostic } from '../../src/core/codes.ts';
import { DiagnosticError } from '../../src/core/diagnostics.ts';
import type { Json } from '../../src/core/json.ts';
import { display, isUnknown, type Reference, type Value } from '../../src/core/value.ts';
import { decidesOnUnknown, evaluateTemplate, evaluatorFor } from '../../src/playbook/evaluate.ts';
import { error, errors, load, playbook, projectStep, steps } from './support.ts';

const FOLDER =
  '  - step: folder\n    tool: { kind: provider, action: google.cloudresourcemanager.folders.ensure, input: { parent: organizations/1, display_name: a } }\n';
const LOOP =
  '  - step: many\n    loop: { in: [a, b-c], iterator: x }\n    tool: { kind: provider, action: google.cloudresourcemanager.folders.ensure, input: { parent: organizations/1, display_name: "{{ iter.x }}" } }\n';
const APIS =
  '  - step: apis\n    loop: { in: [p1], iterator: p }\n    tool: { kind: provider, action: google.serviceusage.services.enable, input: { project_id: "{{ iter.p }}", services: [dns.googleapis.com] } }\n';
const WEIRD =
  '  - step: 1 weird-step\n    tool: { kind: provider, action: google.cloudresourcemanager.folders.list, input: { parent: organizations/1 } }\n';

function withNote(expression: string): string {
  return playbook(
    FOLDER + LOOP + APIS + WEIRD + projectStep(`{ note: ${JSON.stringify(expression)} }`, 'last'),
    '{ which: folder, key: a }',
  );
}

async function note(expression: string): Promise<{ value: Value | undefined; dependsOn: readonly string[] }> {
  const last = (await steps(withNote(expression))).at(-1);
  return { value: last?.input['note'], dependsOn: last?.dependsOn ?? [] };
}

describe('a reference', () => {
  it.each<[string, Reference]>([
    ['steps.folder.resource.name', { address: 'folder', path: 'resource.name' }],
    ['steps.folder', { address: 'folder', path: '' }],
    ["steps['folder']['resource'].name", { address: 'folder', path: 'resource.name' }],
    ['folder.data.resource.name', { address: 'folder', path: 'resource.name' }],
    ['folder.result.resource.name', { address: 'folder', path: 'resource.name' }],
    ["steps.many['b-c'].resource.name", { address: 'many[b-c]', path: 'resource.name' }],
    ["many['a'].data.resource.name", { address: 'many[a]', path: 'resource.name' }],
    ["steps.apis['p1']['dns.googleapis.com'].urn", { address: 'apis[p1][dns.googleapis.com]', path: 'urn' }],
    ["steps['1 weird-step'].resource.folders[0].name", { address: '1 weird-step', path: 'resource.folders[0].name' }],
    ["steps.folder.resource['a.b']", { address: 'folder', path: 'resource["a.b"]' }],
    ['steps[workload.which].urn', { address: 'folder', path: 'urn' }],
    ['steps.many[workload.key].urn', { address: 'many[a]', path: 'urn' }],
  ])('%s', async (expression, expected) => {
    const { value, dependsOn } = await note(`{{ ${expression} }}`);
    expect(value !== undefined && isUnknown(value) && value.parts).toEqual([expected]);
    expect(dependsOn).toEqual([expected.address]);
  });

  it('inside a text is a part of it', async () => {
    const { value } = await note("a/{{ steps.folder.id }}/{{ workload.key }}/{{ 'x' ~ folder.data.n }}");
    expect(value !== undefined && isUnknown(value) && value.parts?.length).toBe(4);
    expect(display(value ?? null)).toBe('a/(known after apply: folder.id)/a/x(known after apply: folder.n)');
  });

  it('alone but in a text is a text', async () => {
    const { value } = await note("{{ '' }}{{ steps.folder.id }}");
    expect(value !== undefined && isUnknown(value) && value.parts).toEqual(['', { address: 'folder', path: 'id' }]);
  });

  it('in a list or a map stays one there', async () => {
    const { value } = await note("{{ [steps.folder.id, {'a': steps.folder.n}] }}");
    expect(display(value ?? null)).toEqual(['(known after apply: folder.id)', { a: '(known after apply: folder.n)' }]);
  });

  it('in the branch that is not taken is none', async () => {
    expect(await note("{{ steps.folder.id if workload.key == 'b' else 'no' }}")).toEqual({
      value: 'no',
      dependsOn: [],
    });
  });

  it.each<[string, readonly string[]]>([
    ['{{ steps.folder.id | upper }}', ['folder']],
    ["{{ 'a' if steps.folder.id == 'x' else many['a'].data.id }}", ['folder', 'many[a]']],
    ["x-{{ steps.folder.id | default('none') }}", ['folder']],
    ['{{ [steps.folder.id] | join }}', ['folder']],
    ['{{ steps.folder.n + 1 }}', ['folder']],
    ['{{ steps.folder.id is defined }}', ['folder']],
  ])('that is decided on waits: %s', async (expression, expected) => {
    const { value, dependsOn } = await note(expression);
    if (value === undefined || !isUnknown(value)) throw new Error('not unknown');
    expect(value.parts).toBeNull();
    expect(value.template).toEqual({ text: expression, iter: null, addresses: expected });
    expect(dependsOn).toEqual(expected);
  });

  it.each([
    ['{{ steps.foldr.id }}', 'UNKNOWN_STEP: There is no step "foldr". (did you mean "folder"?)'],
    ["{{ steps.foldr.id | default('x') }}", 'UNKNOWN_STEP'],
    ['{{ steps.many.id }}', 'UNKNOWN_STEP: "many" is a loop without "id". (keys: \'a\', \'b-c\')'],
    ['{{ steps.many }}', "UNKNOWN_STEP: \"many\" is a loop: say which one. (keys: 'a', 'b-c')"],
    ["{{ steps.many['b'].id }}", 'UNKNOWN_STEP: "many" is a loop without "b".'],
    ["{{ steps.apis['p1'].id }}", 'UNKNOWN_STEP: "apis[p1]" is a list of services without "id".'],
    ['{{ folder.resource.name }}', 'write steps.folder.resource.name'],
    ['{{ steps }}', 'TEMPLATE_INVALID: `steps` alone'],
    ['{{ steps[folder.data.x].y }}', "TEMPLATE_INVALID: A reference to a result can't depend on another result"],
  ])('is refused: %s', async (expression, expected) => {
    expect(await error(withNote(expression))).toContain(expected);
  });

  it('to a step that infra never runs is an error', async () => {
    const text = playbook(
      `  - step: shell\n    tool: { kind: shell, cmds: [x] }\n${projectStep('{ note: "{{ steps.shell.out }}" }')}`,
    );
    expect(await error(text)).toContain(
      'UNKNOWN_STEP: The step "shell" has no result here: its tool is shell, which infra never runs',
    );
  });

  it.each(['stack', 'reconcile', 'dry_run', 'protect', 'action', 'provider', 'endpoint', 'timeout'])(
    "can't decide a step's %s",
    async (key) => {
      const tool = {
        kind: 'provider',
        action: 'google.cloudresourcemanager.projects.ensure',
        [key]: '{{ steps.folder.id }}',
      };
      expect((await errors(playbook(`${FOLDER}  - step: p\n    tool: ${JSON.stringify(tool)}\n`)))[0]).toContain(
        'STATIC_REQUIRED',
      );
    },
  );

  it('may stand in confirm and known_desired, and in desc as text', async () => {
    const text = playbook(
      `${FOLDER}  - step: p\n    desc: "after {{ steps.folder.id }} in {{ execution_id }}"\n    tool: { kind: provider, action: google.cloudresourcemanager.projects.ensure, confirm: "{{ folder.data.plan_digest }}", known_desired: { parent: "{{ steps.folder.id }}" } }\n`,
    );
    const last = (await steps(text)).at(-1);
    expect(last?.desc).toBe('after (known after apply: folder.id) in (known after apply: execution_id)');
    expect(display(last?.confirm ?? null)).toBe('(known after apply: folder.plan_digest)');
    expect(last?.dependsOn).toEqual(['folder']);
  });

  it('execution_id is there under exec', async () => {
    const result = await load(playbook(projectStep('{ note: "{{ execution_id }}" }')), { executionId: 42 });
    expect(result.playbook?.steps[0]?.input['note']).toBe(42);
  });
});

describe('a template that waits', () => {
  const scope = { workload: { a: 'w' }, env: {} };
  const results: Record<string, Json> = { folder: { id: 'abc', n: 2, list: [1, 2] }, 'many[a]': { id: 'mm' } };
  const lookup = ({ address, path }: Reference): Json | undefined => {
    const result = results[address] as Record<string, Json> | undefined;
    if (result === undefined) return undefined;
    if (path === '') return result;
    if (Object.hasOwn(result, path)) return result[path];
    throw new DiagnosticError([diagnostic('TEMPLATE_UNDEFINED', 'not there')]);
  };
  const run = (text: string, iter: Json = null) =>
    evaluateTemplate({ text, iter, addresses: ['folder', 'many[a]', 'later'] }, scope, lookup);

  it.each<[string, Json | undefined]>([
    ['{{ steps.folder.id | upper }}', 'ABC'],
    ['{{ folder.data.n + 1 }}', 3],
    ["{{ steps.many['a'].id ~ workload.a }}", 'mmw'],
    ["{{ many['a'].result.id }}", 'mm'],
    ["{{ steps.folder.nope | default('d') }}", 'd'],
    ['{{ steps.folder.nope is defined }}', false],
    ['{{ steps.later.id | upper }}', undefined],
    ["{{ 'x' if steps.folder.n == 2 else steps.later.id }}", 'x'],
    ['a-{{ steps.folder.id }}', 'a-abc'],
    ['{{ steps.folder.list | length }}', 2],
  ])('%s', async (text, expected) => {
    expect(await run(text)).toEqual(expected);
  });

  it("knows its loop's variables", async () => {
    expect(await run('{{ iter.x ~ steps.folder.id }}', { x: 'i', index: 0 })).toBe('iabc');
  });

  it('that fails says why, as a diagnostic', async () => {
    const evaluate = await evaluatorFor({ scope });
    const attempt = () => evaluate({ text: '{{ steps.folder.id + 1 }}', iter: null, addresses: ['folder'] }, lookup);
    expect(attempt).toThrowError(DiagnosticError);
    expect(attempt).toThrowError(/TEMPLATE_INVALID/);
    expect(() =>
      evaluate({ text: '{{ steps.folder.nope | upper }}', iter: null, addresses: ['folder'] }, lookup),
    ).toThrowError(/TEMPLATE_UNDEFINED/);
  });

  it("and still can't be decided names what it waits for", () => {
    const item = decidesOnUnknown({ text: '{{ steps.a.b | upper }}', iter: null }, [{ address: 'a', path: 'b' }]);
    expect(item).toMatchObject({ code: 'TEMPLATE_DECIDES', severity: 'error' });
    expect(item.detail).toContain('(known after apply: a.b)');
  });
});
