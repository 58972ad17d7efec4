import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Diagnostic, DiagnosticError } from '../../../src/core/diagnostics.ts';
import type { Difference } from '../../../src/core/events.ts';
import type { ApplyReport } from '../../../src/core/plan.ts';
import type { Playbook } from '../../../src/core/step.ts';
import {
  type GoogleEmulator,
  type GoogleEmulatorOptions,
  startGoogleEmulator,
} from '../../../src/emulator/google/server.ts';
import { applyPlaybook } from '../../../src/engine/apply.ts';
import { planPlaybook } from '../../../src/engine/plan.ts';
import {
  DEFAULT_OPTIONS,
  type EnginePorts,
  type PlanRequest,
  type PlanResult,
  type RunSettings,
} from '../../../src/engine/ports.ts';
import { type JsonlLog, openJsonlLog } from '../../../src/eventlog/jsonl-file.ts';
import { loadPlaybook } from '../../../src/playbook/load.ts';
import { fixedToken } from '../../../src/providers/google/auth.ts';
import { googleCatalogue } from '../../../src/providers/google/catalogue.ts';
import type { Limits } from '../../../src/providers/google/exchange.ts';
import { createGoogleClient } from '../../../src/providers/google/http-client.ts';
import { createGoogleProvider } from '../../../src/providers/google/provider.ts';
import type { Timing } from '../../../src/providers/google/timing.ts';
import type { OpenedProvider } from '../../../src/providers/lifecycle-provider.ts';
import { loadRequest } from '../load-request.ts';
import { FOUNDATION_SEED, foundationPlaybook } from './foundation.ts';

/** Only a name: the client is given the emulator's own address. */
const ENDPOINT = 'http://127.0.0.1:1';
let loaded: Promise<Playbook> | null = null;

const CATALOGUES = new Map([['google', googleCatalogue]]);
const QUIET = new AbortController().signal;

/** Sleeps take no time; the clock advances by them. */
function hurriedTiming(): Timing {
  let now = 0;
  return {
    now: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
    random: () => 0.5,
  };
}

/** How a plan or an apply ended. */
export type Ended =
  | { readonly kind: 'applied'; readonly report: ApplyReport }
  | {
      readonly kind: 'refused';
      readonly diagnostics: readonly Diagnostic[];
      readonly differences: readonly Difference[];
    };

export interface HouseOptions extends GoogleEmulatorOptions {
  readonly limits?: Partial<Limits>;
  /** Milliseconds that the engine's clock goes on each time it is asked: beyond 5000 every observation is stale at its write. */
  readonly clockStepMs?: number;
  /** What was reviewed already: every house starts with the same world, so a plan of one is a plan of all. */
  readonly reviewed?: PlanResult;
}

/** The engine, the real Google provider, a real log in a file and the emulator, with retries that take no time. */
export class EngineHouse {
  readonly emulator: GoogleEmulator;
  readonly folder: string;
  readonly logFile: string;
  readonly log: JsonlLog;
  readonly playbook: Playbook;
  readonly #plans = new Map<string, PlanResult>();
  readonly #options: HouseOptions;
  #clock = Date.parse('2026-01-01T00:00:00Z');

  private constructor(emulator: GoogleEmulator, folder: string, playbook: Playbook, options: HouseOptions) {
    this.emulator = emulator;
    this.folder = folder;
    this.playbook = playbook;
    this.#options = options;
    this.logFile = join(folder, 'eventlog.jsonl');
    this.log = this.#openLog();
    const digest = options.reviewed?.plan.digest;
    if (options.reviewed !== undefined && digest != null) this.#plans.set(digest, options.reviewed);
  }

  static async open(options: HouseOptions = {}): Promise<EngineHouse> {
    loaded ??= load(foundationPlaybook(ENDPOINT));
    const emulator = await startGoogleEmulator({ seed: FOUNDATION_SEED, ...options });
    const folder = await mkdtemp(join(tmpdir(), 'infra-safety-'));
    return new EngineHouse(emulator, folder, await loaded, options);
  }

  async close(): Promise<void> {
    await this.emulator.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async plan(): Promise<PlanResult> {
    const result = await this.#run((ports, request) => planPlaybook(ports, request));
    if (result.plan.digest !== null) this.#plans.set(result.plan.digest, result);
    return result;
  }

  async apply(confirm: string, settings: Partial<RunSettings> = {}): Promise<Ended> {
    try {
      return await this.#run(
        (ports, request) =>
          applyPlaybook(ports, {
            ...request,
            verb: 'apply',
            confirm,
            reviewed: this.#plans.get(confirm) ?? null,
            keepPlan: async (plan) => void this.#plans.set(confirm, plan),
          }),
        settings,
      );
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      return { kind: 'refused', diagnostics: error.diagnostics, differences: [] };
    }
  }

  async rows(): Promise<readonly Row[]> {
    const text = await readFile(this.logFile, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  }

  /** As a new process each time: its own client, session and log. */
  async #run<T>(
    body: (ports: EnginePorts, request: PlanRequest) => Promise<T>,
    settings: Partial<RunSettings> = {},
  ): Promise<T> {
    const { url } = this.emulator;
    const timing = hurriedTiming();
    const client = createGoogleClient({
      endpoints: { crm: `${url}/v3`, billing: `${url}/v1`, serviceusage: `${url}/v1` },
      credential: fixedToken('anywhere', 'test', 'token-of-the-test'),
      quotaProject: null,
      userAgent: 'infra/test',
      timing,
      limits: this.#options.limits ?? {},
    });
    const opened: OpenedProvider = { kind: 'open', provider: createGoogleProvider(client, { timing }) };
    const ports: EnginePorts = {
      catalogues: CATALOGUES,
      pool: { open: () => Promise.resolve(opened), close: () => client.close() },
      log: this.#openLog(),
      clock: {
        now: () => {
          this.#clock += this.#options.clockStepMs ?? 1;
          return this.#clock;
        },
      },
      randomHex: (bytes) => randomBytes(bytes).toString('hex'),
      emit: () => undefined,
    };
    try {
      return await body(ports, {
        verb: 'plan',
        playbook: this.playbook,
        options: DEFAULT_OPTIONS,
        settings: { ...SETTINGS, ...settings },
      });
    } finally {
      await client.close();
    }
  }

  #openLog(): JsonlLog {
    return openJsonlLog({
      path: this.logFile,
      infraFolder: null,
      actor: SETTINGS.actor,
      now: () => new Date(this.#clock),
    });
  }
}

const SETTINGS: RunSettings = {
  parallelism: 1,
  timeoutMs: null,
  failFast: false,
  lockTimeoutMs: 0,
  actor: { user: 'tester', host: 'testhost' },
  version: '0.0.0',
  stop: QUIET,
  abort: QUIET,
};

/** A row of the log, as far as the safety suites look into it. */
interface Row {
  readonly global_sequence: number;
  readonly type: string;
  readonly intent_sequence?: number;
  readonly status?: string;
  readonly address?: string;
  readonly urn?: string;
  readonly provider_fact?: {
    readonly urn: string;
    readonly outcome: string;
    readonly step?: string;
    readonly resource_id?: string;
  };
  readonly prev: string;
  readonly hash: string;
}

async function load(text: string): Promise<Playbook> {
  const { playbook, diagnostics } = await loadPlaybook(loadRequest('foundation.yaml', text, CATALOGUES));
  if (playbook === null) throw new Error(`the fixture does not load: ${JSON.stringify(diagnostics)}`);
  return playbook;
}
