import type { RpcStatus } from './options.ts';
import { ApiError, invalidArgument } from './wire/errors.ts';
import type { Json, JsonObject } from './wire/json.ts';
import { type ApiService, type Call, param, type Route } from './wire/route.ts';
import type { Operation } from './world/state.ts';
import type { World } from './world/world.ts';

const RETAINED_OPERATIONS = 500;

export interface NewOperation {
  readonly name: string;
  readonly service: Operation['service'];
  /** Shown in the first answer too, unless `quietStart`. */
  readonly pendingMetadata?: JsonObject;
  readonly doneMetadata?: JsonObject;
  /** The first answer holds the name alone. */
  readonly quietStart?: boolean;
  readonly locks?: readonly string[];
  /** Changes the world and answers the response; an operation error changes nothing. */
  readonly apply: () => { readonly response: Json } | { readonly error: RpcStatus };
}

/**
 * The change is made at once and only its report is delayed, so that a client killed before its
 * first poll leaves the same world as one that waited.
 */
export function startOperation(call: Call, plan: NewOperation): Json {
  const { world } = call;
  const result = call.lroError === undefined ? plan.apply() : { error: call.lroError };
  const operation: Operation = {
    name: plan.name,
    service: plan.service,
    ...(plan.pendingMetadata === undefined ? {} : { pendingMetadata: plan.pendingMetadata }),
    ...(plan.doneMetadata === undefined ? {} : { doneMetadata: plan.doneMetadata }),
    pollsLeft: world.operationPolls,
    locks: plan.locks ?? [],
    ...result,
  };
  world.state.operations[operation.name] = operation;
  forgetOldOperations(world);
  world.touch();
  if (operation.pollsLeft > 0 && plan.quietStart === true) return { name: operation.name };
  return operationJson(operation);
}

function operationJson(operation: Operation): Json {
  if (operation.pollsLeft > 0) return { name: operation.name, metadata: operation.pendingMetadata };
  const outcome =
    operation.error === undefined ? { response: operation.response } : { error: statusJson(operation.error) };
  return { name: operation.name, metadata: operation.doneMetadata, done: true, ...outcome };
}

export function statusJson(status: RpcStatus): JsonObject {
  return { code: status.code, message: status.message, details: status.details };
}

/**
 * Those of the resources that an operation is still changing. A refused attempt counts as a poll of
 * the running operation: one that nobody polls any more must not block its resources for ever.
 */
export function lockedAmong(world: World, resources: readonly string[]): readonly string[] {
  const running = Object.values(world.state.operations).filter(
    (operation) => operation.pollsLeft > 0 && operation.locks.some((lock) => resources.includes(lock)),
  );
  const locked = new Set(running.flatMap((operation) => operation.locks));
  for (const operation of running) advance(world, operation);
  return resources.filter((resource) => locked.has(resource));
}

function advance(world: World, operation: Operation): void {
  if (operation.pollsLeft === 0) return;
  operation.pollsLeft -= 1;
  world.touch();
}

/** The real services forget after some hours; here the count bounds the state. */
function forgetOldOperations(world: World): void {
  const names = Object.keys(world.state.operations);
  for (const name of names.slice(0, Math.max(0, names.length - RETAINED_OPERATIONS))) {
    if (world.state.operations[name]?.pollsLeft === 0) delete world.state.operations[name];
  }
}

function isServiceUsageName(id: string): boolean {
  return /^(acf|acat|noop)\./.test(id);
}

function getOperation(call: Call): Json {
  const id = param(call, 'operation');
  const owner = isServiceUsageName(id) ? 'serviceusage' : 'cloudresourcemanager';
  // Without a service prefix, both services live under /v1 and the name alone tells whose it is.
  const foreign = call.service !== owner && (call.pinned || call.version === 'v3');
  if (foreign) throw invalidArgument(`unsupported operation name: operations/${id}`);
  const operation = call.world.state.operations[`operations/${id}`];
  if (operation === undefined) throw new ApiError('NOT_FOUND', `Operation operations/${id} not found.`);
  advance(call.world, operation);
  return operationJson(operation);
}

const RPC = 'google.longrunning.Operations.GetOperation';

function operationRoute(service: ApiService, version: 'v1' | 'v3'): Route {
  return { service, method: 'GET', path: `/${version}/operations/{operation}`, rpc: RPC, handle: getOperation };
}

export const operationRoutes: readonly Route[] = [
  operationRoute('cloudresourcemanager', 'v1'),
  operationRoute('cloudresourcemanager', 'v3'),
  operationRoute('serviceusage', 'v1'),
];
