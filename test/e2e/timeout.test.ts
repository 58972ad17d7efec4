import { beforeAll, expect, it } from 'vitest';
import { ensureBuilt } from '../support/cli-process.ts';
import { expectExit, ORG, openCloud } from '../support/e2e/cloud.ts';
import { folder } from '../support/e2e/playbooks.ts';

beforeAll(ensureBuilt);

it.each([
  ['a write', 'POST', 'apply'],
  ['a read', 'GET', 'apply'],
  ['the reads of a plan', 'GET', 'plan'],
])('a reached --timeout is no interrupt (%s hangs)', async (_, method, verb) => {
  const cloud = await openCloud();
  cloud.write({
    steps: [
      folder('one', { parent: ORG, display_name: 'one' }),
      folder('two', { parent: '{{ steps.one.resource.name }}', display_name: 'two' }),
    ],
  });
  const { plan } = await cloud.plan();
  cloud.emulator.addFault({ method, path: '^/v3/folders', action: { kind: 'hang' } });
  const argv = verb === 'plan' ? ['plan', 'playbook.yaml'] : ['apply', 'playbook.yaml', '--confirm', plan.digest ?? ''];
  const ended = await cloud.run([...argv, '--timeout', '2s']);
  expect(ended.stdout + ended.stderr).toContain('--timeout');
  expect(ended.stdout + ended.stderr).not.toMatch(/interrupted|INTERRUPTED/i);
  expectExit(ended, method === 'POST' ? 7 : 6);
});
