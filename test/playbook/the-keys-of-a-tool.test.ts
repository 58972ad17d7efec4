import { describe, expect, it } from 'vitest';
import { DEFAULT_POLL, type Step } from '../../src/core/step.ts';
import { error, errors, load, playbook, projectStep, steps } from './support.ts';

const ENSURE = 'action: google.cloudresourcemanager.projects.ensure';

function tool(keys: string, stepKeys = ''): string {
  return playbook(
    `  - step: p\n${stepKeys}    tool: { kind: provider, ${ENSURE}, ${keys} }\n`,
    '{ yes_: true, text: "No", n: 5, e: "" }',
  );
}

async function only(text: string): Promise<Step> {
  const [first] = await steps(text);
  if (first === undefined) throw new Error('no step');
  return first;
}

describe('dry_run', () => {
  it.each<[string, boolean]>([
    ['true', true],
    ['false', false],
    ['"TRUE"', true],
    ['"False"', false],
    ['1', true],
    ['0', false],
    ['"1"', true],
    ['yes', true],
    ['NO', false],
    ['', true],
    ['null', true],
    ['""', true],
    ['"  "', true],
    ['"{{ workload.yes_ }}"', true],
    ['"{{ workload.text }}"', false],
    ['"{{ workload.e }}"', true],
    ['"{{ workload.n != 5 }}"', false],
  ])('%s is %s', async (written, expected) => {
    expect((await only(tool(`dry_run: ${written}`))).dryRun).toBe(expected);
  });

  it.each(['perhaps', '2', 'on', 'off', '[true]', '{ a: 1 }', '1.0', '"{{ workload.n }}"'])(
    '%s is an error',
    async (written) => {
      expect(await error(tool(`dry_run: ${written}`))).toContain('INVALID_VALUE: dry_run must be a boolean or one of');
    },
  );

  it('is null where it is not written', async () => {
    expect((await only(tool('stack: a'))).dryRun).toBeNull();
  });
});

describe("the tool's keys", () => {
  it('are read with their types', async () => {
    const step = await only(
      tool(
        'provider: google, runtime: rust-sdk, reconcile: adopt, stack: 12, protect: true, confirm: abc, known_desired: { a: 1 }, poll: { max_attempts: 3 }, timeout: 90',
      ),
    );
    expect(step).toMatchObject({
      provider: 'google',
      action: 'google.cloudresourcemanager.projects.ensure',
      reconcile: 'adopt',
      stack: '12',
      protect: true,
      confirm: 'abc',
      knownDesired: { a: 1 },
      poll: { ...DEFAULT_POLL, maxAttempts: 3 },
      timeoutMs: 90_000,
      guard: null,
      auth: null,
      endpoint: null,
    });
  });

  it.each<[string, number]>([
    ['500ms', 500],
    ['30s', 30_000],
    ['"5 m"', 300_000],
    ['1h', 3_600_000],
    ['0.5', 500],
  ])('timeout %s is %d ms', async (written, expected) => {
    expect((await only(tool(`timeout: ${written}`))).timeoutMs).toBe(expected);
    expect((await only(tool('stack: a', `    timeout: ${written}\n`))).timeoutMs).toBe(expected);
  });

  it.each([
    ['timeout: 0', 'timeout must be a duration'],
    ['timeout: 3d', 'timeout must be a duration'],
    ['timeout: 48h', 'timeout must be a duration'],
    ['reconcile: enforced', 'did you mean "enforce"?'],
    ['reconcile: [report]', 'reconcile must be report, enforce or adopt, not a list'],
    ['protect: maybe', 'protect must be true or false'],
    ['protect: ', 'protect must be true or false, not nothing'],
    ['stack: [a]', 'stack must be a text'],
    ['stack: "a\\nb"', 'stack must be a text of one line'],
    ['poll: 3', 'poll'],
    ['poll: { max_attempts: 0 }', 'poll.max_attempts'],
    ['poll: { max_wait_secs: "1" }', 'poll.max_wait_secs'],
    ['poll: { max_attempt: 3 }', 'UNKNOWN_KEY: poll has no key "max_attempt". (did you mean "max_attempts"?)'],
    ['runtime: grpc', 'runtime must be rest or rust-sdk'],
    [
      'reconcil: report',
      'UNKNOWN_KEY: The tool of step "p" (google) has no key "reconcil". (did you mean "reconcile"?)',
    ],
    ['settings: {}', 'UNKNOWN_KEY: The tool of step "p" (google) has no key "settings"'],
    ['input: [a]', 'input of step "p" must be a mapping'],
    ['input: "{{ workload.n }}"', 'input of step "p" must be a mapping'],
    [
      'input: { project_idd: x }',
      'UNKNOWN_KEY: The input of google.cloudresourcemanager.projects.ensure has no key "project_idd". (did you mean "project_id"?)',
    ],
  ])('%s is an error', async (keys, expected) => {
    const found = await error(tool(keys));
    expect(found).toContain(expected);
    expect(found).toMatch(/^6:\d+ /);
  });

  it('of NoETL are accepted with a note', async () => {
    const { playbook: loaded, diagnostics } = await load(
      tool('name: a, retry: 1, args: {}, output: x', '    args: {}\n    set: {}\n    vars: {}\n    retry: 2\n'),
    );
    expect(loaded).not.toBeNull();
    expect(diagnostics.map((item) => `${item.code} ${item.severity}`)).toEqual(Array(8).fill('KEY_IGNORED note'));
  });

  it('an input may come from workload as a whole', async () => {
    const text = playbook(
      `  - step: p\n    tool: { kind: provider, ${ENSURE}, input: "{{ workload.input }}" }\n`,
      '{ input: { project_id: a } }',
    );
    expect((await only(text)).input).toEqual({ project_id: 'a' });
    expect(await error(text.replace('project_id: a', 'project_idd: a'))).toContain('UNKNOWN_KEY');
  });
});

describe('provider and action', () => {
  const written = (keys: string, more = '') =>
    playbook(`  - step: p\n    tool: { kind: provider, ${keys} }\n`, '{ which: projects }', more);

  it.each([
    ['action: google.cloudresourcemanager.projects.ensure', 'google'],
    ['provider: google, action: projects.ensure, service: cloudresourcemanager.googleapis.com', 'google'],
    ['action: projects.ensure, service: cloudresourcemanager.googleapis.com', 'google'],
    ['action: "google.cloudresourcemanager.{{ workload.which }}.ensure"', 'google'],
    ['action: yandex.vpc.network.ensure', 'yandex'],
  ])('%s', async (keys, provider) => {
    expect((await only(written(keys))).provider).toBe(provider);
  });

  it("the action's provider wins over that of defaults", async () => {
    expect(
      (await only(written('action: yandex.vpc.network.ensure', 'defaults: { provider: google }\n'))).provider,
    ).toBe('yandex');
    expect(
      (
        await only(
          written(
            'action: projects.ensure, service: cloudresourcemanager.googleapis.com',
            'defaults: { provider: google }\n',
          ),
        )
      ).provider,
    ).toBe('google');
  });

  it.each([
    ['provider: google', 'MISSING_KEY: The tool of step "p" lacks the key "action"'],
    ['action: projects.ensure', 'MISSING_KEY: The tool of step "p" lacks the key "provider"'],
    [
      'provider: google, action: projects.ensure',
      'did you mean "google.cloudresourcemanager.projects.ensure"? The short form needs',
    ],
    [
      'action: google.cloudresourcemanager.projects.ensrue',
      'did you mean "google.cloudresourcemanager.projects.ensure"?',
    ],
    [
      'provider: google, action: project.ensure, service: cloudresourcemanager.googleapis.com',
      'did you mean "google.cloudresourcemanager.projects.ensure"?',
    ],
    ['provider: google, action: yandex.vpc.network.ensure', 'UNKNOWN_ACTION: google has no action'],
    ['provider: gogle, action: a.b', 'UNKNOWN_PROVIDER: There is no provider "gogle". (did you mean "google"?)'],
    ['provider: aws, action: a.b', 'PROVIDER_NOT_IMPLEMENTED'],
    ['action: azure.x.y.ensure', 'PROVIDER_NOT_IMPLEMENTED'],
    ['provider: [google], action: a.b', 'INVALID_VALUE: provider must be a text'],
    ['action: 12', 'INVALID_VALUE: action must be a text'],
  ])('%s: an error', async (keys, expected) => {
    expect(await error(written(keys))).toContain(expected);
  });

  it('a provider without a catalogue is not implemented', async () => {
    expect(await error(written('action: yandex.vpc.network.ensure'), { catalogues: new Map() })).toContain(
      'PROVIDER_NOT_IMPLEMENTED',
    );
  });

  it('yandex has its own keys', async () => {
    const step = await only(
      written(
        'action: yandex.vpc.network.ensure, settings: { folder_id: b1g }, identity: { project: a, owner: b }, logical_id: net, resource_id: enp1',
      ),
    );
    expect(step).toMatchObject({
      settings: { folder_id: 'b1g' },
      identity: { project: 'a', owner: 'b' },
      logicalId: 'net',
      resourceId: 'enp1',
    });
    expect(await error(written('action: yandex.vpc.network.ensure, endpoint: http://x'))).toContain('UNKNOWN_KEY');
  });
});

describe('a tool', () => {
  it.each([
    [`[{ kind: provider, ${ENSURE} }]`],
    [`[{ name: x, kind: provider, ${ENSURE} }]`],
    [`[{ label: { kind: provider, ${ENSURE} } }]`],
  ])('may be a list of one: %s', async (written) => {
    expect((await only(playbook(`  - step: p\n    tool: ${written}\n`))).skip).toBeNull();
  });

  it.each([
    ['{ kind: shell, cmds: [] }', 'shell'],
    ['http', 'http'],
    ['[{ kind: http }, { kind: python }]', 'a list of tasks'],
    ['[{ fetch: { kind: http } }]', 'http'],
  ])('that is no provider is skipped and never judged: %s', async (written, what) => {
    const { playbook: loaded, diagnostics } = await load(
      playbook(`  - step: p\n    when: x\n    sink: y\n    tool: ${written}\n${projectStep('{}')}`),
    );
    expect(loaded?.steps[0]).toMatchObject({ address: 'p', action: '', skip: { kind: 'not_provider' } });
    expect(diagnostics).toMatchObject([{ code: 'STEP_SKIPPED', severity: 'note' }]);
    expect(diagnostics[0]?.detail).toContain(what);
  });

  it.each([
    [`{ ${ENSURE} }`, 'MISSING_KEY: The tool of step "p" lacks the key "kind". (kind: provider)'],
    ['{ kind: 1 }', 'tool.kind must be a text'],
    ['{ kind: provder }', 'did you mean "provider"?'],
    ['Provider', 'did you mean "provider"?'],
    ['provider', 'tool must be a mapping'],
    ['12', 'tool must be a mapping'],
    ['[]', 'A tool that is a list holds exactly one task'],
    [`[{ kind: provider, ${ENSURE} }, { kind: http }]`, 'A tool that is a list holds exactly one task'],
  ])('is refused: %s', async (written, expected) => {
    expect(await error(playbook(`  - step: p\n    tool: ${written}\n`))).toContain(expected);
  });

  it('that is missing makes a step that only routes; its keys are still judged', async () => {
    expect((await only(playbook('  - step: end\n'))).skip?.kind).toBe('routing');
    expect(await error(playbook('  - step: p\n    tol: x\n'))).toContain('did you mean "tool"?');
  });
});

describe("a step's name", () => {
  it.each([
    'workload',
    'iter',
    'env',
    'steps',
    'execution_id',
    '"a[b]"',
    '"a\\nb"',
    '" a"',
    '[a]',
    '""',
    '"a\\u202eb"',
  ])("can't be %s", async (name) => {
    expect(await error(playbook(projectStep('{}', name)))).toContain('INVALID_VALUE');
  });

  it('stands once', async () => {
    expect(await error(playbook(projectStep('{}') + projectStep('{}')))).toBe(
      '7:11 DUPLICATE_STEP: The step "project" stands already at 5:5.',
    );
  });

  it('may be a number or have blanks', async () => {
    expect((await only(playbook(projectStep('{}', '12')))).address).toBe('12');
    expect((await errors(playbook(projectStep('{ a: 1 }', 'a b')))).join()).toContain('UNKNOWN_KEY');
  });
});
