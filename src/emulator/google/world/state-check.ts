import { isObject } from '../wire/json.ts';
import type { WorldState } from './state.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isObjects: Check = (value) => Array.isArray(value) && value.every(isObject);
const isFlag: Check = (value) => typeof value === 'boolean';

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function mapOf(check: Check): Check {
  return (value) => isObject(value) && Object.values(value).every(check);
}

function shape(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members);
  return (value) => isObject(value) && checks.every(([key, check]) => check(value[key]));
}

const times = { createTime: isText, updateTime: isText, etag: isText };
const resource = { ...times, name: isText, displayName: isText, state: isText, searchLag: optional(isNumber) };

/** What the handlers rely on; a file of an older version may lack whole members of the top. */
const MEMBERS: Readonly<Record<Exclude<keyof WorldState, 'format'>, Check>> = {
  counter: isNumber,
  lastMicros: isNumber,
  organizations: mapOf(shape({ ...times, name: isText, displayName: isText, directoryCustomerId: isText })),
  folders: mapOf(shape({ ...resource, parent: isText, deleteTime: optional(isText) })),
  projects: mapOf(
    shape({
      ...resource,
      projectId: isText,
      parent: optional(isText),
      labels: mapOf(isText),
      deleteTime: optional(isText),
      billingAccountName: isText,
      billingLag: optional(shape({ shown: isText, reads: isNumber })),
      services: mapOf(shape({ state: isText, lag: optional(shape({ shown: optional(isText), reads: isNumber })) })),
    }),
  ),
  projectIds: mapOf(isText),
  billingAccounts: mapOf(
    shape({
      name: isText,
      displayName: isText,
      open: isFlag,
      parent: isText,
      masterBillingAccount: isText,
      projectCap: optional(isNumber),
    }),
  ),
  policies: mapOf(
    shape({
      bindings: (value) =>
        Array.isArray(value) &&
        value.every(shape({ role: isText, members: isTexts, condition: optional((item) => isObject(item)) })),
      auditConfigs: isObjects,
      micros: isNumber,
    }),
  ),
  liens: mapOf(
    shape({
      name: isText,
      parent: isText,
      restrictions: isTexts,
      reason: isText,
      origin: isText,
      createTime: isText,
    }),
  ),
  operations: mapOf(
    shape({
      name: isText,
      service: isText,
      pollsLeft: isNumber,
      locks: isTexts,
      pendingMetadata: optional((value) => isObject(value)),
      doneMetadata: optional((value) => isObject(value)),
      error: optional(shape({ code: isNumber, message: isText, details: optional(isObjects) })),
    }),
  ),
  knownServices: isTexts,
};

/** Whether a value from a file is a state; the members that it lacks are those of an empty one. */
export function isState(value: unknown): value is Partial<WorldState> & { readonly revision?: unknown } {
  if (!isObject(value) || value['format'] !== 1) return false;
  return Object.entries(MEMBERS).every(([key, check]) => value[key] === undefined || check(value[key]));
}
