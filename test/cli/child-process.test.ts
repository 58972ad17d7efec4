import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChildProcessOptions, childProcesses } from '../../src/cli/child-process.ts';
import type { Program } from '../../src/providers/command-runner.ts';

const ENVIRONMENT = { PATH: process.env['PATH'] ?? '' };

/** An executable of a few lines, and a runner on it. */
async function programOf(lines: string, more: Partial<Program> = {}, options: ChildProcessOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'infra-runner-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const executable = join(folder, 'yc');
  const note = join(folder, 'note');
  await writeFile(
    executable,
    `#!${process.execPath}\nconst note = ${JSON.stringify(note)};\nconst fs = require('node:fs');\n${lines}\n`,
  );
  await chmod(executable, 0o700);
  const runner = childProcesses({ executable, environment: ENVIRONMENT, ...more }, { graceMs: 200, ...options });
  return { runner, note: () => readFile(note, 'utf8') };
}

const STAY = 'setInterval(() => {}, 1000);';

describe('a command', () => {
  it('is an argument vector: nothing in it is taken apart', async () => {
    const { runner } = await programOf('process.stdout.write(JSON.stringify(process.argv.slice(2)))');
    const words = ['a b', '$(touch x)', '`x`', "'", '"', '; exit', '*', ''];
    expect(JSON.parse((await runner.run(words, 10)).stdout)).toEqual(words);
  });

  it('has no stdin, and no environment but the one that is given', async () => {
    const environment = { ...ENVIRONMENT, HOME: '/home/me' };
    const { runner } = await programOf(
      "process.stdout.write(JSON.stringify({ env: process.env, stdin: fs.readFileSync(0, 'utf8'), cwd: process.cwd() }))",
      { environment },
    );
    expect(JSON.parse((await runner.run([], 10)).stdout)).toEqual({ env: environment, stdin: '', cwd: '/' });
  });

  it('that ends by itself gives its exit code and both streams', async () => {
    const { runner } = await programOf(
      "process.stdout.write('out'); process.stderr.write('err'); process.exitCode = 3;",
    );
    const result = await runner.run([], 10);
    expect([result.end, result.exitCode, result.stdout, result.stderr]).toEqual(['exited', 3, 'out', 'err']);
    expect(result.isSuccess).toBe(false);
  });

  it('that does not exist never started', async () => {
    const runner = childProcesses({ executable: '/nonexistent/yc', environment: {} });
    expect((await runner.run([], 10)).end).toBe('not_started');
  });

  it.each([
    ['too long', 'x'.repeat(3_000_000)],
    ['no text', 'a\0b'],
  ])('with an argument that is %s never started', async (_what, word) => {
    const { runner } = await programOf('');
    expect((await runner.run([word], 10)).end).toBe('not_started');
  });

  it('that is killed by someone else says so', async () => {
    const { runner } = await programOf("process.kill(process.pid, 'SIGKILL'); " + STAY);
    expect((await runner.run([], 10)).end).toBe('signal');
  });

  it('is stopped at its deadline', async () => {
    const { runner } = await programOf(STAY);
    const result = await runner.run([], 0.3);
    expect([result.end, result.exitCode]).toEqual(['timeout', null]);
  });

  it('that ignores SIGTERM is killed, with what it started', async () => {
    const { runner, note } = await programOf(`
      process.on('SIGTERM', () => {});
      const child = require('node:child_process').spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: 'inherit' });
      child.on('spawn', () => { fs.writeFileSync(note, String(child.pid)); process.stdout.write('started'); });
      ${STAY}`);
    const result = await runner.run([], 1.5);
    expect([result.end, result.stdout]).toEqual(['timeout', 'started']);
    const pid = Number(await note());
    expect(await isZombieOrGone(pid)).toBe(true);
  });

  it('that ends while something holds its output open is not waited for', async () => {
    const { runner } = await programOf(`
      require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20000)'], { stdio: 'inherit', detached: true }).unref();
      process.stdout.write('{}', () => process.exit(0));`);
    const result = await runner.run([], 15);
    expect([result.end, result.stdout]).toEqual(['exited', '{}']);
    expect(result.elapsedMs).toBeLessThan(10_000);
  });

  it.each(['stdout', 'stderr'])('that floods %s is stopped, and little of it kept', async (stream) => {
    const { runner } = await programOf(`
      const block = Buffer.alloc(1 << 20, 0x61);
      const pump = (left) => { if (left > 0) process.${stream}.write(block, () => pump(left - 1)); };
      pump(200);`);
    const result = await runner.run([], 25);
    expect(result.end).toBe('overflow');
    expect(result.stdout.length + result.stderr.length).toBeLessThanOrEqual(64 * 1024 * 1024);
  });

  it('is stopped when the run is interrupted, and none starts after that', async () => {
    const abort = new AbortController();
    const { runner, note } = await programOf(`fs.writeFileSync(note, 'runs'); ${STAY}`, { signal: abort.signal });
    const running = runner.run([], 20);
    while ((await note().catch(() => '')) !== 'runs') await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect((await running).end).toBe('aborted');
    expect((await runner.run([], 20)).end).toBe('prevented');
  });

  it('is stopped when the interruption comes while it is being started', async () => {
    const abort = new AbortController();
    const { runner } = await programOf(STAY, { signal: abort.signal });
    const running = runner.run([], 20);
    abort.abort();
    expect((await running).end).toBe('prevented');
  });

  it('never shows its output when the result is printed', async () => {
    const { runner } = await programOf("process.stdout.write('hunter2'); process.stderr.write('hunter2');");
    const result = await runner.run([], 10);
    expect(result.stdout).toBe('hunter2');
    for (const shown of [
      inspect(result),
      inspect({ result }, { depth: 9, showHidden: true }),
      JSON.stringify(result),
      String(result),
      `${Object.entries(result)}`,
    ])
      expect(shown).not.toContain('hunter2');
  });
});

/** A process whose parent is gone may wait as a zombie for somebody to look at it. */
async function isZombieOrGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return /\) [ZX]/.test(stat);
}
