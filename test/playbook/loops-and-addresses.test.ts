import { describe, expect, it } from 'vitest';
import { error, errors, playbook, steps } from './support.ts';

function looped(list: string, more = '', input = '{ project_id: "{{ iter.x }}" }'): string {
  return `  - step: p\n    loop: { in: ${list}, iterator: x${more} }\n    tool: { kind: provider, action: google.cloudresourcemanager.projects.ensure, input: ${input} }\n`;
}

async function addresses(list: string, workload = '{}'): Promise<readonly string[]> {
  return (await steps(playbook(looped(list, '', '{ note: "{{ iter.index }}" }'), workload))).map(
    (step) => step.address,
  );
}

describe('a loop', () => {
  it.each([
    ['[a, b]', ['p[a]', 'p[b]']],
    ['[1, 2.5, true]', ['p[1]', 'p[2.5]', 'p[true]']],
    ['[{ key: k, id: i }, { id: i, name: n }, { name: n }, { other: o }]', ['p[k]', 'p[i]', 'p[n]', 'p[3]']],
    ['[[a], [b]]', ['p[0]', 'p[1]']],
    ['[{ id: { x: 1 }, name: n }]', ['p[n]']],
    ['[]', []],
    ['"{{ workload.list }}"', ['p[x]', 'p[y]']],
    ["\"{{ workload.list | reject('in', ['x']) }}\"", ['p[y]']],
    ['["{{ workload.list[0] }}-1"]', ['p[x-1]']],
  ])('over %s has the addresses %j', async (list, expected) => {
    expect(await addresses(list, '{ list: [x, y] }')).toEqual(expected);
  });

  it('gives the element and the index', async () => {
    const found = await steps(
      playbook(looped('[{ id: a }]', '', '{ project_id: "{{ iter.x.id }}", count: "{{ iter.index }}" }')),
    );
    expect(found[0]?.input).toEqual({ project_id: 'a', count: 0 });
  });

  it.each([
    [looped('[a, b, a]'), 'DUPLICATE_STEP: Elements 0 and 2'],
    [looped('["", b]'), 'INVALID_VALUE: Element 0 of the loop has the key ""'],
    [looped('["a\\u202eb"]'), 'INVALID_VALUE: Element 0 of the loop has the key'],
    [looped('{ a: 1 }'), 'use `| items`'],
    [looped('abc'), 'INVALID_VALUE: loop.in must be a list, not "abc"'],
    [looped('"{{ workload.nope }}"'), 'TEMPLATE_UNDEFINED'],
    [looped('[a]', ', iteratr: y'), 'did you mean "iterator"?'],
    [looped('[a]').replace('iterator: x', 'iterator: index'), 'INVALID_VALUE: loop.iterator must be a name'],
    [looped('[a]').replace(', iterator: x', ''), 'MISSING_KEY: The loop of step "p" lacks the key "iterator"'],
    [looped('[a]').replace('in: [a], ', ''), 'MISSING_KEY: The loop of step "p" lacks the key "in"'],
    [looped('[a]', '', '{ project_id: "{{ iter.y }}" }'), 'TEMPLATE_UNDEFINED: iter has no "y"'],
  ])('is refused: %#', async (workflow, expected) => {
    expect(await error(playbook(workflow))).toContain(expected);
  });

  it("can't wait for a result", async () => {
    const first =
      '  - step: a\n    tool: { kind: provider, action: google.cloudresourcemanager.folders.list, input: { parent: organizations/1 } }\n';
    expect(await error(playbook(first + looped('"{{ steps.a.resource.folders }}"')))).toContain(
      "STATIC_REQUIRED: A loop's list can't wait",
    );
  });

  it('complains once about what is wrong in every pass', async () => {
    expect(
      await errors(playbook(looped('[a, b, c]', '', '{ project_idd: "{{ iter.x }}", note: "{{ workload.nope }}" }'))),
    ).toHaveLength(2);
  });
});

describe('a list of services', () => {
  const enable = (more: string, services: string) =>
    `  - step: apis\n${more}    tool: { kind: provider, action: google.serviceusage.services.enable, input: { project_id: p, services: ${services} } }\n`;

  it('makes one step a service', async () => {
    const found = await steps(playbook(enable('', '[a.com, b.com]')));
    expect(found.map((step) => [step.address, step.index, step.input])).toEqual([
      ['apis[a.com]', 0, { project_id: 'p', service_name: 'a.com' }],
      ['apis[b.com]', 1, { project_id: 'p', service_name: 'b.com' }],
    ]);
  });

  it('in a loop has two keys', async () => {
    const found = await steps(playbook(enable('    loop: { in: [x, y], iterator: p }\n', '[a.com]')));
    expect(found.map((step) => step.address)).toEqual(['apis[x][a.com]', 'apis[y][a.com]']);
  });

  it("can't take the address of another step", async () => {
    const text = playbook(enable('', '["x][y"]') + enable('    loop: { in: [x], iterator: p }\n', '[y]'));
    expect((await errors(text))[0]).toContain('DUPLICATE_STEP');
  });
});
