import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { expectExit, parsed } from '../../support/e2e/cloud.ts';
import { driftSchema } from '../../support/e2e/ownership.ts';
import { openYcCloudInside, type YcCloud } from '../../support/e2e/yandex.ts';

/** Something made and something open, and nothing of the caller's that says an auth. */
async function interrupted(): Promise<YcCloud> {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'compute instance create', action: { kind: 'exit', when: 'after' } });
  expectExit(await cloud.converge(), 7);
  cloud.writeText('.config/infra/config.yaml', '');
  cloud.fake.clearCommands();
  return cloud;
}

it('a verb that starts from the log speaks of no step, and names the ways to give an auth', async () => {
  const cloud = await interrupted();
  const drift = parsed(await cloud.run(['drift', '--stack', 'gateway', '--format', 'json']), driftSchema);
  for (const { drift: verdict, why } of drift.resources) {
    expect(verdict).toBe('unchecked');
    expect(why).toContain('infra drift has no playbook to take an auth from');
  }
  const { document } = await cloud.recover();
  const [found] = document.diagnostics.filter(({ code }) => code === 'AUTH_REQUIRED');
  expect(found?.detail).toContain('infra recover has no playbook to take an auth from');
  for (const way of ['--credential', 'stacks.<stack>.credential', 'the playbook']) expect(found?.hint).toContain(way);
  expect(cloud.commands).toEqual([]);
});

it('with the playbook that has one, both go on', async () => {
  const cloud = await interrupted();
  expectExit(await cloud.run(['recover', 'playbook.yaml']), 0);
  expectExit(await cloud.run(['drift', 'playbook.yaml']), 0);
});

it('a plan without yc says how to get one, not that an auth is missing', async () => {
  const cloud = await openYcCloudInside();
  rmSync(cloud.executable);
  const ended = await cloud.run(['plan', 'playbook.yaml', '--format', 'json'], { INFRA_YC: '', PATH: '' });
  const { diagnostics } = JSON.parse(ended.stdout) as { diagnostics: readonly { code: string; hint: string | null }[] };
  const undecided = diagnostics.find(({ code }) => code === 'UNDECIDED');
  expect(undecided?.hint).toContain('Install the Yandex Cloud CLI');
  expect(undecided?.hint).not.toContain('auth');
  const offline = await cloud.run(['plan', 'playbook.yaml', '--offline']);
  expect(offline.stdout + offline.stderr).toContain('Leave out --offline.');
  expect(offline.stdout + offline.stderr).not.toContain('Give the step');
});
