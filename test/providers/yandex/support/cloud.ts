import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { childProcesses } from '../../../../src/cli/child-process.ts';
import { changeOf, diffFields } from '../../../../src/core/diff.ts';
import type { Declaration, Observation, WriteChange } from '../../../../src/core/resource.ts';
import { DEFAULT_POLL, type Step } from '../../../../src/core/step.ts';
import { isKnown, resolveValue, type ValueObject } from '../../../../src/core/value.ts';
import { controlFakeYc, type FakeYcControl } from '../../../../src/emulator/yc/control.ts';
import { installFakeYc } from '../../../../src/emulator/yc/install.ts';
import type { FakeYcSeed } from '../../../../src/emulator/yc/options.ts';
import { applySeed } from '../../../../src/emulator/yc/world/seed.ts';
import { createOrTransact } from '../../../../src/emulator/yc/world/store.ts';
import { followPath } from '../../../../src/engine/paths.ts';
import type { CommandRunner } from '../../../../src/providers/command-runner.ts';
import type {
  InventoryProvider,
  LifecycleProvider,
  Target,
  WriteOperation,
  WriteResult,
} from '../../../../src/providers/lifecycle-provider.ts';
import { reducedEnvironment } from '../../../../src/providers/yandex/environment.ts';
import { createYandexProvider, type YandexOptions } from '../../../../src/providers/yandex/provider.ts';
import { bundleFakeYc } from '../../../emulator/yc/bundle.ts';
import { createYcInside } from '../../../support/yc-inside.ts';
import { FOLDER, IMAGE, linked } from './steps.ts';

export const OTHER_FOLDER = 'b1gexamplefolder0002';
const SEED: FakeYcSeed = {
  folders: [{ id: FOLDER }, { id: OTHER_FOLDER }],
  images: [{ id: IMAGE, minDiskGib: 8 }],
};

export interface Cloud {
  readonly fake: FakeYcControl;
  /** What the provider runs `yc` with. */
  readonly runner: CommandRunner;
  readonly provider: LifecycleProvider & InventoryProvider;
  /** A folder for files of user data; the playbook's, so to say. */
  readonly folder: string;
  /** Another provider on the same folder, with other options. */
  open(options: Partial<YandexOptions>): LifecycleProvider & InventoryProvider;
}

const ENVIRONMENT = reducedEnvironment({ ...process.env, SECRET_TOKEN: 'hunter2' });

/** The state of a fake `yc`, and a provider that runs it inside this process. */
export async function cloudOf(seed: FakeYcSeed = SEED, options: Partial<YandexOptions> = {}): Promise<Cloud> {
  const folder = await mkdtemp(join(tmpdir(), 'infra-yandex-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const stateFile = join(folder, 'state.json');
  createOrTransact(stateFile, (state) => applySeed(state, seed));
  const runner = createYcInside({ stateFile, environment: ENVIRONMENT });
  const open = (more: Partial<YandexOptions>) =>
    createYandexProvider({
      runner,
      settings: { folderId: FOLDER, commandTimeout: 20, mutationTimeout: 20, inventoryLimit: 1000 },
      profile: 'default',
      userData: { folder, allowed: [], uid: process.getuid?.() ?? null, tempFolder: folder },
      ...options,
      ...more,
    });
  return { fake: controlFakeYc(stateFile), runner, provider: open({}), folder, open };
}

/** The runner of the product on the cloud's `yc`, which it then is on disk: for tests that are about processes. */
export async function ownProcesses({ fake: { stateFile }, folder }: Cloud): Promise<CommandRunner> {
  const program = await bundleFakeYc();
  const executable = await installFakeYc({ folder: join(folder, 'bin'), stateFile, program });
  return childProcesses({ executable, environment: ENVIRONMENT }, { graceMs: 200 });
}

export function targetOf(declaration: Declaration, more: Partial<Target> = {}): Target {
  return {
    declaration,
    desired: declaration.desired,
    resourceId: null,
    pending: new Set(),
    forDelete: declaration.action.kind === 'delete',
    ...more,
  };
}

/** What became of a step: the change that was asked for, what was seen before it, and how the write ended. */
export interface Turn {
  readonly step: Step;
  readonly declaration: Declaration;
  readonly desired: ValueObject;
  readonly seen: Observation;
  readonly change: WriteChange | 'none' | 'blocked';
  readonly result: WriteResult | null;
}

export interface RunOptions {
  readonly provider?: LifecycleProvider;
  /** Ids that the log knows, by address. */
  readonly recorded?: Readonly<Record<string, string>>;
  /** Only looks. */
  readonly dry?: boolean;
  readonly nonces?: Readonly<Record<string, string>>;
}

/** Plans and applies steps in their written order, as the engine does, one after the other. */
export async function run(cloud: Cloud, steps: readonly Step[], options: RunOptions = {}): Promise<readonly Turn[]> {
  const { declarations, diagnostics } = linked(steps);
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
  const turns: Turn[] = [];
  for (const step of steps) {
    const declaration = declarations.get(step.address);
    if (declaration === undefined) throw new Error(`no declaration of ${step.address}`);
    turns.push(await turn(cloud, step, declaration, turns, options));
  }
  return turns;
}

async function turn(
  cloud: Cloud,
  step: Step,
  declaration: Declaration,
  before: readonly Turn[],
  options: RunOptions,
): Promise<Turn> {
  const provider = options.provider ?? cloud.provider;
  const session = provider.openSession();
  const known = resolveValue(
    declaration.desired,
    (ref) => followPath({ resource: resourceOf(before, ref.address) }, ref.path),
    () => undefined,
  ) as ValueObject;
  const target = targetOf(declaration, { desired: known, resourceId: options.recorded?.[step.address] ?? null });
  const resolved = await session.resolve(target);
  if (resolved.kind === 'failed') {
    const seen: Observation = { kind: 'unreadable', why: resolved.why };
    return { step, declaration, desired: known, seen, change: 'blocked', result: null };
  }
  const { desired } = resolved;
  const seen = await session.observe({ ...target, desired });
  const change = changeFor(declaration, desired, seen);
  const base = { step, declaration, desired, seen, change };
  if (change === 'none' || change === 'blocked' || options.dry === true || !isKnown(desired))
    return { ...base, result: null };
  const [result] = await provider.write([operationOf(base, options.nonces?.[step.address])], HOOKS);
  return { ...base, result: result ?? null };
}

export const HOOKS = { signal: new AbortController().signal, onOperation: () => undefined };
export const NONCE = 'a'.repeat(32);

export function operationOf(
  { declaration, desired, seen, change }: Pick<Turn, 'declaration' | 'desired' | 'seen' | 'change'>,
  nonce = NONCE,
): WriteOperation {
  return {
    declaration,
    desired,
    change: change as WriteChange,
    observation: seen.kind === 'present' ? seen : null,
    nonce,
    poll: DEFAULT_POLL,
    timeoutMs: null,
    repeat: false,
    pendingOperation: null,
    freshDependencies: false,
    allowSelfLockout: false,
  };
}

function resourceOf(turns: readonly Turn[], address: string) {
  const found = turns.find(({ step }) => step.address === address);
  if (found?.result?.kind === 'done' || found?.result?.kind === 'noop') return found.result.resource;
  return found?.seen.kind === 'present' ? found.seen.resource : null;
}

function changeFor(declaration: Declaration, desired: ValueObject, seen: Observation): Turn['change'] {
  if (seen.kind === 'unreadable' || seen.kind === 'not_visible') return 'blocked';
  const isDelete = declaration.action.kind === 'delete';
  if (seen.kind === 'absent') return isDelete ? 'none' : 'create';
  if (isDelete) return seen.blockers.some(({ severity }) => severity === 'error') ? 'blocked' : 'delete';
  const { change, fixed } = changeOf(diffFields(desired, seen.actual, declaration.fields), declaration.fields);
  return fixed.length > 0 ? 'blocked' : change;
}

export function changes(turns: readonly Turn[]): Readonly<Record<string, string>> {
  return Object.fromEntries(turns.map(({ step, change }) => [step.address, change]));
}

export function results(turns: readonly Turn[]): Readonly<Record<string, string | null>> {
  return Object.fromEntries(turns.map(({ step, result }) => [step.address, result?.kind ?? null]));
}

/** Why a turn was blocked or its write not done. */
export function whyOf(turns: readonly Turn[], address: string): string {
  const found = turns.find(({ step }) => step.address === address);
  if (found?.result !== undefined && found.result !== null && 'why' in found.result)
    return `${found.result.why.code} ${found.result.why.detail} ${found.result.why.hint ?? ''}`;
  if (found?.seen.kind === 'unreadable')
    return `${found.seen.why.code} ${found.seen.why.detail} ${found.seen.why.hint ?? ''}`;
  if (found?.seen.kind !== 'present') return '';
  return [...found.seen.blockers, ...found.seen.warnings].map(({ code, detail }) => `${code} ${detail}`).join('\n');
}

export function idOf(turns: readonly Turn[], address: string): string {
  const resource = resourceOf(turns, address);
  const id = followPath(resource, 'id');
  if (typeof id !== 'string') throw new Error(`${address} has no id`);
  return id;
}

/** The commands so far that may change something, up to their first flag. */
export function mutations(cloud: Cloud): readonly string[] {
  return cloud.fake
    .commands()
    .map(({ argv }) =>
      argv
        .slice(
          0,
          argv.findIndex((word) => word.startsWith('--')),
        )
        .join(' '),
    )
    .filter((words) => !/ (list|get)$/.test(words) && words !== '');
}
