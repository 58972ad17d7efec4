import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCli } from '../../../src/cli/program.ts';
import {
  type GoogleEmulator,
  type GoogleEmulatorOptions,
  startGoogleEmulator,
} from '../../../src/emulator/google/server.ts';
import { openJsonlLog } from '../../../src/eventlog/jsonl-file.ts';
import { fakeHost } from '../cli-host.ts';
import { builtCli } from './built-cli.ts';
import { FOUNDATION_SEED, foundationPlaybook } from './foundation.ts';

/** How a process, or a command line run in this one, ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What came so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
}

export interface SiteOptions extends GoogleEmulatorOptions {
  readonly playbook?: (url: string) => string;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Loaded before the program. */
  readonly preload?: string;
}

export const TOKEN = 'token-of-the-site';
const ENDED_MS = 20_000;

/** A working folder with a playbook, a home of its own, an emulated cloud, and the program to use on them. */
export class Site {
  readonly folder: string;
  readonly home: string;
  readonly emulator: GoogleEmulator;
  readonly #entry: string;
  readonly #running = new Set<ChildProcess>();

  private constructor(folder: string, emulator: GoogleEmulator, entry: string) {
    this.folder = folder;
    this.home = realpathSync(mkdtempSync(join(tmpdir(), 'infra-home-')));
    this.emulator = emulator;
    this.#entry = entry;
  }

  static async open({ playbook = foundationPlaybook, ...options }: SiteOptions = {}): Promise<Site> {
    const emulator = await startGoogleEmulator({
      ...(FOUNDATION_SEED === undefined ? {} : { seed: FOUNDATION_SEED }),
      ...options,
    });
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'infra-site-')));
    writeFileSync(join(folder, 'foundation.yaml'), playbook(emulator.url));
    return new Site(folder, emulator, await builtCli());
  }

  get logFile(): string {
    return join(this.folder, '.infra/eventlog.jsonl');
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, '.config'),
      XDG_CACHE_HOME: join(this.home, '.cache'),
      XDG_STATE_HOME: join(this.home, '.local/state'),
      INFRA_TEST_TOKEN: TOKEN,
      INFRA_ALLOW_ENDPOINT: this.emulator.url,
    };
  }

  async close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    await this.emulator.close();
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(this.home, { recursive: true, force: true });
  }

  start(argv: readonly string[], { env = {}, cwd = this.folder, preload }: StartOptions = {}): Running {
    const loaded = preload === undefined ? [] : ['--require', preload];
    const child = spawn(process.execPath, [...loaded, this.#entry, ...argv], {
      cwd,
      env: { ...this.environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    const ended = new Promise<Ended>((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`infra ${argv.join(' ')} did not end in ${ENDED_MS} ms:\n${output.stdout}\n${output.stderr}`));
      }, ENDED_MS);
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        this.#running.delete(child);
        resolve({ code, signal, ...output });
      });
    });
    return { child, ended, output };
  }

  run(argv: readonly string[], options: StartOptions = {}): Promise<Ended> {
    return this.start(argv, options).ended;
  }

  /** In this process: as the program would, but quicker. */
  async runHere(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const host = {
      ...fakeHost({ cwd: this.folder, env: { ...this.environment, ...env } }),
      home: this.home,
      hostname: hostname(),
    };
    const code = await runCli(argv, host);
    return { code, signal: null, ...host.written };
  }

  /** Plans foundation.yaml, keeps the plan and gives its digest. */
  async plan(file = 'foundation.yaml'): Promise<string> {
    const { code, stdout, stderr } = await this.runHere(['plan', file, '--format', 'json']);
    const { digest } = JSON.parse(stdout === '' ? '{}' : stdout) as { digest?: string | null };
    if (code !== 0 || typeof digest !== 'string') throw new Error(`no digest (exit ${code}): ${stderr}`);
    this.emulator.resetRequests();
    return digest;
  }

  rows(): readonly Readonly<Record<string, unknown>>[] {
    if (!existsSync(this.logFile)) return [];
    const lines = readFileSync(this.logFile, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  log() {
    return openJsonlLog({ path: this.logFile, infraFolder: null, actor: { user: 'tester', host: hostname() } });
  }

  /** Lock files that stand. */
  locks(): readonly string[] {
    const folder = join(this.folder, '.infra/locks');
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.lock')) : [];
  }
}

/** Waits until the condition holds; fails after a bound. */
export async function until(condition: () => boolean, what: string, withinMs = 15_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not in time: ${what}`);
    await pause(2);
  }
}
