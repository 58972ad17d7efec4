import { ClientFailure, invalid, notFound } from '../cli/failures.ts';
import { type JsonObject, message } from '../cli/json.ts';
import { isWellFormed, newId, VPC_PREFIX } from '../world/ids.ts';
import type { Operation } from '../world/state.ts';
import type { World } from '../world/world.ts';
import type { Call, Command, Outcome } from './command.ts';
import type { Kind } from './kind.ts';

const RETAINED = 500;

export interface Change {
  readonly kind: Kind;
  readonly verb: string;
  readonly id: string;
  /** Undefined for a delete. */
  readonly response: JsonObject | undefined;
  /** How long it is said to take; 0 for what the API does at once. */
  readonly seconds: number;
}

/** The server's record of a change that has been made; the answer is the operation with `--async`, else its result. */
export function answerChange(call: Call, change: Change): Outcome {
  const waits = !call.flags.bool('async');
  const operation = record(call.world, change, waits);
  const made = change.verb === 'Create' ? { made: change.id } : {};
  if (!waits) return { output: { kind: 'object', value: operationJson(operation, true) }, ...made };
  if (change.response === undefined) return { output: { kind: 'deleted' }, seconds: change.seconds };
  return { output: { kind: 'object', value: change.response }, seconds: change.seconds, ...made };
}

function record(world: World, { kind, verb, id, response }: Change, waits: boolean): Operation {
  const { knobs, state } = world;
  const types = `type.googleapis.com/yandex.cloud.${kind.service}.v1.`;
  const operation: Operation = {
    id: newId(kind.service === 'vpc' ? VPC_PREFIX : id.slice(0, 3)),
    description: `${verb} ${kind.noun}`,
    createdAt: world.now(),
    metadata: { '@type': `${types}${verb.replace(' ', '')}${kind.message}Metadata`, [`${kind.name}_id`]: id },
    response:
      response === undefined
        ? { '@type': 'type.googleapis.com/google.protobuf.Empty', value: {} }
        : { '@type': `${types}${kind.message}`, ...response },
    pollsLeft: waits ? 0 : (knobs.operationPolls ?? 1),
    missingReads: waits || !knobs.freshOperationMissing ? 0 : 1,
  };
  state.operations[operation.id] = operation;
  forgetOld(state.operations);
  return operation;
}

/** The server forgets as well; here the count bounds the state. */
function forgetOld(operations: Record<string, Operation>): void {
  const ids = Object.keys(operations);
  for (const id of ids.slice(0, Math.max(0, ids.length - RETAINED))) delete operations[id];
}

function operationJson(operation: Operation, running = operation.pollsLeft > 0): JsonObject {
  return message({
    id: operation.id,
    description: operation.description,
    created_at: operation.createdAt,
    created_by: 'ajefakeuser000000001',
    modified_at: operation.createdAt,
    done: !running,
    metadata: operation.metadata,
    error: running ? undefined : operation.error,
    response: running || operation.error !== undefined ? undefined : operation.response,
  });
}

/** Notes a failed operation, so that its id can be looked up, and answers the id. */
export function recordFailure(world: World, code: number, text: string): string {
  const id = newId(VPC_PREFIX);
  world.state.operations[id] = {
    id,
    description: 'Create',
    createdAt: world.now(),
    metadata: {},
    response: {},
    error: { code, message: text },
    pollsLeft: 0,
    missingReads: 0,
  };
  return id;
}

function read(call: Call, poll: (operation: Operation) => void): Outcome {
  const id = call.flags.text('id') ?? call.operands[0];
  if (id === undefined) throw new ClientFailure('operation id must be specified');
  if (!isWellFormed(id)) throw invalid(`invalid operation id '${id}'`);
  const operation = call.world.state.operations[id];
  const absent = notFound(`Operation ${id} not found`);
  if (operation === undefined) throw absent;
  if (operation.missingReads > 0) {
    operation.missingReads -= 1;
    return { output: { kind: 'deleted' }, failure: absent };
  }
  poll(operation);
  return { output: { kind: 'object', value: operationJson(operation) } };
}

const getCommand: Command = {
  words: 'operation get',
  operands: '<ID>',
  flags: { id: 'string' },
  run: (call) =>
    read(call, (operation) => {
      operation.pollsLeft = Math.max(0, operation.pollsLeft - 1);
    }),
};

const waitCommand: Command = {
  words: 'operation wait',
  operands: '<ID>',
  flags: { id: 'string' },
  run: (call) =>
    read(call, (operation) => {
      operation.pollsLeft = 0;
    }),
};

export const operationCommands: readonly Command[] = [getCommand, waitCommand];
