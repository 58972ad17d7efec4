import type { Faults } from './faults.ts';
import type { EmulatorKnobs, EmulatorSeed, Fault } from './options.ts';
import type { RequestLog } from './request-log.ts';
import { type Answer, jsonAnswer, notFoundPage } from './wire/http.ts';
import type { Json, JsonObject } from './wire/json.ts';
import { isList, isObject, stringAt } from './wire/json.ts';
import { applySeed } from './world/seed.ts';
import type { World } from './world/world.ts';

export const CONTROL_PREFIX = '/_emulator/';

export interface ControlTargets {
  readonly world: World;
  readonly faults: Faults;
  readonly log: RequestLog;
  /** Back to the first seed; no id returns. */
  readonly reset: () => void;
}

/** Drives the emulator from another process; no authentication, because it listens on loopback only. */
export function control(method: string, path: string, bodyText: string | undefined, targets: ControlTargets): Answer {
  const action = ACTIONS[`${method} ${path.slice(CONTROL_PREFIX.length)}`];
  if (action === undefined) return notFoundPage(path);
  try {
    return jsonAnswer(200, action(targets, bodyText === undefined ? undefined : parse(bodyText)), true);
  } catch (error) {
    return jsonAnswer(400, { error: error instanceof Error ? error.message : String(error) }, true);
  }
}

type Action = (targets: ControlTargets, body: JsonObject | readonly Json[] | undefined) => Json;

const ACTIONS: Readonly<Record<string, Action>> = {
  'GET requests': ({ log }) => ({ requests: toJson(log.entries) }),
  'DELETE requests': ({ log }) => {
    log.clear();
    return {};
  },
  'GET state': ({ world }) => toJson(world.state),
  'POST faults': ({ faults }, body) => {
    const sent = isList(body) ? body : [body ?? {}];
    const accepted = sent.map(acceptFault);
    for (const fault of accepted) faults.add(fault);
    return { added: accepted.length };
  },
  'DELETE faults': ({ faults }) => {
    faults.clear();
    return {};
  },
  'POST reset': ({ reset }) => {
    reset();
    return {};
  },
  'POST seed': ({ world }, body) => {
    applySeed(world, acceptSeed(body));
    return {};
  },
  'POST purge': ({ world }, body) => {
    const resource = isObject(body) ? stringAt(body, 'resource') : undefined;
    if (resource === undefined || !world.purge(resource))
      throw new Error('only a deleted project or folder can be purged');
    return {};
  },
  'POST knobs': ({ world }, body) => {
    world.knobs = { ...world.knobs, ...acceptKnobs(body) };
    return toJson(world.knobs);
  },
};

const FAULT_KINDS = ['respond', 'reset', 'resetAfter', 'hang', 'hangAfter', 'truncate', 'delay', 'lroError'];

function acceptFault(value: Json): Fault {
  if (!isFault(value))
    throw new Error(`a fault is {method?, path?, nth?, times?, action: {kind: ${FAULT_KINDS.join(' | ')}, ...}}`);
  return value;
}

function isFault(value: unknown): value is Fault {
  if (!isObject(value) || !isObject(value['action'])) return false;
  return FAULT_KINDS.includes(String(value['action']['kind']));
}

function acceptSeed(value: unknown): EmulatorSeed {
  if (!isObject(value)) throw new Error('a seed is an object');
  // The seed's own lists are checked by use: a malformed one fails the request with its reason.
  return value as EmulatorSeed;
}

type KnobType = 'boolean' | 'number' | 'texts';

const WORDS: Readonly<Record<KnobType, string>> = {
  boolean: 'true or false',
  number: 'a number',
  texts: 'a list of texts',
};

const KNOBS: Readonly<Record<keyof EmulatorKnobs, KnobType>> = {
  enforceQuotaProject: 'boolean',
  billingProjectCap: 'number',
  projectQuota: 'number',
  rejectSingleBatchEnable: 'boolean',
  strictDisable: 'boolean',
  servicesInUse: 'texts',
  missingMembers: 'texts',
  unknownRoles: 'texts',
  rejectEmptyProjectPolicy: 'boolean',
  searchLagReads: 'number',
  billingLagReads: 'number',
  serviceLagReads: 'number',
  caseInsensitiveFolderNames: 'boolean',
  deletedFoldersBlockNames: 'boolean',
  folderDepth: 'number',
  folderFanOut: 'number',
};

function acceptKnobs(value: unknown): EmulatorKnobs {
  if (!isObject(value)) throw new Error('knobs are an object');
  for (const [key, knob] of Object.entries(value)) {
    const type = Object.hasOwn(KNOBS, key) ? KNOBS[key as keyof EmulatorKnobs] : undefined;
    if (type === undefined) throw new Error(`there is no knob "${key}"; knobs: ${Object.keys(KNOBS).join(', ')}`);
    const fits =
      type === 'texts' ? isList(knob) && knob.every((item) => typeof item === 'string') : typeof knob === type;
    if (!fits) throw new Error(`the knob "${key}" must be ${WORDS[type]}`);
  }
  return value as EmulatorKnobs;
}

function parse(text: string): JsonObject | readonly Json[] {
  const value: unknown = JSON.parse(text);
  if (isObject(value) || isList(value)) return value;
  throw new Error('the body must be a JSON object or list');
}

function toJson(value: unknown): Json {
  const copy: Json = JSON.parse(JSON.stringify(value));
  return copy;
}
