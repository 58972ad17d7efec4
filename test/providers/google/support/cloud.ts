import { onTestFinished } from 'vitest';
import { changeOf, diffFields } from '../../../../src/core/diff.ts';
import type { Declaration, Observation, WriteChange } from '../../../../src/core/resource.ts';
import type { Step } from '../../../../src/core/step.ts';
import { DEFAULT_POLL } from '../../../../src/core/step.ts';
import type { ValueObject } from '../../../../src/core/value.ts';
import {
  type GoogleEmulator,
  type GoogleEmulatorOptions,
  startGoogleEmulator,
} from '../../../../src/emulator/google/server.ts';
import { createGoogleClient } from '../../../../src/providers/google/http-client.ts';
import { createGoogleProvider } from '../../../../src/providers/google/provider.ts';
import type { Timing } from '../../../../src/providers/google/timing.ts';
import type { TokenSource } from '../../../../src/providers/google/token-source.ts';
import type {
  LifecycleProvider,
  ReadSession,
  Target,
  WriteOperation,
  WriteResult,
} from '../../../../src/providers/lifecycle-provider.ts';
import { declared } from './steps.ts';

export const ORG = 'organizations/123456789012';
export const ACCOUNT = 'billingAccounts/0A1B2C-3D4E5F-6A7B8C';
export const OTHER_ACCOUNT = 'billingAccounts/AAAAAA-BBBBBB-CCCCCC';

export interface Cloud {
  readonly emulator: GoogleEmulator;
  readonly provider: LifecycleProvider;
  /** Milliseconds that were slept, one entry a sleep. */
  readonly sleeps: readonly number[];
}

/** Sleeps take no time and are noted; the clock advances by them. */
export function hurriedTiming(): { readonly timing: Timing; readonly sleeps: number[] } {
  const sleeps: number[] = [];
  let now = 0;
  const timing: Timing = {
    now: () => now,
    sleep: (ms) => {
      if (ms > 0) sleeps.push(ms);
      now += ms;
      return Promise.resolve();
    },
    random: () => 0.5,
  };
  return { timing, sleeps };
}

function credential(token: string): TokenSource {
  return {
    reach: 'anywhere',
    description: 'test',
    token: () => Promise.resolve({ kind: 'token', token }),
    refresh: () => Promise.resolve({ kind: 'token', token: `${token}-2` }),
    issued: () => [token],
  };
}

/** An emulated organisation with two billing accounts, and a provider on it; both are closed when the test ends. */
export async function cloudOf(options: GoogleEmulatorOptions = {}, token = 'all-powerful'): Promise<Cloud> {
  const seed = {
    organizations: [{ id: '123456789012', displayName: 'acme.example' }],
    billingAccounts: [
      { id: '0A1B2C-3D4E5F-6A7B8C', parent: ORG },
      { id: 'AAAAAA-BBBBBB-CCCCCC', open: false, parent: ORG },
    ],
    ...options.seed,
  };
  const emulator = await startGoogleEmulator({ ...options, seed });
  const { timing, sleeps } = hurriedTiming();
  const endpoints = { crm: `${emulator.url}/v3`, billing: `${emulator.url}/v1`, serviceusage: `${emulator.url}/v1` };
  const client = createGoogleClient({
    endpoints,
    credential: credential(token),
    quotaProject: null,
    userAgent: 'infra/test',
    timing,
  });
  const provider = createGoogleProvider(client, { timing });
  onTestFinished(async () => {
    await provider.close();
    await emulator.close();
  });
  return { emulator, provider, sleeps };
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

/** Resolves and observes one step, as a plan does. */
export async function see(
  cloud: Cloud,
  step: Step,
  more: Partial<Target> = {},
  session: ReadSession = cloud.provider.openSession(),
): Promise<{ readonly observation: Observation; readonly desired: ValueObject; readonly declaration: Declaration }> {
  const declaration = declared(step);
  const target = targetOf(declaration, more);
  const resolved = await session.resolve(target);
  if (resolved.kind === 'failed') throw new Error(resolved.why.detail);
  return {
    declaration,
    desired: resolved.desired,
    observation: await session.observe({ ...target, desired: resolved.desired }),
  };
}

/** The change that the engine would make; null: none. */
export function changeFor(
  declaration: Declaration,
  desired: ValueObject,
  observation: Observation,
): WriteChange | null {
  const isPresent = observation.kind === 'present';
  if (declaration.action.kind === 'delete') return isPresent ? 'delete' : null;
  if (!isPresent) return 'create';
  if (observation.state === 'DELETE_REQUESTED') return 'undelete';
  const { change } = changeOf(diffFields(desired, observation.actual, declaration.fields), declaration.fields);
  return change === 'none' ? null : change;
}

export function operationOf(
  declaration: Declaration,
  desired: ValueObject,
  observation: Observation,
  change: WriteChange,
  more: Partial<WriteOperation> = {},
): WriteOperation {
  return {
    declaration,
    desired,
    change,
    observation: observation.kind === 'present' ? observation : null,
    nonce: '0'.repeat(32),
    poll: DEFAULT_POLL,
    timeoutMs: null,
    repeat: false,
    pendingOperation: null,
    freshDependencies: false,
    allowSelfLockout: false,
    ...more,
  };
}

export interface Noted {
  readonly operations: string[];
}

export async function writeAll(
  cloud: Cloud,
  operations: readonly WriteOperation[],
  noted: Noted = { operations: [] },
): Promise<readonly WriteResult[]> {
  return cloud.provider.write(operations, {
    signal: new AbortController().signal,
    onOperation: (address, operation, attempt) => noted.operations.push(`${address} ${operation} ${attempt}`),
  });
}

/** Observes and writes one step; null: there was nothing to do. */
export async function apply(
  cloud: Cloud,
  step: Step,
  more: Partial<WriteOperation> = {},
  target: Partial<Target> = {},
): Promise<WriteResult | null> {
  const { declaration, desired, observation } = await see(cloud, step, target);
  const change = changeFor(declaration, desired, observation);
  if (change === null) return null;
  const [result] = await writeAll(cloud, [operationOf(declaration, desired, observation, change, more)]);
  return result ?? null;
}

/** Applies several steps of one batch, as the engine coalesces them. */
export async function applyBatch(
  cloud: Cloud,
  steps: readonly Step[],
  more: Partial<WriteOperation> = {},
): Promise<readonly WriteResult[]> {
  const session = cloud.provider.openSession();
  const seen = await Promise.all(steps.map((step) => see(cloud, step, {}, session)));
  return writeAll(
    cloud,
    seen.map(({ declaration, desired, observation }) =>
      operationOf(declaration, desired, observation, changeFor(declaration, desired, observation) ?? 'create', more),
    ),
  );
}

/** Applies a step and expects it to have been done. */
export async function make(cloud: Cloud, step: Step): Promise<Extract<WriteResult, { kind: 'done' }>> {
  const result = await apply(cloud, step);
  if (result?.kind !== 'done') throw new Error(`not done: ${JSON.stringify(result)}`);
  return result;
}

export function sent(cloud: Cloud, method: string, path: RegExp): readonly GoogleEmulator['requests'][number][] {
  return cloud.emulator.requests.filter((request) => request.method === method && path.test(request.path));
}
