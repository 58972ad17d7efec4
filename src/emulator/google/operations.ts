import { ApiError, invalidArgument } from './wire/errors.ts';
import type { Json, JsonObject } from './wire/json.ts';
import { type Call, type Route, param } from './wire/route.ts';
import type { RpcStatus } from './options.ts';
import type { Operation } from './world/state.ts';
import type { World } from './world/world.ts';

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
  world.touch();
  if (operation.pollsLeft > 0 && plan.quietStart === true) return { name: operation.name };
  return operationJson(operation);
}

export function operationJson(operation: Operation): Json {
  if (operation.pollsLeft > 0) return { name: operation.name, metadata: operation.pendingMetadata };
  const outcome = operation.error === undefined ? { response: operation.response } : { error: statusJson(operation.error) };
  return { name: operation.name, metadata: operation.doneMetadata, done: true, ...outcome };
}

export function statusJson(status: RpcStatus): JsonObject {
  return { code: status.code, message: status.message, details: status.details };
}

/**
 * Whether something else is still changing `resource`. A refused attempt counts as a poll of the
 * running operation: one that nobody polls any more must not block its resource for ever.
 */
export function isLocked(world: World, resource: string): boolean {
  const running = Object.values(world.state.operations).find(
    (operation) => operation.pollsLeft > 0 && operation.locks.includes(resource),
  );
  if (running === undefined) return false;
  advance(world, running);
  return true;
}

function advance(world: World, operation: Operation): void {
  if (operation.pollsLeft === 0) return;
  operation.pollsLeft -= 1;
  world.touch();
}

function isServiceUsageName(id: string): boolean {
  return /^(acf|acat|noop)\./.test(id);
}

function getOperation(call: Call): Json {
  const id = param(call, 'operation');
  const owner = isServiceUsageName(id) ? 'serviceusage' : 'cloudresourcemanager';
  if (call.service !== owner) throw invalidArgument(`unsupported operation name: operations/${id}`);
  const operation = call.world.state.operations[`operations/${id}`];
  if (operation === undefined) throw new ApiError('NOT_FOUND', `Operation operations/${id} not found.`);
  advance(call.world, operation);
  return operationJson(operation);
}

const RPC = 'google.longrunning.Operations.GetOperation';

export const crmOperationRoutes: readonly Route[] = (['v1', 'v3'] as const).map((version) => ({
  service: 'cloudresourcemanager',
  method: 'GET',
  path: `/${version}/operations/{operation}`,
  rpc: RPC,
  handle: getOperation,
}));

/** Without a service prefix both services answer `/v1/operations/*`; the name's form tells whose it is. */
export const serviceUsageOperationRoutes: readonly Route[] = [
  {
    service: 'serviceusage',
    method: 'GET',
    path: '/v1/operations/{operation}',
    rpc: RPC,
    handle: getOperation,
  },
  {
    service: 'serviceusage',
    method: 'GET',
    path: '/v1/operations/{operation}',
    rpc: RPC,
    handle: getOperation,
  },
].slice(0, 1) as readonly Route[];
