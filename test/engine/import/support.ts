import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ApplyReport, Plan } from '../../../src/core/plan.ts';
import type { Playbook } from '../../../src/core/step.ts';
import {
  type GoogleEmulator,
  type GoogleEmulatorOptions,
  startGoogleEmulator,
} from '../../../src/emulator/google/server.ts';
import { applyPlaybook } from '../../../src/engine/apply.ts';
import { type ImportResult, runImport } from '../../../src/engine/import.ts';
import { planPlaybook } from '../../../src/engine/plan.ts';
import { DEFAULT_OPTIONS, type EnginePorts, type RunSettings, type VerbOptions } from '../../../src/engine/ports.ts';
import { openJsonlLog } from '../../../src/eventlog/jsonl-file.ts';
import { loadPlaybook } from '../../../src/playbook/load.ts';
import { fixedToken } from '../../../src/providers/google/auth.ts';
import { googleCatalogue } from '../../../src/providers/google/catalogue.ts';
import type { GoogleClient } from '../../../src/providers/google/client.ts';
import { createGoogleClient } from '../../../src/providers/google/http-client.ts';
import { createGoogleProvider } from '../../../src/providers/google/provider.ts';
import { createGoogleReader } from '../../../src/providers/google/reader.ts';
import type { InventoryProvider } from '../../../src/providers/lifecycle-provider.ts';
import { loadRequest } from '../../support/load-request.ts';

export const ORG = 'organizations/123456789012';
export const ACCOUNT = 'billingAccounts/0A1B2C-3D4E5F-6A7B8C';

const CATALOGUES = new Map([['google', googleCatalogue]]);
const QUIET = new AbortController().signal;
const SETTINGS: RunSettings = {
  parallelism: 10,
  timeoutMs: null,
  failFast: false,
  lockTimeoutMs: 0,
  actor: { user: 'tester', host: 'testhost' },
  version: '0.0.0',
  stop: QUIET,
  abort: QUIET,
};

/** An emulated organisation with a log of its own: import, load, plan and apply against it. */
export class ImportHouse {
  readonly emulator: GoogleEmulator;
  readonly #client: GoogleClient;
  readonly #ports: EnginePorts;

  private constructor(emulator: GoogleEmulator, folder: string) {
    this.emulator = emulator;
    let now = Date.parse('2026-01-01T00:00:00Z');
    const timing = {
      now: () => now,
      sleep: (ms: number) => {
        now += ms;
        return Promise.resolve();
      },
      random: () => 0.5,
    };
    const { url } = emulator;
    this.#client = createGoogleClient({
      endpoints: { crm: `${url}/v3`, billing: `${url}/v1`, serviceusage: `${url}/v1` },
      credential: fixedToken('anywhere', 'test', 'token-of-the-test'),
      quotaProject: null,
      userAgent: 'infra/test',
      timing,
    });
    const provider = createGoogleProvider(this.#client, { timing });
    this.#ports = {
      catalogues: CATALOGUES,
      pool: { open: () => Promise.resolve({ kind: 'open', provider }), close: () => Promise.resolve() },
      log: openJsonlLog({
        path: join(folder, 'eventlog.jsonl'),
        infraFolder: null,
        actor: SETTINGS.actor,
        now: () => new Date(now),
      }),
      clock: { now: () => now },
      randomHex: (bytes) => randomBytes(bytes).toString('hex'),
      emit: () => undefined,
    };
  }

  /** Closed when the test ends. */
  static async open(options: GoogleEmulatorOptions = {}): Promise<ImportHouse> {
    const { house, close } = await ImportHouse.start(options);
    onTestFinished(close);
    return house;
  }

  static async start(options: GoogleEmulatorOptions = {}) {
    const seed = {
      organizations: [{ id: '123456789012', displayName: 'acme.example' }],
      billingAccounts: [{ id: '0A1B2C-3D4E5F-6A7B8C', parent: ORG }],
      ...options.seed,
    };
    const emulator = await startGoogleEmulator({ ...options, seed });
    const folder = await mkdtemp(join(tmpdir(), 'infra-import-'));
    const house = new ImportHouse(emulator, folder);
    const close = async (): Promise<void> => {
      await house.#client.close();
      await emulator.close();
      await rm(folder, { recursive: true, force: true });
    };
    return { house, close };
  }

  reader(scopeId: string = ORG): InventoryProvider {
    return createGoogleReader(this.#client, { scopeId });
  }

  import(scope: string = ORG, more: { readonly leaveOut?: readonly string[] } = {}): Promise<ImportResult> {
    return runImport({
      reader: this.reader(scope),
      stack: 'imported',
      name: null,
      auth: { type: 'gcp_adc', scopes: ['https://www.googleapis.com/auth/cloud-platform'] },
      leaveOut: more.leaveOut ?? null,
    });
  }

  plan(playbook: Playbook, options: Partial<VerbOptions> = {}): Promise<Plan> {
    return this.#plan(playbook, options).then((result) => result.plan);
  }

  async apply(playbook: Playbook, options: Partial<VerbOptions> = {}): Promise<ApplyReport> {
    const reviewed = await this.#plan(playbook, options);
    const result = await applyPlaybook(this.#ports, {
      verb: 'apply',
      playbook,
      options: { ...DEFAULT_OPTIONS, ...options },
      settings: SETTINGS,
      confirm: reviewed.plan.digest ?? '',
      reviewed,
      keepPlan: () => Promise.resolve(),
    });
    if (result.kind === 'refused') throw new Error(JSON.stringify(result));
    return result.report;
  }

  #plan(playbook: Playbook, options: Partial<VerbOptions>) {
    return planPlaybook(this.#ports, {
      verb: 'plan',
      playbook,
      options: { ...DEFAULT_OPTIONS, ...options },
      settings: SETTINGS,
    });
  }
}

export async function load(text: string): Promise<Playbook> {
  const { playbook, diagnostics } = await loadPlaybook(loadRequest('imported.yaml', text, CATALOGUES));
  if (playbook === null) throw new Error(`it does not load: ${JSON.stringify(diagnostics)}\n${text}`);
  return playbook;
}

/** The playbook with every step set to adopt, as the verb does it. */
export function adopting(playbook: Playbook): Playbook {
  return { ...playbook, steps: playbook.steps.map((step) => ({ ...step, reconcile: 'adopt' as const })) };
}

/** Steps of a plan by what they would do: `none own`, `create`, ... */
export function tally(plan: Plan): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { change, record } of plan.steps) {
    const key = record === null ? change : `${change} ${record}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
