import { ClientFailure, invalidField } from '../cli/failures.ts';
import type { FlagTypes } from '../cli/flags.ts';
import { type Draft, type JsonObject, mapOrNothing, message } from '../cli/json.ts';
import type { KindName, Of, Resource } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { type Call, type Command, folderOf, type Outcome } from './command.ts';
import type { Kind } from './kind.ts';
import { changed, observed } from './lookup.ts';
import { answerChange } from './operation.ts';
import { checkDescription, checkLabels, checkName, checkUnique } from './validation.ts';

const MAX_PAGE = 1000;

export type Base = Omit<Resource, 'id'>;

/** What is particular to a kind; the commands around it are the same for all. */
export interface Definition<K extends KindName> {
  readonly kind: Kind<K>;
  readonly columns: readonly string[];
  /** The members beside the common ones; `full` is what `get --full` shows. */
  readonly view: (world: World, resource: Of<K>, full: boolean) => Readonly<Record<string, Draft>>;
  readonly createFlags: FlagTypes;
  readonly required?: readonly string[];
  /** Checks all that concerns the kind and answers the resource; what it changed is forgotten when a check throws. */
  readonly create: (call: Call, base: Base) => Of<K>;
  /** Once it is certain that the resource will be. */
  readonly created?: (call: Call, resource: Of<K>) => void;
  readonly updateFlags: FlagTypes;
  readonly update: (call: Call, resource: Of<K>) => void;
  readonly checkDelete: (world: World, resource: Of<K>) => void;
  readonly deleted?: (world: World, resource: Of<K>) => void;
  readonly labelCommands: boolean;
  readonly getFlags?: FlagTypes;
  /** How long each change is said to take. */
  readonly seconds: { readonly create: number; readonly update: number; readonly delete: number };
}

export const TARGET: FlagTypes = { id: 'string', name: 'string' };

export function commandsOf<K extends KindName>(definition: Definition<K>): readonly Command[] {
  const labels = definition.labelCommands ? [addLabels(definition), removeLabels(definition)] : [];
  return [list(definition), get(definition), create(definition), update(definition), remove(definition), ...labels];
}

export function viewOf<K extends KindName>(
  definition: Definition<K>,
  world: World,
  resource: Of<K>,
  full = false,
): JsonObject {
  return message({
    id: resource.id,
    folder_id: resource.folderId,
    created_at: resource.createdAt,
    name: resource.name,
    description: resource.description,
    labels: mapOrNothing(resource.labels),
    ...definition.view(world, resource, full),
  });
}

export function wordsOf(kind: Kind, verb: string): string {
  return `${kind.service} ${kind.command} ${verb}`;
}

function list<K extends KindName>(definition: Definition<K>): Command {
  const { kind, columns } = definition;
  return {
    words: wordsOf(kind, 'list'),
    operands: '',
    flags: { limit: 'int' },
    run(call) {
      const limit = call.flags.number('limit') ?? MAX_PAGE;
      const folderId = folderOf(call);
      if (limit > MAX_PAGE) throw invalidField('page_size', `Value must be less than or equal to ${MAX_PAGE}`);
      if (limit < 0) throw invalidField('page_size', 'Value must be greater than or equal to 0');
      call.world.checkReadable(folderId);
      const found = call.world.observe(kind.name, (resource) => resource.folderId === folderId);
      const rows = found.slice(0, limit || MAX_PAGE).map((resource) => viewOf(definition, call.world, resource));
      return { output: { kind: 'list', rows, columns } };
    },
  };
}

function get<K extends KindName>(definition: Definition<K>): Command {
  return {
    words: wordsOf(definition.kind, 'get'),
    operands: '<NAME|ID>',
    flags: { ...TARGET, ...definition.getFlags },
    run(call) {
      const resource = seen(() => observed(call, definition.kind));
      if (resource instanceof Error) return { output: { kind: 'deleted' }, failure: resource };
      const full = definition.getFlags !== undefined && call.flags.bool('full');
      return { output: { kind: 'object', value: viewOf(definition, call.world, resource, full) } };
    },
  };
}

/** A look that finds nothing counts as well for what lags. */
function seen<T>(look: () => T): T | Error {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

function create<K extends KindName>(definition: Definition<K>): Command {
  const { kind, required } = definition;
  return {
    words: wordsOf(kind, 'create'),
    operands: '<NAME>',
    flags: { name: 'string', description: 'string', labels: 'map', async: 'bool', ...definition.createFlags },
    ...(required === undefined ? {} : { required }),
    run: (call) => runCreate(definition, call),
  };
}

function runCreate<K extends KindName>(definition: Definition<K>, call: Call): Outcome {
  const { world } = call;
  const { kind } = definition;
  const base = baseOf(call, kind);
  const resource = definition.create(call, base);
  checkUnique(kind, base.name, world.inFolder(kind.name, base.folderId));
  world.checkQuota(kind.name, world.folderToFill(base.folderId));
  world.put(kind.name, resource);
  definition.created?.(call, resource);
  const response = viewOf(definition, world, resource);
  world.lag(resource, kind.name === 'instance' ? 'PROVISIONING' : 'CREATING');
  return answerChange(call, {
    kind,
    verb: 'Create',
    id: resource.id,
    response,
    seconds: definition.seconds.create,
  });
}

function baseOf(call: Call, kind: Kind): Base {
  const { flags, world } = call;
  const base = {
    folderId: folderOf(call),
    createdAt: world.now(),
    name: flags.text('name') ?? call.operands[0] ?? '',
    description: flags.text('description') ?? '',
    labels: flags.map('labels') ?? {},
  };
  world.folderToFill(base.folderId);
  checkName(kind, base.name);
  checkDescription(base.description);
  checkLabels(kind, base.labels);
  return base;
}

function update<K extends KindName>(definition: Definition<K>): Command {
  const { kind } = definition;
  const own: FlagTypes = {
    'new-name': 'string',
    description: 'string',
    labels: 'map',
    ...definition.updateFlags,
  };
  return {
    words: wordsOf(kind, 'update'),
    operands: '<NAME|ID>',
    flags: { ...TARGET, async: 'bool', ...own },
    run(call) {
      const resource = changed(call, kind);
      if (!Object.keys(own).some((flag) => call.flags.has(flag))) throw new ClientFailure('no fields to update');
      updateCommon(call, kind, resource);
      definition.update(call, resource);
      return answerUpdate(definition, call, resource, 'Update');
    },
  };
}

function updateCommon<K extends KindName>(call: Call, kind: Kind<K>, resource: Of<K>): void {
  const name = call.flags.text('new-name') ?? resource.name;
  const description = call.flags.text('description') ?? resource.description;
  const labels = call.flags.map('labels') ?? resource.labels;
  checkName(kind, name);
  checkDescription(description);
  checkLabels(kind, labels);
  const others = call.world.inFolder(kind.name, resource.folderId).filter((other) => other.id !== resource.id);
  checkUnique(kind, name, others);
  Object.assign(resource, { name, description, labels });
}

/** Ends a change of a resource: the answer shows it settled, later reads perhaps not yet. */
export function answerUpdate<K extends KindName>(
  definition: Definition<K>,
  call: Call,
  resource: Of<K>,
  verb: string,
): Outcome {
  const { kind, seconds } = definition;
  resource.lagReads = 0;
  const response = viewOf(definition, call.world, resource);
  // A disk has no status for being changed.
  call.world.lag(resource, kind.name === 'disk' ? 'READY' : 'UPDATING');
  return answerChange(call, { kind, verb, id: resource.id, response, seconds: seconds.update });
}

function remove<K extends KindName>(definition: Definition<K>): Command {
  const { kind } = definition;
  return {
    words: wordsOf(kind, 'delete'),
    operands: '<NAME|ID>',
    flags: { ...TARGET, async: 'bool' },
    run(call) {
      const resource = changed(call, kind);
      definition.checkDelete(call.world, resource);
      call.world.remove(kind.name, resource.id);
      definition.deleted?.(call.world, resource);
      return answerChange(call, {
        kind,
        verb: 'Delete',
        id: resource.id,
        response: undefined,
        seconds: definition.seconds.delete,
      });
    },
  };
}

function addLabels<K extends KindName>(definition: Definition<K>): Command {
  return {
    words: wordsOf(definition.kind, 'add-labels'),
    operands: '<NAME|ID>',
    flags: { ...TARGET, async: 'bool', labels: 'map' },
    required: ['labels'],
    run: (call) => relabel(definition, call, (labels) => ({ ...labels, ...call.flags.map('labels') })),
  };
}

function removeLabels<K extends KindName>(definition: Definition<K>): Command {
  return {
    words: wordsOf(definition.kind, 'remove-labels'),
    operands: '<NAME|ID>',
    flags: { ...TARGET, async: 'bool', labels: 'list' },
    required: ['labels'],
    run(call) {
      const gone = new Set(call.flags.list('labels'));
      return relabel(definition, call, (labels) =>
        Object.fromEntries(Object.entries(labels).filter(([key]) => !gone.has(key))),
      );
    },
  };
}

type Labels = Readonly<Record<string, string>>;

function relabel<K extends KindName>(
  definition: Definition<K>,
  call: Call,
  next: (labels: Labels) => Record<string, string>,
): Outcome {
  const resource = changed(call, definition.kind);
  const labels = next(resource.labels);
  checkLabels(definition.kind, labels);
  resource.labels = labels;
  return answerUpdate(definition, call, resource, 'Update');
}
