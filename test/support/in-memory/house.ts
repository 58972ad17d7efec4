import { expect } from 'vitest';
import type { Code } from '../../../src/core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../../../src/core/diagnostics.ts';
import type { EngineEvent } from '../../../src/core/events.ts';
import type { ProviderFact } from '../../../src/core/facts.ts';
import type { AppliedStep, ApplyReport, PlanStep, PlanVerb } from '../../../src/core/plan.ts';
import type { Playbook } from '../../../src/core/step.ts';
import { applyPlaybook } from '../../../src/engine/apply.ts';
import { execPlaybook } from '../../../src/engine/exec.ts';
import { planPlaybook } from '../../../src/engine/plan.ts';
import {
  type ApplyResult,
  DEFAULT_OPTIONS,
  type EnginePorts,
  type ExecLine,
  type ExecReport,
  type PlanResult,
  type RunSettings,
  type VerbOptions,
} from '../../../src/engine/ports.ts';
import { PROVIDER } from './actions.ts';
import { memoryCatalogue } from './catalogue.ts';
import { MemoryCloud } from './cloud.ts';
import { MemoryLog } from './event-log.ts';
import { MemoryPool } from './provider.ts';

export const START = Date.parse('2026-01-01T00:00:00Z');

/** A clock that moves only when told to. */
export class TestClock {
  #now = START;
  now(): number {
    return this.#now;
  }
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export interface RunOptions {
  readonly verb?: PlanVerb;
  readonly options?: Partial<VerbOptions>;
  readonly settings?: Partial<RunSettings>;
}

export interface ApplyOptions extends RunOptions {
  readonly confirm?: string;
  /** Left out: what the house's plan store has. */
  readonly reviewed?: PlanResult | null;
}

const QUIET_SIGNAL = new AbortController().signal;

export function settingsOf(settings: Partial<RunSettings> = {}): RunSettings {
  return {
    parallelism: 10,
    timeoutMs: null,
    failFast: false,
    lockTimeoutMs: 0,
    actor: { user: 'tester', host: 'testhost' },
    version: '0.0.0',
    stop: QUIET_SIGNAL,
    abort: QUIET_SIGNAL,
    ...settings,
  };
}

/** The provider side of a house, where it is not the in-memory one. */
export type Providers = Pick<EnginePorts, 'catalogues' | 'pool'>;

/** A cloud, a log, a clock and a plan store, and the verbs over them. */
export class House {
  readonly cloud = new MemoryCloud();
  readonly log = new MemoryLog();
  readonly clock = new TestClock();
  readonly events: EngineEvent[] = [];
  readonly pool = new MemoryPool(this.cloud);
  /** The plan store, by digest. */
  readonly stored = new Map<string, PlanResult>();
  readonly #providers: Providers;
  #random = 0;

  constructor(providers?: Providers) {
    this.#providers = providers ?? { catalogues: new Map([[PROVIDER, memoryCatalogue]]), pool: this.pool };
  }

  ports(overrides: Partial<EnginePorts> = {}): EnginePorts {
    return {
      ...this.#providers,
      log: this.log,
      clock: this.clock,
      randomHex: (bytes) => {
        this.#random += 1;
        return this.#random.toString(16).padStart(bytes * 2, '0');
      },
      emit: (event) => this.events.push(event),
      ...overrides,
    };
  }

  async plan(playbook: Playbook, run: RunOptions = {}): Promise<PlanResult> {
    const result = await planPlaybook(this.ports(), requestOf(playbook, run));
    if (result.plan.digest !== null) this.stored.set(result.plan.digest, result);
    return result;
  }

  /** Applies under a digest; without one, that of a plan made now. */
  async apply(playbook: Playbook, run: ApplyOptions = {}, ports: EnginePorts = this.ports()): Promise<ApplyResult> {
    const confirm = run.confirm ?? digestOf(await this.plan(playbook, run));
    return await applyPlaybook(ports, {
      ...requestOf(playbook, { verb: 'apply', ...run }),
      confirm,
      reviewed: run.reviewed === undefined ? (this.stored.get(confirm) ?? null) : run.reviewed,
      keepPlan: async (result) => {
        this.stored.set(confirm, result);
      },
    });
  }

  /** Applies what must not be refused. */
  async applied(playbook: Playbook, run: ApplyOptions = {}): Promise<ApplyReport> {
    return reportOf(await this.apply(playbook, run));
  }

  async exec(
    playbook: Playbook,
    run: RunOptions = {},
  ): Promise<ExecReport & { readonly handedOut: readonly ExecLine[] }> {
    const handedOut: ExecLine[] = [];
    const report = await execPlaybook(this.ports(), requestOf(playbook, run), (line) => handedOut.push(line));
    return { ...report, handedOut };
  }
}

function requestOf(playbook: Playbook, run: RunOptions) {
  return {
    verb: run.verb ?? 'plan',
    playbook,
    options: { ...DEFAULT_OPTIONS, ...run.options },
    settings: settingsOf(run.settings),
  } as const;
}

export function digestOf({ plan }: PlanResult): string {
  if (plan.digest === null) throw new Error('the plan has no digest');
  return plan.digest;
}

export function reportOf(result: ApplyResult): ApplyReport {
  if (result.kind === 'applied') return result.report;
  throw new Error(`refused: ${result.diagnostics.map((found) => `${found.code} ${found.detail}`).join('; ')}`);
}

export function refusalOf(result: ApplyResult): Extract<ApplyResult, { kind: 'refused' }> {
  if (result.kind === 'refused') return result;
  throw new Error('it was applied');
}

/** A line of an exec, the first unless said otherwise. */
export function lineOf(lines: readonly ExecLine[], index = 0): ExecLine {
  const line = lines[index];
  if (line === undefined) throw new Error(`no line ${index}`);
  return line;
}

/** A step of a plan or a report by its address. */
export function at<S extends PlanStep>(whole: { readonly steps: readonly S[] }, address: string): S {
  const found = whole.steps.find((step) => step.address === address);
  if (found === undefined) throw new Error(`no step ${address}`);
  return found;
}

export function outcomesOf(report: { readonly steps: readonly AppliedStep[] }): Readonly<Record<string, string>> {
  return Object.fromEntries(report.steps.map((step) => [step.address, step.outcome]));
}

export function changesOf(result: PlanResult): Readonly<Record<string, string>> {
  return Object.fromEntries(
    result.plan.steps.map((step) => [step.address, step.held === null ? step.change : `held ${step.change}`]),
  );
}

export function codesOf(found: readonly Diagnostic[]): readonly string[] {
  return found.map((item) => item.code);
}

/** Runs what must throw a DiagnosticError with this code first, and gives its diagnostics. */
export async function thrownBy(run: Promise<unknown>, code: Code): Promise<readonly Diagnostic[]> {
  const error = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DiagnosticError);
  const diagnostics = error instanceof DiagnosticError ? error.diagnostics : [];
  expect(codesOf(diagnostics)).toContain(code);
  return diagnostics;
}

/** Lets everything that can go on without the test do so, for some rounds of the event loop. */
export async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets promises settle until something holds; the test's own timeout bounds it. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await rounds(1);
}

/** A fact of an earlier run about a box: created by the unscoped stack, unless said otherwise. */
export function boxFact(name: string, fact: Partial<ProviderFact> = {}): ProviderFact {
  return {
    urn: `mem:store:box:${name}`,
    provider: PROVIDER,
    service: 'store',
    resource_type: 'box',
    verb: 'ensure',
    stack: '<unscoped>',
    desired: { name, parent: 'organizations/1' },
    execution_id: 1,
    outcome: 'changed',
    origin: 'created',
    ...fact,
  };
}
