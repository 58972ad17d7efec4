import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { undisturbed } from '../support/safety/converging.ts';
import { foundationPlaybook, isDone, shapeOf } from '../support/safety/foundation.ts';
import { type HostileServer, hostileServer } from '../support/safety/hostile.ts';
import { Site, until } from '../support/safety/site.ts';

const FIRST_FOLDER = { method: 'POST', path: '/v3/folders', nth: 1 } as const;

const open: (Site | HostileServer)[] = [];
afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});

async function siteOf(): Promise<Site> {
  const site = await Site.open();
  open.push(site);
  return site;
}

const foldersAsked = (site: Site): number =>
  site.emulator.requests.filter(({ method, path }) => method === 'POST' && path === '/v3/folders').length;
const stackLocks = (site: Site): readonly string[] => site.locks().filter((name) => name.startsWith('stack-'));

async function expectConverged(site: Site, digest: string): Promise<void> {
  site.emulator.clearFaults();
  const again = await site.run(['apply', '--confirm', digest]);
  expect(again.code, again.stderr).toBe(0);
  expect(shapeOf(site.emulator.snapshot())).toEqual((await undisturbed()).shape);
  await site.log().verify();
  expect((await site.log().read(site.emulator.url)).openIntents).toEqual([]);
}

describe('an interrupted apply', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s: what is in flight settles, nothing new starts, exit %i', async (signal, code) => {
    const site = await siteOf();
    const digest = await site.plan();
    site.emulator.addFault({ ...FIRST_FOLDER, action: { kind: 'delay', delayMs: 600 } });
    const { child, ended } = site.start(['apply', '--confirm', digest, '--parallelism', '1']);
    await until(() => foldersAsked(site) === 1, 'a folder is asked for');
    child.kill(signal);
    const { code: got, stdout, stderr } = await ended;
    expect(got, stderr).toBe(code);
    expect(stderr).toContain('waiting for folders[00-shared]');
    expect(foldersAsked(site)).toBe(1);
    expect(isDone('folders[00-shared]', site.emulator.snapshot())).toBe(true);
    expect(isDone('folders[10-platform]', site.emulator.snapshot())).toBe(false);
    expect(
      site.rows().some((row) => row['type'] === 'provider.fact' && JSON.stringify(row).includes('folders[00-shared]')),
    ).toBe(true);
    expect(stackLocks(site)).toEqual([]);
    expect(stdout).toContain('not started');
    await expectConverged(site, digest);
  });

  it('a second SIGINT gives up on what is in flight: recorded as uncertain, the lock is gone, exit 7', async () => {
    const site = await siteOf();
    const digest = await site.plan();
    site.emulator.addFault({ ...FIRST_FOLDER, action: { kind: 'hangAfter' } });
    const running = site.start(['apply', '--confirm', digest, '--parallelism', '1']);
    await until(() => foldersAsked(site) === 1, 'a folder is asked for');
    running.child.kill('SIGINT');
    await until(() => running.output.stderr.includes('Interrupt again'), 'it says what it waits for');
    running.child.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code, stderr).toBe(7);
    expect(
      site
        .rows()
        .filter((row) => row['type'] === 'provider.outcome')
        .at(-1),
    ).toMatchObject({ status: 'uncertain' });
    expect(stackLocks(site)).toEqual([]);
    await expectConverged(site, digest);
  });

  it('before anything was written: nothing is written', async () => {
    const site = await siteOf();
    const digest = await site.plan();
    site.emulator.addFault({ method: 'GET', path: '/v3/folders', nth: 1, action: { kind: 'delay', delayMs: 400 } });
    const { child, ended } = site.start(['apply', '--confirm', digest]);
    await until(() => site.emulator.requests.some(({ path }) => path === '/v3/folders'), 'it plans again');
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(130);
    expect(site.rows()).toEqual([]);
    expect(stackLocks(site)).toEqual([]);
    await expectConverged(site, digest);
  });
});

describe('a server that never answers', () => {
  async function silent(): Promise<{ readonly site: Site; readonly server: HostileServer }> {
    const server = await hostileServer(() => undefined);
    const site = await siteOf();
    open.push(server);
    writeFileSync(join(site.folder, 'silent.yaml'), foundationPlaybook(server.url));
    return { site, server };
  }

  it('a plan ends with the first SIGINT', async () => {
    const { site, server } = await silent();
    const { child, ended } = site.start(['plan', 'silent.yaml', '--allow-endpoint', server.url]);
    await until(() => server.requests.length > 0, 'it reads');
    const sent = performance.now();
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(performance.now() - sent).toBeLessThan(4000);
  });

  it.each([
    ['plan', []],
    ['exec', ['--set', 'action=apply']],
    ['apply', ['--confirm', 'a'.repeat(64)]],
  ])('%s ends with --timeout', async (verb, flags) => {
    const { site, server } = await silent();
    const started = performance.now();
    const { code, stdout, stderr } = await site.run([
      verb,
      'silent.yaml',
      '--timeout',
      '500ms',
      '--allow-endpoint',
      server.url,
      ...flags,
    ]);
    expect(performance.now() - started).toBeLessThan(8000);
    expect(code, stderr).toBe(6);
    expect(stdout + stderr).toContain('--timeout');
    expect(site.locks().filter((name) => name.startsWith('stack-'))).toEqual([]);
  });
});

describe('a reader that goes away', () => {
  it.each(['human', 'ndjson'])('stdout closed early (%s): all is done all the same', async (format) => {
    const site = await siteOf();
    const digest = await site.plan();
    const { child, ended } = site.start(['apply', '--confirm', digest, '--format', format]);
    child.stdout?.destroy();
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|at .*\.cjs/);
    expect(shapeOf(site.emulator.snapshot())).toEqual((await undisturbed()).shape);
  });

  it('stderr closed early: all is done all the same', async () => {
    const site = await siteOf();
    const digest = await site.plan();
    const { child, ended } = site.start(['apply', '--confirm', digest, '-v']);
    child.stderr?.destroy();
    expect((await ended).code).toBe(0);
  });
});
