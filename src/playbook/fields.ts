import * as z from 'zod/mini';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { didYouMean } from '../core/nearest.ts';
import {
  type AuthSpec,
  DEFAULT_POLL,
  type EndpointSpec,
  type PollSpec,
  type Reconcile,
  type Step,
} from '../core/step.ts';
import { isUnknown, type Value, type ValueObject } from '../core/value.ts';
import { readAuth } from './auth.ts';
import { readEndpoint } from './endpoint.ts';
import type { Renderer } from './render.ts';
import { readBoolean, readDryRun, readDuration } from './scalars.ts';
import { checkShape } from './shape.ts';
import { child, describe, describeValue, type MapNode, type TreeNode } from './tree.ts';

/** What a tool's keys say, typed. */
export type ToolFields = Pick<
  Step,
  | 'stack'
  | 'reconcile'
  | 'dryRun'
  | 'auth'
  | 'endpoint'
  | 'poll'
  | 'timeoutMs'
  | 'protect'
  | 'confirm'
  | 'knownDesired'
  | 'settings'
  | 'identity'
  | 'logicalId'
  | 'resourceId'
>;

const RECONCILE: readonly Reconcile[] = ['report', 'enforce', 'adopt'];
const POLL_KEYS = ['max_attempts', 'interval_ms', 'max_wait_secs'];
const positive = z.int().check(z.gte(1), z.lte(1_000_000));
const pollSchema = z.strictObject({
  max_attempts: z.optional(positive),
  interval_ms: z.optional(z.int().check(z.gte(0), z.lte(3_600_000))),
  max_wait_secs: z.optional(z.number().check(z.gt(0), z.lte(86_400))),
});

/**
 * Reads every key of a tool but provider, action, input and guard. What is wrong is reported and reads as not written;
 * only where it decides how the input is judged does it count against the step.
 */
export function readFields(tool: MapNode, stepTimeout: TreeNode | null, renderer: Renderer): ToolFields {
  const read = <T>(key: string, reader: Reader<T>): T | null => readStatic(child(tool, key), key, renderer, reader);
  const beside = renderer.findings.aside(() => ({
    reconcile: read('reconcile', readReconcile),
    dryRun: readDry(child(tool, 'dry_run'), renderer),
    auth: read<AuthSpec>('auth', (value, node) => readAuth(value, node, renderer.findings)),
    poll: read('poll', readPoll) ?? DEFAULT_POLL,
    timeoutMs: read('timeout', readTimeout) ?? readStatic(stepTimeout, 'timeout', renderer, readTimeout),
    protect: readProtect(tool, renderer),
    confirm: readAny(child(tool, 'confirm'), renderer),
    knownDesired: readAny(child(tool, 'known_desired'), renderer),
  }));
  return {
    ...beside,
    stack: read('stack', readName),
    endpoint: read<EndpointSpec>('endpoint', (value, node) => readEndpoint(value, node, renderer.findings)),
    settings: read('settings', readObject),
    identity: read('identity', readObject),
    logicalId: read('logical_id', readName),
    resourceId: read('resource_id', readName),
  };
}

/** Reads a known value that is not null; reports and gives null when it is not valid. */
type Reader<T> = (value: Json, node: TreeNode, key: string, renderer: Renderer) => T | null;

function readStatic<T>(node: TreeNode | null, key: string, renderer: Renderer, reader: Reader<T>): T | null {
  if (node === null) return null;
  const value = renderer.static(node, key);
  return value === undefined || value === null ? null : reader(value, node, key, renderer);
}

function invalid(
  key: string,
  expected: string,
  value: Json,
  node: TreeNode,
  renderer: Renderer,
  hint: string | null = null,
): null {
  renderer.findings.add('INVALID_VALUE', `${key} must be ${expected}, not ${describeValue(value)}.`, node, { hint });
  return null;
}

const NAME = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,300}$/u;

const readName: Reader<string> = (value, node, key, renderer) => {
  const text = typeof value === 'object' ? '' : String(value);
  return NAME.test(text) ? text : invalid(key, 'a text of one line', value, node, renderer);
};

const readReconcile: Reader<Reconcile> = (value, node, key, renderer) => {
  const found = RECONCILE.find((known) => known === value);
  if (found !== undefined) return found;
  return invalid(
    key,
    'report, enforce or adopt',
    value,
    node,
    renderer,
    typeof value === 'string' ? didYouMean(value, RECONCILE) : null,
  );
};

const readTimeout: Reader<number> = (value, node, key, renderer) =>
  readDuration(value) ?? invalid(key, 'a duration up to a day: seconds, or 500ms, 30s, 5m, 1h', value, node, renderer);

const readObject: Reader<JsonObject> = (value, node, key, renderer) =>
  isJsonObject(value) ? value : invalid(key, 'a mapping', value, node, renderer);

const readPoll: Reader<PollSpec> = (value, node, key, renderer) => {
  const poll = checkShape(pollSchema, value, node, POLL_KEYS, key, renderer.findings);
  if (poll === null) return null;
  return {
    maxAttempts: poll.max_attempts ?? DEFAULT_POLL.maxAttempts,
    intervalMs: poll.interval_ms ?? DEFAULT_POLL.intervalMs,
    maxWaitSecs: poll.max_wait_secs ?? DEFAULT_POLL.maxWaitSecs,
  };
};

function readDry(node: TreeNode | null, renderer: Renderer): boolean | null {
  if (node === null) return null;
  const value = renderer.static(node, 'dry_run');
  if (value === undefined) return null;
  return (
    readDryRun(value) ?? invalid('dry_run', 'a boolean or one of true, false, 1, 0, yes, no', value, node, renderer)
  );
}

function readProtect(tool: MapNode, renderer: Renderer): boolean | null {
  const node = child(tool, 'protect');
  if (node === null) return null;
  const value = renderer.static(node, 'protect');
  if (value === undefined) return null;
  return readBoolean(value) ?? invalid('protect', 'true or false', value, node, renderer);
}

function readAny(node: TreeNode | null, renderer: Renderer): Value | null {
  return node === null ? null : (renderer.value(node) ?? null);
}

/** The rendered input; undefined when it failed or is no mapping. */
export function readInput(node: TreeNode | null, step: string, renderer: Renderer): ValueObject | undefined {
  if (node === null || (node.kind === 'scalar' && node.value === null)) return {};
  const value = renderer.value(node);
  if (value === undefined) return undefined;
  if (isUnknown(value) || typeof value !== 'object' || value === null || Array.isArray(value)) {
    renderer.findings.add('INVALID_VALUE', `input of step "${step}" must be a mapping, not ${describe(node)}.`, node);
    return undefined;
  }
  return value as ValueObject;
}
