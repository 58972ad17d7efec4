import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GoogleEmulator, startGoogleEmulator } from '../../src/emulator/google/server.ts';
import { chainPlaybook } from '../support/cli-playbooks.ts';
import { ensureBuilt, infra, startInfra } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(ensureBuilt);

const LENGTH = 4;
let cwd = '';
let emulator: GoogleEmulator;

beforeEach(async () => {
  cwd = temporaryFolder();
  emulator = await startGoogleEmulator({
    seed: { organizations: [{ id: '123456789012', displayName: 'acme.example' }] },
    operationPolls: 0,
  });
  writeFileSync(join(cwd, 'p.yaml'), chainPlaybook(emulator.url, LENGTH));
});
afterEach(() => emulator.close());

const settings = () => ({ cwd, env: { INFRA_TEST_TOKEN: 'a-token', INFRA_ALLOW_ENDPOINT: emulator.url } });

async function plannedDigest(): Promise<string> {
  const { code, stdout, stderr } = await infra(['plan', 'p.yaml', '--format', 'json'], settings());
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout).digest;
}

function creations(): number {
  return emulator.requests.filter(({ method, path }) => method === 'POST' && path === '/v3/folders').length;
}

/** Starts an apply whose second folder is held back, and gives it back once that request is under way. */
async function applyUntilHeld(digest: string, action: 'hang' | 'delay') {
  const fault = action === 'hang' ? { kind: 'hang' as const } : { kind: 'delay' as const, delayMs: 1500 };
  emulator.addFault({ method: 'POST', path: '/v3/folders', nth: 2, times: 1, action: fault });
  const run = startInfra(['apply', '--confirm', digest], settings());
  let told = '';
  run.child.stderr?.on('data', (text: string) => {
    told += text;
  });
  while (!told.includes('f1: creating')) {
    const ended = await Promise.race([once(run.child.stderr ?? run.child, 'data'), run.ended]);
    if ('code' in ended) throw new Error(`the apply ended before it was held: ${ended.code}\n${ended.stderr}`);
  }
  // Told before it is sent: only now does the fault hold it, and no later request.
  await vi.waitFor(() => expect(creations()).toBeGreaterThanOrEqual(2), { timeout: 10_000 });
  return run;
}

describe('an interrupted apply', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('lets what is in flight settle (%s)', async (signal, expected) => {
    const digest = await plannedDigest();
    const { child, ended } = await applyUntilHeld(digest, 'delay');
    child.kill(signal);
    const { code, stderr, stdout } = await ended;
    expect(stderr).toContain('Interrupted: nothing new starts; waiting for f1.');
    expect(code).toBe(expected);
    expect(stdout).toMatch(/Done \(2\):[\s\S]*f1[\s\S]*Not done \(2\):[\s\S]*f2 +not started[\s\S]*f3 +not started/);
    expect(stdout).toContain(`infra apply --confirm ${digest}`);
    expect(locks()).toEqual([]);
    const again = await infra(['apply', '--confirm', digest], settings());
    expect(again.code).toBe(0);
    expect(creations()).toBe(LENGTH);
  });

  it('gives up at the second signal, and the next run settles it', async () => {
    const digest = await plannedDigest();
    const { child, ended } = await applyUntilHeld(digest, 'hang');
    child.kill('SIGINT');
    await once(child.stderr ?? child, 'data');
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(7);
    expect(stdout).toContain('Not known or not finished yet');
    expect(locks()).toEqual([]);
    const again = await infra(['apply', '--confirm', digest], settings());
    expect(again.code).toBe(0);
  });

  it('whose output nobody reads goes on to its end', async () => {
    const digest = await plannedDigest();
    const { child, ended } = startInfra(['apply', '--confirm', digest, '-v'], settings());
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect(await ended).toMatchObject({ code: 0, signal: null });
    expect(await infra(['plan', 'p.yaml', '--detailed-exitcode'], settings())).toMatchObject({ code: 0 });
  });

  function locks(): readonly string[] {
    const folder = join(cwd, '.infra/locks');
    return existsSync(folder) ? readdirSync(folder) : [];
  }
});

it('a killed apply leaves a lock that the next one names, and unlock removes', async () => {
  const digest = await plannedDigest();
  const { child, ended } = await applyUntilHeld(digest, 'hang');
  child.kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  const refused = await infra(['apply', '--confirm', digest], settings());
  expect(refused.code).toBe(5);
  const id = /infra unlock ([0-9a-f]{12})/.exec(refused.stderr.replace(/\s+/g, ' '))?.[1] ?? '';
  const unlocked = await infra(['unlock', id, '--format', 'json'], settings());
  expect(unlocked.code).toBe(0);
  expect(JSON.parse(unlocked.stdout)).toMatchObject({ command: 'unlock', unlocked: { id, locks: 'stack chain' } });
  expect(await infra(['apply', '--confirm', digest], settings())).toMatchObject({ code: 0 });
});

it('an endpoint that was not allowed gets nothing', async () => {
  const { code, stdout } = await infra(['plan', 'p.yaml', '--format', 'json'], {
    cwd,
    env: { INFRA_TEST_TOKEN: 'a-token' },
  });
  expect({ code, digest: JSON.parse(stdout).digest }).toEqual({ code: 0, digest: null });
  expect(emulator.requests).toEqual([]);
});

it('says in CI that a log in .infra is not kept', async () => {
  const digest = await plannedDigest();
  const { env } = settings();
  const { code, stdout } = await infra(['apply', '--confirm', digest, '--format', 'json'], {
    cwd,
    env: { ...env, CI: 'true' },
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).diagnostics).toMatchObject([{ code: 'LOG_NOT_KEPT', severity: 'warning' }]);
});
