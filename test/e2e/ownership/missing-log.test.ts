import { expect, it } from 'vitest';
import { codesOf, expectExit, ORG, openCloud } from '../../support/e2e/cloud.ts';
import { folder } from '../../support/e2e/playbooks.ts';

const STEPS = [folder('one', { parent: ORG, display_name: 'one' })];

it.each([
  ['log', 'verify'],
  ['log', 'owned'],
  ['log', 'show'],
  ['why', 'google:x:y:z'],
  ['drift'],
  ['orphans', 'playbook.yaml'],
])('a log that is named and missing is an error: %s %s', async (...verb) => {
  const cloud = await openCloud();
  cloud.write({ defaults: { stack: 'prod' }, steps: STEPS });
  for (const flag of ['--eventlog', '--read-eventlog']) {
    const failed = await cloud.fail([...verb, flag, 'typo.jsonl']);
    expectExit(failed, 3);
    expect(codesOf(failed.failure.diagnostics)).toEqual(['FILE_UNREADABLE']);
    expect(failed.failure.diagnostics[0]?.detail).toContain('typo.jsonl');
  }
});

it('to write, it is a new log, which is told; the one in .infra may be missing', async () => {
  const cloud = await openCloud();
  cloud.write({ defaults: { stack: 'prod' }, steps: STEPS });
  const plan = await cloud.run(['plan', 'playbook.yaml', '--eventlog', 'new.jsonl']);
  expectExit(plan, 0);
  expect(plan.stderr).toContain('new.jsonl yet: a new log is started there.');
  const silent = await cloud.run(['plan', 'playbook.yaml']);
  expectExit(silent, 0);
  expect(silent.stderr).not.toContain('new log');
  expectExit(await cloud.run(['log', 'owned']), 0);
  const beside = await cloud.fail(['plan', 'playbook.yaml', '--read-eventlog', 'typo.jsonl']);
  expectExit(beside, 3);
});
