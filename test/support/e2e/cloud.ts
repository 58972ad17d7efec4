import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import {
  type GoogleEmulator,
  type GoogleEmulatorOptions,
  startGoogleEmulator,
} from '../../../src/emulator/google/server.ts';
import type { Folder, Project, StoredPolicy, WorldState } from '../../../src/emulator/google/world/state.ts';
import { infraInside } from '../cli-host.ts';
import { type Ended, ensureBuilt, infra, type RunsInfra, startInfra } from '../cli-process.ts';
import { closeAfterwards } from '../opened.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import {
  type ApplyDocument,
  applySchema,
  type ExecLine,
  execLineSchema,
  type FailureDocument,
  failureSchema,
  type PlanDocument,
  planSchema,
} from './contract.ts';
import { type PlaybookParts, playbookText } from './playbooks.ts';

export const ORG_ID = '123456789012';
export const ORG = `organizations/${ORG_ID}`;
export const ACCOUNT_ID = '0A1B2C-3D4E5F-6A7B8C';
export const ACCOUNT = `billingAccounts/${ACCOUNT_ID}`;
export const TOKEN = 'token-of-the-test-and-of-nothing-else';

export const SEED = {
  organizations: [{ id: ORG_ID, displayName: 'acme.example' }],
  billingAccounts: [{ id: ACCOUNT_ID, parent: ORG }],
} satisfies GoogleEmulatorOptions['seed'];

export interface Planned extends Ended {
  readonly plan: PlanDocument;
}

export interface Applied extends Ended {
  readonly report: ApplyDocument;
}

export interface Failed extends Ended {
  readonly failure: FailureDocument;
}

/** An organisation of one's own behind an emulator in this process, and a folder to run the built program in. */
export async function openCloud(options: GoogleEmulatorOptions = {}): Promise<Cloud> {
  await ensureBuilt();
  return await openCloudFor(infra, options);
}

/** The same with the program inside this process: what takes many runs, and is not about processes. */
export async function openCloudInside(options: GoogleEmulatorOptions = {}): Promise<Cloud> {
  return await openCloudFor(infraInside, options);
}

async function openCloudFor(run: RunsInfra, options: GoogleEmulatorOptions): Promise<Cloud> {
  const emulator = await startGoogleEmulator({ operationPolls: 0, ...options, seed: { ...SEED, ...options.seed } });
  return closeAfterwards(new Cloud(emulator, run));
}

export class Cloud {
  readonly emulator: GoogleEmulator;
  readonly folder: string;
  readonly #runs: RunsInfra;

  constructor(emulator: GoogleEmulator, runs: RunsInfra) {
    this.emulator = emulator;
    this.folder = temporaryFolder();
    this.#runs = runs;
  }

  async close(): Promise<void> {
    await this.emulator.close();
  }

  /** Writes a playbook whose steps are enforced at this cloud, unless it says otherwise. */
  write(parts: PlaybookParts, file = 'playbook.yaml'): void {
    this.writeText(file, playbookText({ ...parts, defaults: { ...this.defaults, ...parts.defaults } }));
  }

  writeText(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  readText(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  get defaults(): Readonly<Record<string, unknown>> {
    return {
      reconcile: 'enforce',
      endpoint: this.emulator.url,
      auth: { type: 'bearer', token_env: 'INFRA_TEST_TOKEN' },
    };
  }

  /** The program with the caller's token, and with the caller's leave to talk to this cloud. */
  run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.#runs(argv, { cwd: this.folder, env: this.env(env) });
  }

  /** The same, while it runs. */
  start(
    argv: readonly string[],
    env: Readonly<Record<string, string>> = {},
    input = '',
  ): ReturnType<typeof startInfra> {
    return startInfra(argv, { cwd: this.folder, env: this.env(env), input });
  }

  env(extra: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    return { INFRA_TEST_TOKEN: TOKEN, INFRA_ALLOW_ENDPOINT: this.emulator.url, ...extra };
  }

  async plan(...flags: readonly string[]): Promise<Planned> {
    return this.planOf('playbook.yaml', ...flags);
  }

  async planOf(file: string, ...flags: readonly string[]): Promise<Planned> {
    const ended = await this.run(['plan', file, '--format', 'json', ...flags]);
    return { ...ended, plan: parsed(ended, planSchema) };
  }

  /** Confirms a digest; the plan of it has to be let in. */
  async apply(digest: string | null, ...flags: readonly string[]): Promise<Applied> {
    const ended = await this.run(['apply', 'playbook.yaml', '--confirm', digest ?? '', '--format', 'json', ...flags]);
    return { ...ended, report: parsed(ended, applySchema) };
  }

  /** Plans and applies the plan. */
  async converge(...flags: readonly string[]): Promise<Applied> {
    const { plan } = await this.plan(...flags);
    return this.apply(plan.digest, ...flags);
  }

  /** A command that fails as a whole, with its JSON. */
  async fail(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Failed> {
    const ended = await this.run([...argv, '--format', 'json'], env);
    return { ...ended, failure: parsed(ended, failureSchema) };
  }

  async exec(...flags: readonly string[]): Promise<Ended & { readonly lines: readonly ExecLine[] }> {
    const ended = await this.run(['exec', 'playbook.yaml', ...flags]);
    return { ...ended, lines: execLines(ended) };
  }

  /** `METHOD path` of all requests since the last reset. */
  get requests(): readonly string[] {
    return this.emulator.requests.map(({ method, path }) => `${method} ${path}`);
  }

  /** Those of them that change something. */
  get writes(): readonly string[] {
    return this.requests.filter(isWrite);
  }

  get reads(): readonly string[] {
    return this.requests.filter((request) => !isWrite(request));
  }

  resetRequests(): void {
    this.emulator.resetRequests();
  }

  /** From now on the cloud denies every GET of this path. */
  deny(path: string): void {
    const body = { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } };
    this.emulator.addFault({ method: 'GET', path, action: { kind: 'respond', status: 403, body } });
  }

  /** Something that someone else does to the cloud; not in the request log afterwards. */
  async outOfBand(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.emulator.url}${path}`, {
      method,
      headers: { authorization: 'Bearer someone-else', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    this.resetRequests();
    return JSON.parse(text);
  }

  get state(): WorldState {
    return this.emulator.snapshot() as WorldState;
  }

  /** The active folder of that name. */
  folderNamed(displayName: string): Folder {
    const found = Object.values(this.state.folders).find(
      (item) => item.displayName === displayName && item.state === 'ACTIVE',
    );
    if (found === undefined) throw new Error(`there is no folder ${displayName}`);
    return found;
  }

  projectOf(id: string): Project {
    const found = Object.values(this.state.projects).find((item) => item.projectId === id);
    if (found === undefined) throw new Error(`there is no project ${id}`);
    return found;
  }

  policyOf(resource: string): StoredPolicy | undefined {
    const number = resource.startsWith('projects/')
      ? this.projectOf(resource.slice('projects/'.length)).name
      : resource;
    return this.state.policies[number];
  }

  /** Who holds the role without a condition. */
  membersOf(resource: string, role: string): readonly string[] {
    const bindings = this.policyOf(resource)?.bindings ?? [];
    return bindings
      .filter((item) => item.role === role && item.condition === undefined)
      .flatMap((item) => item.members);
  }

  enabledServices(projectId: string): readonly string[] {
    return Object.entries(this.projectOf(projectId).services)
      .flatMap(([name, { state }]) => (state === 'ENABLED' ? [name] : []))
      .sort();
  }

  /** The rows of the event log, as JSON. */
  get rows(): readonly Readonly<Record<string, unknown>>[] {
    return linesOf(this.readText('.infra/eventlog.jsonl')).map((line) => JSON.parse(line));
  }
}

export function isWrite(request: string): boolean {
  return !request.startsWith('GET ') && !/:(getIamPolicy|testIamPermissions)$/.test(request);
}

export function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

export function execLines(ended: Ended): readonly ExecLine[] {
  return linesOf(ended.stdout).map((line) => execLineSchema.parse(JSON.parse(line)));
}

/** The one JSON object on stdout; what else the process said helps where there is none. */
export function parsed<T>(ended: Ended, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(ended.stdout));
  } catch (error) {
    throw new Error(
      `exit ${ended.code}\n${String(error)}\n--- stdout\n${ended.stdout.slice(0, 2000)}\n--- stderr\n${ended.stderr}`,
    );
  }
}

/** The step at an address. */
export function stepAt<T extends { readonly address: string }>(
  document: { readonly steps: readonly T[] },
  address: string,
): T {
  const found = document.steps.find((item) => item.address === address);
  if (found === undefined)
    throw new Error(`no step ${address} among ${document.steps.map((item) => item.address).join(', ')}`);
  return found;
}

export function codesOf(items: readonly { readonly code: string }[]): readonly string[] {
  return items.map(({ code }) => code);
}

/** Expects an exit code, and shows on failure what the process had to say. */
export function expectExit(ended: Ended, code: number): void {
  expect(ended.code, `stdout:\n${ended.stdout.slice(0, 4000)}\nstderr:\n${ended.stderr}`).toBe(code);
}
