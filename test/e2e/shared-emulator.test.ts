import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ensureBuilt, infra, startInfra } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(ensureBuilt);

const FOLDERS = 12;

function playbook(stack: string): string {
  const steps = Array.from(
    { length: FOLDERS },
    (_, index) => `  - step: f${index}
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, input: { parent: organizations/123456789012, display_name: ${stack} ${index} } }
`,
  );
  return `apiVersion: infra/v1
metadata: { name: ${stack} }
defaults: { stack: ${stack}, reconcile: enforce, auth: { type: gcp_adc } }
workflow:
${steps.join('')}`;
}

it('loses nothing where several processes apply to one emulator at a time', async () => {
  const cwd = temporaryFolder();
  const stacks = ['alpha', 'beta', 'gamma'];
  for (const stack of stacks) writeFileSync(join(cwd, `${stack}.yaml`), playbook(stack));
  const state = join(cwd, '.infra/emulator/google.json');
  const flags = (stack: string) => [`${stack}.yaml`, '--emulator', '--format', 'json'];
  const digests = await Promise.all(
    stacks.map(async (stack) => {
      const { stdout } = await infra(['plan', ...flags(stack)], { cwd });
      return String(JSON.parse(stdout).digest);
    }),
  );
  const applied = await Promise.all(
    stacks.map((stack, index) => infra(['apply', ...flags(stack), '--confirm', digests[index] ?? ''], { cwd })),
  );
  expect(applied.map(({ code }) => code)).toEqual([0, 0, 0]);
  const { folders } = JSON.parse(readFileSync(state, 'utf8'));
  expect(Object.keys(folders)).toHaveLength(3 * FOLDERS);

  // The emulator that runs by itself sees the same, and what is made through it is seen by a plan.
  const { child, ended } = startInfra(['emulator', 'google', '--state', state], { cwd });
  const url = await new Promise<string>((done) => child.stdout?.once('data', (text: string) => done(text.trim())));
  const headers = { authorization: 'Bearer any' };
  const name = String(Object.keys(folders)[0]);
  await fetch(`${url}/v3/${name}`, { method: 'DELETE', headers });
  const { stdout } = await infra(['plan', ...flags('alpha'), '--no-save'], { cwd });
  const other = await infra(['plan', ...flags('beta'), '--no-save'], { cwd });
  const third = await infra(['plan', ...flags('gamma'), '--no-save'], { cwd });
  child.kill('SIGTERM');
  await ended;
  const steps: readonly { change: string }[] = [stdout, other.stdout, third.stdout].flatMap(
    (text) => JSON.parse(text).steps,
  );
  expect(steps).toHaveLength(3 * FOLDERS);
  expect(steps.filter(({ change }) => change !== 'none')).toHaveLength(1);
});
