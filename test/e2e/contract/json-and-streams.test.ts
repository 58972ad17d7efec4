import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  ACCOUNT,
  type Cloud,
  expectExit,
  linesOf,
  ORG,
  openCloud,
  parsed,
  stepAt,
  TOKEN,
} from '../../support/e2e/cloud.ts';
import { applySchema, eventSchema, type PlannedStep, planSchema } from '../../support/e2e/contract.ts';
import { enable, folder, google, grant, link, project } from '../../support/e2e/playbooks.ts';

const PLAN_KEYS = [
  'format_version',
  'command',
  'mode',
  'target',
  'digest',
  'stack',
  'stacks',
  'playbook',
  'summary',
  'steps',
  'diagnostics',
  'batches',
];
const STEP_KEYS = [
  'address',
  'step',
  'action',
  'provider',
  'backend',
  'urn',
  'stack',
  'reconcile',
  'change',
  'present',
  'record',
  'depends_on',
  'input',
  'desired',
  'actual',
  'recorded',
  'diff',
  'unknown',
  'would_call',
  'converge',
  'plan_digest',
  'held',
  'drift',
  'preflight',
  'source',
  'diagnostics',
];

/** One of every kind of step: a change of each sort, a read, a held one, one with nothing to do, a delete. */
async function everyKind(): Promise<Cloud> {
  const cloud = await openCloud({
    seed: {
      folders: [
        { id: '10', displayName: '10-platform', parent: ORG },
        { id: '66', displayName: 'to delete', parent: ORG },
      ],
      projects: [{ projectId: 'acme-web', number: '555', displayName: 'Web', parent: ORG, labels: { theirs: 'x' } }],
    },
  });
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      google('list', 'cloudresourcemanager.folders.list', { parent: ORG }),
      folder('platform', { parent: ORG, display_name: '10-platform' }),
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      project('web', { project_id: 'acme-web', parent: 'folders/10', display_name: 'Acme Web' }),
      project('dns', { project_id: 'acme-dns', parent: '{{ steps.shared.resource.name }}' }),
      link('billing', { project_id: 'acme-dns', billing_account: ACCOUNT }),
      enable('apis', { project_id: 'acme-dns', services: ['dns.googleapis.com', 'iam.googleapis.com'] }),
      grant('team', { organization: ORG, role: 'roles/browser', member: 'group:team@example.com' }),
      grant('held', { organization: ORG, role: 'roles/viewer', member: 'group:team@example.com' }, { dry_run: true }),
      google('gone', 'cloudresourcemanager.folders.delete', { parent: ORG, display_name: 'to delete' }),
    ],
  });
  return cloud;
}

it.concurrent('a plan has all keys of the contract with the right types', async () => {
  const cloud = await everyKind();
  const { plan, stdout, ...ended } = await cloud.plan();
  expectExit({ ...ended, stdout }, 0);
  expect(Object.keys(JSON.parse(stdout))).toEqual(expect.arrayContaining(PLAN_KEYS));
  for (const step of plan.steps) expect(Object.keys(step)).toEqual(expect.arrayContaining(STEP_KEYS));
  expect(plan.summary).toEqual({
    create: 6,
    update: 0,
    move: 1,
    undelete: 0,
    delete: 1,
    adopt: 0,
    none: 1,
    read: 1,
    held: 1,
    blocked: 0,
    unknown: 0,
    skipped: 0,
  });
  expect(stepAt(plan, 'platform')).toMatchObject({
    change: 'none',
    present: true,
    record: 'own',
    diff: {},
    would_call: [],
  });
  expect(stepAt(plan, 'list')).toMatchObject({ change: 'read', reconcile: null, stack: null, converge: 'single' });
  expect(stepAt(plan, 'list').would_call).toHaveLength(1);
  expect(stepAt(plan, 'web')).toMatchObject({
    change: 'move',
    present: true,
    stack: 'prod',
    reconcile: 'enforce',
    action: 'google.cloudresourcemanager.projects.ensure',
    backend: 'rest',
    urn: 'google:cloudresourcemanager:project:acme-web',
    diff: {
      parent: { desired: 'folders/10', actual: ORG },
      display_name: { desired: 'Acme Web', actual: 'Web' },
    },
    actual: { parent: ORG },
    converge: 'ensure_project',
    source: { file: 'playbook.yaml' },
  });
  // Every write, the primary one last.
  expect(stepAt(plan, 'web').would_call.map((call) => ('method' in call ? call.method : ''))).toEqual([
    'PATCH',
    'POST',
  ]);
  expect(stepAt(plan, 'dns')).toMatchObject({
    depends_on: ['shared'],
    present: 'unknown',
    unknown: ['parent'],
    desired: { parent: '(known after apply: shared.resource.name)' },
  });
  expect(stepAt(plan, 'held')).toMatchObject({ held: 'dry_run', change: 'create' });
  expect(stepAt(plan, 'gone')).toMatchObject({
    change: 'delete',
    reconcile: null,
    converge: 'destroy',
    plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(stepAt(plan, 'shared').plan_digest).toBeNull();
  expect(plan.batches).toMatchObject([{ addresses: ['apis[dns.googleapis.com]', 'apis[iam.googleapis.com]'] }]);
});

it.concurrent('an apply has them, too, each step with its outcome, and the head of the log', async () => {
  const cloud = await everyKind();
  const { plan } = await cloud.plan();
  const { report, stdout, ...ended } = await cloud.apply(plan.digest);
  // An ensure step was held.
  expectExit({ ...ended, stdout }, 2);
  const keys = Object.keys(JSON.parse(stdout));
  expect(keys).toEqual(expect.arrayContaining([...PLAN_KEYS, 'execution_id', 'head']));
  for (const step of report.steps) {
    const more = ['outcome', 'resource', 'provider_fact', 'operation', 'duration_ms'];
    expect(Object.keys(step)).toEqual(expect.arrayContaining([...STEP_KEYS, ...more]));
  }
  const outcomes = Object.fromEntries(report.steps.map((step) => [step.address, step.outcome]));
  expect(outcomes).toEqual({
    list: 'read',
    platform: 'noop',
    shared: 'changed',
    web: 'changed',
    dns: 'changed',
    billing: 'changed',
    'apis[dns.googleapis.com]': 'changed',
    'apis[iam.googleapis.com]': 'changed',
    team: 'changed',
    held: 'held',
    gone: 'deleted',
  });
  expect(report.summary).toEqual({
    changed: 7,
    noop: 1,
    deleted: 1,
    absent: 0,
    adopted: 0,
    read: 1,
    held: 1,
    blocked: 0,
    failed: 0,
    uncertain: 0,
    pending: 0,
    refused: 0,
    rolled_back: 0,
    skipped: 0,
  });
  const last = cloud.rows.at(-1);
  expect(report.head).toBe(`${last?.['global_sequence']}:${last?.['hash']}`);
  expect(stepAt(report, 'shared')).toMatchObject({
    resource: { displayName: '00-shared' },
    provider_fact: { outcome: 'changed', verb: 'ensure', stack: 'prod', execution_id: report.execution_id },
  });
  expect(report.execution_id).toBeLessThan(2 ** 53);
});

it.concurrent('--format ndjson: one JSON object a line, each with type, @timestamp and @level, and nothing else on stdout', async () => {
  const cloud = await everyKind();
  const planned = await cloud.run(['plan', 'playbook.yaml', '--format', 'ndjson']);
  expectExit(planned, 0);
  const planEvents = linesOf(planned.stdout).map((line) => eventSchema.parse(JSON.parse(line)));
  expect(planned.stdout.endsWith('\n')).toBe(true);
  const types = planEvents.map(({ type }) => type);
  expect(types.slice(0, 2)).toEqual(['version', 'plan_start']);
  expect(types.filter((type) => type === 'step_planned')).toHaveLength(11);
  const summary = planEvents.find(({ type }) => type === 'plan_summary');
  expect(summary?.['summary']).toMatchObject({ create: 6, move: 1 });

  const applied = await cloud.run([
    'apply',
    'playbook.yaml',
    '--confirm',
    String(summary?.['digest']),
    '--format',
    'ndjson',
  ]);
  expectExit(applied, 2);
  const events = linesOf(applied.stdout).map((line) => eventSchema.parse(JSON.parse(line)));
  const seen = new Set(events.map(({ type }) => type));
  for (const type of ['version', 'lock_acquired', 'plan_start', 'step_start', 'step_outcome', 'fact', 'summary'])
    expect(seen).toContain(type);
  expect(events.filter(({ type }) => type === 'step_outcome')).toHaveLength(11);
  expect(planned.stdout + applied.stdout).not.toContain(TOKEN);
});

it.concurrent('results go to stdout, everything else to stderr', async () => {
  const cloud = await everyKind();
  const json = await cloud.plan();
  expect(json.stdout.trimStart().startsWith('{')).toBe(true);
  expect(json.stderr).not.toBe('');
  const human = await cloud.run(['plan', 'playbook.yaml']);
  expect(human.stdout).toContain('Digest: ');
  expect(human.stdout).not.toContain('planning');
  // No terminal: no colour.
  const colour = String.fromCharCode(27);
  expect(human.stdout + human.stderr).not.toContain(colour);
  const quiet = await cloud.run(['plan', 'playbook.yaml', '-q']);
  expect(quiet.stdout).toBe(human.stdout);
  expect(quiet.stderr).toBe('');
});

it.concurrent('--out writes several formats from one run', async () => {
  const cloud = await everyKind();
  const ended = await cloud.run([
    'plan',
    'playbook.yaml',
    '--format',
    'ndjson',
    '--out',
    'json=plan.json',
    '--out',
    'human=plan.txt',
    '--out',
    'ndjson=plan.ndjson',
  ]);
  expectExit(ended, 0);
  const plan = planSchema.parse(JSON.parse(readFileSync(join(cloud.folder, 'plan.json'), 'utf8')));
  expect(cloud.readText('plan.txt')).toContain(plan.digest);
  expect(linesOf(cloud.readText('plan.ndjson')).map((line) => JSON.parse(line).type)).toEqual(
    linesOf(ended.stdout).map((line) => JSON.parse(line).type),
  );
  const applied = await cloud.run([
    'apply',
    '--confirm',
    plan.digest ?? '',
    '--out',
    'json=apply.json',
    '--format',
    'human',
  ]);
  expectExit(applied, 2);
  const report = applySchema.parse(JSON.parse(cloud.readText('apply.json')));
  expect(applied.stdout).toContain(String(report.execution_id));
});

it.concurrent('the failure of a verb is one object with all keys', async () => {
  const cloud = await openCloud();
  const { failure, code, stdout } = await cloud.fail(['plan', 'none.yaml']);
  expect(code).toBe(3);
  expect(Object.keys(JSON.parse(stdout))).toEqual(
    expect.arrayContaining(['format_version', 'command', 'error', 'diagnostics']),
  );
  expect(failure).toMatchObject({ format_version: '1.0', command: 'plan', error: true });
  expect(Object.keys(failure.diagnostics[0] ?? {})).toEqual([
    'code',
    'severity',
    'summary',
    'detail',
    'address',
    'urn',
    'source',
    'hint',
    'operation',
    'retryable',
  ]);
});

it.concurrent('no token is ever printed or kept, whatever the format', async () => {
  const cloud = await everyKind();
  const inline = 'inline-token-that-nobody-may-see';
  const text = cloud.readText('playbook.yaml').replace('token_env: INFRA_TEST_TOKEN', `token: ${inline}`);
  cloud.writeText('playbook.yaml', text);
  const printed: string[] = [];
  const planned = await cloud.plan('-v', '--out', 'ndjson=p.ndjson', '--out', 'human=p.txt');
  printed.push(planned.stdout, planned.stderr, cloud.readText('p.ndjson'), cloud.readText('p.txt'));
  printed.push(cloud.readText(`.infra/plans/${planned.plan.digest}.json`));
  const applied = await cloud.apply(planned.plan.digest);
  printed.push(applied.stdout, applied.stderr, cloud.readText('.infra/eventlog.jsonl'));
  for (const said of printed) expect(said).not.toContain(inline);
  expect(JSON.stringify(planned.plan.diagnostics)).toContain('INLINE_TOKEN');
  // A playbook with an inline token is not kept: it has to be given again.
  const stored = await cloud.fail(['apply', '--confirm', planned.plan.digest ?? '']);
  expect(stored.code).toBe(5);
});

it.concurrent('a plan of many steps is what it is: a value that parses back to the same', async () => {
  const cloud = await everyKind();
  const [one, two] = [await cloud.plan('--no-save'), await cloud.plan('--no-save')];
  const strip = ({ duration_ms: _, ...step }: PlannedStep) => step;
  expect(two.plan.steps.map(strip)).toEqual(one.plan.steps.map(strip));
  expect(two.plan).toEqual(one.plan);
  expect(parsed(two, planSchema)).toEqual(parsed(one, planSchema));
});

it.concurrent('stack is null at the top where there are several; sha256 is of the file; a step without a stack is <unscoped> in its fact', async () => {
  const cloud = await openCloud();
  cloud.write({
    steps: [
      folder('b', { parent: ORG, display_name: 'folder b' }, { stack: 'two' }),
      folder('a', { parent: ORG, display_name: 'folder a' }, { stack: 'one' }),
    ],
  });
  const { plan } = await cloud.plan();
  expect(plan).toMatchObject({ stack: null, stacks: ['one', 'two'] });
  expect(plan.playbook.sha256).toBe(createHash('sha256').update(cloud.readText('playbook.yaml')).digest('hex'));
  cloud.write({ steps: [folder('c', { parent: ORG, display_name: 'folder c' })] });
  const applied = await cloud.converge();
  expect(stepAt(applied.report, 'c')).toMatchObject({ stack: null, provider_fact: { stack: '<unscoped>' } });
});

it.concurrent('a lost answer is settled by looking: done where it was done, and never twice', async () => {
  const cloud = await openCloud();
  cloud.emulator.addFault({ method: 'POST', path: '^/v3/folders$', nth: 1, action: { kind: 'resetAfter' } });
  cloud.write({ steps: [folder('f', { parent: ORG, display_name: 'folder f' })] });
  const applied = await cloud.converge();
  expectExit(applied, 0);
  expect(Object.values(cloud.state.folders)).toHaveLength(1);
  expect(stepAt(applied.report, 'f').outcome).toBe('changed');
});
