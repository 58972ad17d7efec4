import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Cloud, expectExit, ORG, openCloud } from '../../support/e2e/cloud.ts';
import { fixture } from '../../support/e2e/fixtures.ts';
import { folder } from '../../support/e2e/playbooks.ts';

const STACK_TRACE = /^\s+at .+[:(]\d+/m;

/** The twelve mistakes, with a thirteenth thing that is right: calls that could be made. */
function writeMistakes(cloud: Cloud): void {
  const reachable = `defaults:\n  endpoint: ${cloud.emulator.url}\n  auth: { type: bearer, token_env: INFRA_TEST_TOKEN }`;
  cloud.writeText('playbook.yaml', fixture('twelve-mistakes').replace(/^defaults:$/m, reachable));
}

it.concurrent('twelve mistakes give twelve diagnostics, each with its position, exit 3, and no request', async () => {
  const cloud = await openCloud();
  writeMistakes(cloud);
  const { code, failure } = await cloud.fail(['plan', 'playbook.yaml']);
  expect(code).toBe(3);
  const errors = failure.diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors).toHaveLength(12);
  expect(new Set(errors.map(({ source }) => `${source?.line}:${source?.column}`)).size).toBe(12);
  for (const { source } of errors) expect(source).toMatchObject({ file: 'playbook.yaml' });
  const lines = errors.map(({ source }) => source?.line ?? 0);
  expect(lines).toEqual([...lines].sort((a, b) => a - b));
  expect(new Set(errors.map(({ code: name }) => name)).size).toBeGreaterThanOrEqual(9);
  expect(cloud.requests).toEqual([]);

  for (const argv of [
    ['plan', 'playbook.yaml'],
    ['apply', 'playbook.yaml', '--confirm', 'a'.repeat(64)],
    ['exec', 'playbook.yaml'],
  ]) {
    const people = await cloud.run(argv);
    expect(people.code).toBe(3);
    expect(people.stdout).toBe('');
    for (const { source } of errors) expect(people.stderr).toContain(`playbook.yaml:${source?.line}:${source?.column}`);
    expect(people.stderr).not.toMatch(STACK_TRACE);
  }
  expect(cloud.requests).toEqual([]);
});

const STEP = `  - step: a
    tool:
      kind: provider
      provider: google
      action: google.cloudresourcemanager.folders.ensure
      reconcile: enforce
      input: { parent: ${ORG}, display_name: 00-shared }
`;
const HEAD = 'apiVersion: infra/v1\nmetadata: { name: bad }\nworkflow:\n';

const TEXTS: readonly (readonly [string, string, string])[] = [
  ['not YAML', 'workflow: [ { step: a }\n  tool: }', 'YAML_INVALID'],
  ['empty', '', 'FILE_UNREADABLE'],
  ['only a comment', '# nothing here\n', 'YAML_INVALID'],
  ['a list', '- a\n- b\n', 'INVALID_VALUE'],
  ['an unknown action', `${HEAD}${STEP.replace('folders.ensure', 'folders.ensrue')}`, 'UNKNOWN_ACTION'],
  ['an unknown provider', `${HEAD}${STEP.replace('provider: google', 'provider: gogle')}`, 'UNKNOWN_PROVIDER'],
  ['an unknown variable', `${HEAD}${STEP.replace(ORG, '"{{ workload.nowhere }}"')}`, 'TEMPLATE_UNDEFINED'],
  ['a broken template', `${HEAD}${STEP.replace(ORG, '"{{ workload. }}"')}`, 'TEMPLATE_INVALID'],
  ['an unknown root key', `workflwo: []\n${HEAD}${STEP}`, 'UNKNOWN_KEY'],
  ['no workflow', 'apiVersion: infra/v1\nmetadata: { name: bad }\n', 'MISSING_KEY'],
  [
    'a circle',
    `${HEAD}${STEP.replace('step: a', 'step: a\n    depends_on: [b]')}${STEP.replace('step: a', 'step: b\n    depends_on: [a]').replace('00-shared', '01-other')}`,
    'CYCLE',
  ],
  ['a step twice', `${HEAD}${STEP}${STEP.replace('00-shared', '01-other')}`, 'DUPLICATE_STEP'],
  ['one resource twice', `${HEAD}${STEP}${STEP.replace('step: a', 'step: b')}`, 'DUPLICATE_URN'],
  [
    'a duplicate key',
    `${HEAD}${STEP.replace('kind: provider', 'kind: provider\n      kind: provider')}`,
    'DUPLICATE_KEY',
  ],
  ['two documents', `${HEAD}${STEP}---\n${HEAD}${STEP}`, 'YAML_INVALID'],
  ['a tab', `${HEAD}\t- step: a\n`, 'YAML_INVALID'],
  ['a missing input', `${HEAD}${STEP.replace(', display_name: 00-shared', '')}`, 'MISSING_KEY'],
  ['a broken organisation', `${HEAD}${STEP.replace(ORG, 'organizations/x')}`, 'INVALID_VALUE'],
];

it.concurrent('bad text of every kind ends in one clear error with a place, exit 3, for people and in JSON, without a stack trace', async () => {
  const cloud = await openCloud();
  const found: unknown[] = [];
  for (const [name, text, code] of TEXTS) {
    cloud.writeText('bad.yaml', text);
    const { failure, ...ended } = await cloud.fail(['plan', 'bad.yaml']);
    const errors = failure.diagnostics.filter(({ severity }) => severity === 'error');
    const codes = errors.map((item) => item.code);
    // What is no YAML may be so in more than one place.
    found.push([name, ended.code, code === 'YAML_INVALID' ? [...new Set(codes)] : codes]);
    if (code !== 'FILE_UNREADABLE') expect(errors[0]?.source, name).not.toBeNull();
    // What people read stands on stderr beside it.
    expect(ended.stderr, name).toContain(`error[${codes[0]}]`);
    expect(ended.stderr, name).not.toMatch(STACK_TRACE);
  }
  expect(found).toEqual(TEXTS.map(([name, , code]) => [name, 3, [code]]));
  expect(cloud.requests).toEqual([]);
});

it.concurrent('bad files of every kind: binary, a directory, none, not readable', async () => {
  const cloud = await openCloud();
  writeFileSync(join(cloud.folder, 'binary.yaml'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0xff, 0xfe, 0x80]));
  writeFileSync(join(cloud.folder, 'utf16.yaml'), Buffer.from('\ufeffworkflow: []', 'utf16le'));
  mkdirSync(join(cloud.folder, 'folder.yaml'));
  const files = ['binary.yaml', 'utf16.yaml', 'folder.yaml', 'none.yaml'];
  if (process.getuid?.() !== 0) {
    writeFileSync(join(cloud.folder, 'secret.yaml'), HEAD + STEP);
    chmodSync(join(cloud.folder, 'secret.yaml'), 0);
    files.push('secret.yaml');
  }
  for (const file of files) {
    for (const verb of ['plan', 'exec']) {
      const people = await cloud.run([verb, file]);
      expect([file, verb, people.code, people.stdout]).toEqual([file, verb, 3, '']);
      expect(people.stderr.match(/^error\[/gm), file).toHaveLength(1);
      expect(people.stderr).toContain(file);
      expect(people.stderr).not.toMatch(STACK_TRACE);
    }
    const { failure } = await cloud.fail(['apply', file, '--confirm', 'a'.repeat(64)]);
    expect(failure.diagnostics, file).toHaveLength(1);
  }
  expect(cloud.requests).toEqual([]);
});

it.concurrent('aws and azure are reserved: a clear "not implemented", exit 3', async () => {
  const cloud = await openCloud();
  for (const provider of ['aws', 'azure']) {
    cloud.write({
      steps: [
        {
          step: 'a',
          tool: { kind: 'provider', provider, action: `${provider}.s3.buckets.ensure`, input: { name: 'x' } },
        },
      ],
    });
    const { code, failure } = await cloud.fail(['plan', 'playbook.yaml']);
    expect(code).toBe(3);
    expect(failure.diagnostics).toMatchObject([{ code: 'PROVIDER_NOT_IMPLEMENTED', address: 'a' }]);
  }
});

it.concurrent('a step that infra never runs is skipped, and a reference to its result is an error', async () => {
  const cloud = await openCloud();
  const shell = { step: 'script', tool: { kind: 'shell', cmd: 'touch /tmp/never' } };
  cloud.write({ steps: [shell, folder('a', { parent: ORG, display_name: '00-shared' })] });
  const { plan, ...ended } = await cloud.plan();
  expectExit(ended, 0);
  expect(plan.summary).toMatchObject({ create: 1 });
  expect(JSON.stringify(plan)).toContain('STEP_SKIPPED');
  cloud.write({ steps: [shell, folder('a', { parent: ORG, display_name: '{{ steps.script.data.x }}' })] });
  expect((await cloud.run(['plan', 'playbook.yaml'])).code).toBe(3);
});
