import { expect, it } from 'vitest';
import { infra } from '../../support/cli-process.ts';
import { AT_HOME } from '../../support/e2e/at-home.ts';
import { execLines, expectExit, openCloud, parsed, stepAt } from '../../support/e2e/cloud.ts';
import { planSchema } from '../../support/e2e/contract.ts';
import { fixture, fixturePath } from '../../support/e2e/fixtures.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SEED_STEPS = fixturePath('seed-steps');
const COMMON = ['action', 'backend', 'provider'];
const DRY_ENSURE = [...COMMON, 'changed', 'converge', 'dry_run', 'input', 'provider_fact', 'would_call'].sort();
const APPLIED_ENSURE = [...COMMON, 'changed', 'converge', 'dry_run', 'provider_fact', 'resource'].sort();
const DRY_READ = [...COMMON, 'changed', 'converge', 'dry_run', 'input', 'would_call'].sort();
const REAL_READ = [...COMMON, 'changed', 'converge', 'dry_run', 'resource'].sort();

it.concurrent('is planned offline: no socket, no name server, no program, no credential', async () => {
  const ended = await infra(['plan', SEED_STEPS, '--offline', '--no-save', '--format', 'json'], {
    cwd: temporaryFolder(),
    env: AT_HOME,
  });
  expectExit(ended, 0);
  const plan = parsed(ended, planSchema);
  expect(plan).toMatchObject({ mode: 'offline', digest: null });
  expect(plan.steps.map((step) => [step.address, step.change, step.held, step.would_call.length]).sort()).toEqual([
    ['enable_api', 'unknown', null, 1],
    ['ensure_folder', 'unknown', null, 1],
    ['ensure_project', 'unknown', null, 1],
    ['list_enabled', 'read', 'no auth', 1],
    ['list_folders', 'read', 'no auth', 1],
  ]);
  expect(stepAt(plan, 'ensure_project')).toMatchObject({
    unknown: ['parent'],
    desired: { parent: '(known after apply: ensure_folder.resource.name)' },
  });
});

it.concurrent('runs dry under exec without network or credential, each line with exactly the keys of the contract', async () => {
  const ended = await infra(['exec', SEED_STEPS], { cwd: temporaryFolder(), env: AT_HOME });
  expectExit(ended, 0);
  const lines = execLines(ended);
  expect(lines.map((line) => [line.step, line.status, Object.keys(line.data).sort()])).toEqual([
    ['list_folders', 'success', DRY_READ],
    ['ensure_folder', 'success', DRY_ENSURE],
    ['ensure_project', 'success', DRY_ENSURE],
    ['enable_api', 'success', DRY_ENSURE],
    ['list_enabled', 'success', DRY_READ],
  ]);
  expect(lines.map((line) => Object.keys(line))).toEqual(lines.map(() => ['step', 'status', 'data']));
  expect(lines[2]?.data).toMatchObject({
    provider: 'google',
    action: 'google.cloudresourcemanager.projects.ensure',
    backend: 'rest',
    converge: 'ensure_project',
    would_call: {
      method: 'POST',
      url: 'https://cloudresourcemanager.googleapis.com/v3/projects',
      body: {
        projectId: 'acme-video-prod',
        displayName: 'Acme Video Publisher',
        parent: '(known after apply: ensure_folder.resource.name)',
      },
    },
    provider_fact: { outcome: 'planned', verb: 'ensure', stack: 'media-prod', execution_id: 0 },
  });
});

it.concurrent('is applied under exec --set action=apply, with results passed on and facts; again it changes nothing', async () => {
  const cwd = temporaryFolder();
  const argv = ['exec', SEED_STEPS, '--emulator', '--set', 'action=apply'];
  const first = await infra(argv, { cwd });
  expectExit(first, 0);
  const lines = execLines(first);
  expect(lines.map((line) => [line.step, Object.keys(line.data).sort(), line.data['changed']])).toEqual([
    ['list_folders', REAL_READ, false],
    ['ensure_folder', APPLIED_ENSURE, true],
    ['ensure_project', APPLIED_ENSURE, true],
    ['enable_api', APPLIED_ENSURE, true],
    ['list_enabled', REAL_READ, false],
  ]);
  const resource = lines[1]?.data['resource'] as { name: string };
  expect(lines[2]?.data).toMatchObject({ resource: { parent: resource.name, projectId: 'acme-video-prod' } });
  expect(lines[4]?.data).toMatchObject({
    resource: { services: [{ config: { name: 'youtube.googleapis.com' }, state: 'ENABLED' }] },
  });

  const second = execLines(await infra(argv, { cwd }));
  const facts = second.flatMap((line) => ('provider_fact' in line.data ? [line.data['provider_fact']] : []));
  expect(facts).toMatchObject([{ outcome: 'noop' }, { outcome: 'noop' }, { outcome: 'noop' }]);
  expect(second.map((line) => line.data['changed'])).toEqual([false, false, false, false, false]);
});

it.concurrent('is planned live and applied from its digest, its reads without auth held', async () => {
  const cloud = await openCloud();
  const text = fixture('seed-steps')
    .replaceAll('kind: provider', `kind: provider\n      endpoint: ${cloud.emulator.url}`)
    .replaceAll(/auth: \{ type: gcp_adc.*$/gm, 'auth: { type: bearer, token_env: INFRA_TEST_TOKEN }');
  cloud.writeText('playbook.yaml', text);
  const { plan } = await cloud.plan();
  expect(plan.steps.map((step) => [step.address, step.change, step.held]).sort()).toEqual([
    ['enable_api', 'create', null],
    ['ensure_folder', 'create', null],
    ['ensure_project', 'create', null],
    ['list_enabled', 'read', 'no auth'],
    ['list_folders', 'read', 'no auth'],
  ]);
  const applied = await cloud.apply(plan.digest);
  expectExit(applied, 0);
  expect(applied.report.summary).toMatchObject({ changed: 3, held: 2 });
  expect(cloud.projectOf('acme-video-prod').parent).toBe(cloud.folderNamed('20-media').name);
});
