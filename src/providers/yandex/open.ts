import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AuthSpec } from '../../core/step.ts';
import type { CommandRunner, Program } from '../command-runner.ts';
import type { InventoryProvider, LifecycleProvider } from '../lifecycle-provider.ts';
import { type ProfileCredential, resolveProfile } from './credentials.ts';
import { reducedEnvironment } from './environment.ts';
import type { YcFailure } from './errors.ts';
import { createYandexProvider, createYandexReader, versionProblem, type YandexOptions } from './provider.ts';
import { readOnlyRunner } from './read-only.ts';
import type { ResolvedExecutable } from './resolve-executable.ts';
import { COMMAND_TIMEOUT, readSettings } from './settings.ts';
import type { UserDataPlace } from './user-data.ts';

/** Everything that opening takes from outside. */
export interface OpenYandexRequest {
  readonly auth: AuthSpec | null;
  /** Of the step, or of the stack in the caller's configuration. */
  readonly settings: JsonObject | null;
  /** The caller's configured credentials by name. */
  readonly credentials: Readonly<Record<string, ProfileCredential>>;
  /** The `yc` of the run; asked for when all else is in order. */
  executable(): Promise<ResolvedExecutable>;
  /** What starts it. */
  runnerOf(program: Program): CommandRunner;
  /** The caller's; `yc` gets what it needs of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userData: UserDataPlace;
  /** Ends commands that run. */
  readonly signal: AbortSignal;
  /** Nothing gets out that could write. */
  readonly readOnly: boolean;
}

type Unusable = { readonly kind: 'unusable'; readonly why: Diagnostic; readonly isStated?: boolean };

export type OpenedYandex =
  | { readonly kind: 'open'; readonly provider: LifecycleProvider & InventoryProvider }
  | Unusable;

/** Decides whose authority is used, on which folder, by which executable; runs nothing. */
export async function openYandex(request: OpenYandexRequest): Promise<OpenedYandex> {
  const found = await optionsFor(request);
  return 'kind' in found ? found : { kind: 'open', provider: createYandexProvider(found) };
}

/** The same for what has no way to write at all. */
export async function openYandexReader(
  request: Omit<OpenYandexRequest, 'readOnly'>,
): Promise<{ readonly kind: 'open'; readonly provider: InventoryProvider } | Unusable> {
  const found = await optionsFor({ ...request, readOnly: true });
  return 'kind' in found ? found : { kind: 'open', provider: createYandexReader(found) };
}

export type ProgramCheck =
  | { readonly kind: 'checked'; readonly errorCode: YcFailure['code'] | null }
  | Extract<ResolvedExecutable, { kind: 'unusable' }>;

/** Whether the program is there, and is a `yc`: needs no profile, no folder and no network. */
export async function checkProgram(
  request: Pick<OpenYandexRequest, 'executable' | 'runnerOf' | 'environment' | 'signal'>,
): Promise<ProgramCheck> {
  const executable = await request.executable();
  if (executable.kind === 'unusable') return executable;
  const runner = runnerFor(request, executable.path);
  return { kind: 'checked', errorCode: versionProblem(await runner.run(['--version'], COMMAND_TIMEOUT)) };
}

function runnerFor(
  { environment, runnerOf, signal }: Pick<OpenYandexRequest, 'runnerOf' | 'environment' | 'signal'>,
  executable: string,
): CommandRunner {
  return runnerOf({ executable, environment: reducedEnvironment(environment), signal });
}

async function optionsFor(request: OpenYandexRequest): Promise<YandexOptions | Unusable> {
  const profile = resolveProfile(request.auth, request.credentials);
  if (profile.kind === 'unusable') return profile;
  const reading = readSettings(request.settings);
  if (reading.kind === 'invalid') {
    const detail = reading.problems.map((problem) => `settings: ${problem.detail}`).join(' ');
    return { kind: 'unusable', why: diagnostic('INVALID_VALUE', detail, { retryable: false }) };
  }
  const executable = await request.executable();
  if (executable.kind === 'unusable') return executable;
  const { userData, readOnly } = request;
  const runner = runnerFor(request, executable.path);
  return {
    runner: readOnly ? readOnlyRunner(runner) : runner,
    settings: reading.settings,
    profile: profile.profile,
    userData,
  };
}
