import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AuthSpec } from '../../core/step.ts';
import type { InventoryProvider, LifecycleProvider } from '../lifecycle-provider.ts';
import { type ProfileCredential, resolveProfile } from './credentials.ts';
import { createYandexProvider } from './provider.ts';
import { type ExecutableRequest, resolveExecutable } from './resolve-executable.ts';
import { readSettings } from './settings.ts';
import type { UserDataPlace } from './user-data.ts';
import { createYcRunner } from './yc.ts';

/** Everything that opening takes from outside. */
export interface OpenYandexRequest {
  readonly auth: AuthSpec | null;
  /** Of the step, or of the stack in the caller's configuration. */
  readonly settings: JsonObject | null;
  /** The caller's configured credentials by name. */
  readonly credentials: Readonly<Record<string, ProfileCredential>>;
  readonly executable: ExecutableRequest;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userData: UserDataPlace;
  /** Ends commands that run. */
  readonly signal: AbortSignal;
}

export type OpenedYandex =
  | { readonly kind: 'open'; readonly provider: LifecycleProvider & InventoryProvider }
  | { readonly kind: 'unusable'; readonly why: Diagnostic };

/** Decides whose authority is used, on which folder, by which executable; runs nothing. */
export async function openYandex(request: OpenYandexRequest): Promise<OpenedYandex> {
  const profile = resolveProfile(request.auth, request.credentials);
  if (profile.kind === 'unusable') return profile;
  const reading = readSettings(request.settings);
  if (reading.kind === 'invalid') {
    const detail = reading.problems.map((problem) => `settings: ${problem.detail}`).join(' ');
    return { kind: 'unusable', why: diagnostic('INVALID_VALUE', detail, { retryable: false }) };
  }
  const executable = await resolveExecutable(request.executable);
  if (executable.kind === 'unusable') return executable;
  const { environment, signal, userData } = request;
  const runner = createYcRunner({ executable: executable.path, environment, signal });
  const options = { runner, settings: reading.settings, profile: profile.profile, userData };
  return { kind: 'open', provider: createYandexProvider(options) };
}
