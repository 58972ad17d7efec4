import { type Code, diagnostic } from '../../../src/core/codes.ts';
import type { Diagnostic } from '../../../src/core/diagnostics.ts';
import { diffFields } from '../../../src/core/diff.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json.ts';
import type {
  ChangeContext,
  Declaration,
  InputProblem,
  LinkResult,
  PlannedRequest,
  ProviderCatalogue,
} from '../../../src/core/resource.ts';
import type { GuardSpec, Step } from '../../../src/core/step.ts';
import {
  display,
  displayObject,
  referencesIn,
  unknownOf,
  type Value,
  type ValueObject,
} from '../../../src/core/value.ts';
import { ACTIONS, actionNamed, type MemoryType, PROVIDER, TYPES } from './actions.ts';

const BY_NAME = 'by-name/';
const PLACE = /^(folders|organizations)\/\d+$/;

/** The offline half of the in-memory cloud. */
export const memoryCatalogue: ProviderCatalogue = {
  provider: PROVIDER,
  backend: 'rest',
  findAction: (action) => ACTIONS.get(action)?.spec ?? null,
  actionNames: () => [...ACTIONS.keys()],
  expandInput: () => null,
  link,
  urnOf: (declaration, desired) =>
    declaration.action.kind === 'read' ? null : urnOf(declaration.action.resourceType, desired),
  declarationOf: (resourceType, urn, desired) => {
    const type = TYPES.find(({ name }) => name === resourceType);
    if (type === undefined || !isJsonObject(desired)) return null;
    return {
      address: urn,
      action: actionNamed(`mem.store.${type.plural}.ensure`).spec,
      urn,
      desired,
      options: {},
      fields: type.fields,
      dependsOn: [],
      needs: [],
      batchKey: batchKey(type, desired),
    };
  },
  removalOf: (resourceType, _urn, desired) => {
    const type = TYPES.find(({ name }) => name === resourceType);
    if (type === undefined || !isJsonObject(desired)) return null;
    const input = type.name === 'box' ? { name: desired['name'] ?? '' } : desired;
    return { action: `mem.store.${type.plural}.delete`, input };
  },
  containersOf: (_resourceType, _urn, desired) =>
    isJsonObject(desired)
      ? [desired['parent'], desired['box']].flatMap((box) =>
          typeof box === 'string' ? [`mem:store:box:${box}`, box] : [],
        )
      : [],
  oneUrn: byBoxName,
  traitsOf: (resourceType) => ({
    protectedByDefault: false,
    takesContents: resourceType === 'box',
    isContainer: true,
    endsWithContainer: resourceType !== 'box',
  }),
  settle: (declaration, desired) => placeProblems(declaration.desired['parent'], desired['parent']),
  checkGuard,
  requests,
  readRequests: (declaration, desired) => [request('GET', declaration.action.resourceType, desired, null)],
  fromForeign: (_resourceType, urn, desired) => ({ urn, desired: withOurKeys(desired) }),
};

/** NoETL writes `displayTitle` where this cloud's own key is `title`. */
function withOurKeys(desired: Json): Json {
  if (!isJsonObject(desired) || desired['displayTitle'] === undefined) return desired;
  const { displayTitle, ...rest } = desired;
  return { ...rest, title: displayTitle };
}

function urnOf(resourceType: string, desired: ValueObject): string | null {
  const text = (key: string) => (typeof desired[key] === 'string' ? desired[key] : null);
  if (resourceType === 'box') return text('name') === null ? null : `mem:store:box:${text('name')}`;
  if (resourceType === 'shelf') {
    const parent = text('parent');
    if (parent === null || parent.startsWith(BY_NAME) || text('title') === null) return null;
    return `mem:store:shelf:${parent}/${text('title')}`;
  }
  return `mem:store:grant:${text('box')}/${text('role')}/${text('member')}`;
}

/** A grant that stands on a box by its id is the one on the box of that id. */
function byBoxName(urn: string, urnsOf: (id: string) => readonly string[]): string {
  const [, id, rest] = /^mem:store:grant:(folders\/\d+)\/(.+)$/.exec(urn) ?? [];
  const box = id === undefined ? undefined : urnsOf(id).find((other) => other.startsWith('mem:store:box:'));
  return box === undefined ? urn : `mem:store:grant:${box.slice('mem:store:box:'.length)}/${rest}`;
}

function batchKey(type: MemoryType, desired: ValueObject): string | null {
  return type.name === 'grant' && typeof desired['box'] === 'string' ? `grants:${desired['box']}` : null;
}

function link(steps: readonly Step[]): LinkResult {
  const declarations = new Map<string, Declaration>();
  const diagnostics: Diagnostic[] = [];
  const makers = boxMakers(steps);
  for (const step of steps) {
    const problems = inputProblems(step);
    for (const { code, detail } of problems)
      diagnostics.push(diagnostic(code, detail, { address: step.address, source: step.source }));
    if (problems.length === 0) declarations.set(step.address, declare(step, makers, steps));
  }
  return { declarations, diagnostics };
}

/** Which step makes the box of a name. */
function boxMakers(steps: readonly Step[]): ReadonlyMap<string, string> {
  return new Map(
    steps.flatMap((step) =>
      step.action === 'mem.store.boxes.ensure' && typeof step.input['name'] === 'string'
        ? [[step.input['name'], step.address] as const]
        : [],
    ),
  );
}

function inputProblems(step: Step): readonly { readonly code: Code; readonly detail: string }[] {
  const { spec, type } = actionNamed(step.action);
  const unknown = Object.keys(step.input).filter((key) => !spec.inputKeys.includes(key));
  const needed = spec.kind === 'read' || (spec.kind === 'delete' && type.name === 'box') ? ['name'] : type.required;
  const missing = needed.filter((key) => step.input[key] === undefined);
  return [
    ...unknown.map((key) => ({ code: 'UNKNOWN_KEY' as const, detail: `input has no ${key}.` })),
    ...missing.map((key) => ({ code: 'MISSING_KEY' as const, detail: `input needs ${key}.` })),
  ];
}

function declare(step: Step, makers: ReadonlyMap<string, string>, steps: readonly Step[]): Declaration {
  const { spec, type } = actionNamed(step.action);
  const entries = Object.entries(step.input);
  const desired = Object.fromEntries(
    entries.filter(([key]) => key in type.fields).map(([key, value]) => [key, placed(key, value, makers)]),
  );
  const container = typeof desired['box'] === 'string' ? makers.get(desired['box']) : undefined;
  const within = [
    ...referencesIn(desired['parent'] ?? null).map((ref) => ref.address),
    ...(container === undefined ? [] : [container]),
  ];
  const needs = spec.kind === 'delete' ? [] : within;
  return {
    address: step.address,
    action: spec,
    urn: spec.kind === 'read' ? null : urnOf(type.name, desired),
    desired,
    options: Object.fromEntries(entries.filter(([key]) => type.options.includes(key))),
    fields: type.fields,
    dependsOn: [...needs, ...(spec.kind === 'delete' ? deletedBefore(step, steps) : [])],
    needs,
    batchKey: batchKey(type, desired),
  };
}

/** A parent named by-name/X of the playbook is the result of the step that makes box X. */
function placed(key: string, value: Value, makers: ReadonlyMap<string, string>): Value {
  if (key !== 'parent' || typeof value !== 'string' || !value.startsWith(BY_NAME)) return value;
  const maker = makers.get(value.slice(BY_NAME.length));
  return maker === undefined ? value : unknownOf([{ address: maker, path: 'resource.name' }]);
}

/** The grants on a box go before it does. */
function deletedBefore(step: Step, steps: readonly Step[]): readonly string[] {
  if (step.action !== 'mem.store.boxes.delete') return [];
  return steps
    .filter((other) => other.action === 'mem.store.grants.delete' && other.input['box'] === step.input['name'])
    .map((other) => other.address);
}

function placeProblems(before: Value | undefined, now: Value | undefined): readonly InputProblem[] {
  if (typeof before === 'string' || typeof now !== 'string' || PLACE.test(now)) return [];
  return [{ path: ['parent'], code: 'INVALID_VALUE', detail: `${JSON.stringify(now)} is no place for a box.` }];
}

function checkGuard(guard: GuardSpec, _declaration: Declaration, desired: ValueObject): readonly InputProblem[] {
  const parent = desired['parent'];
  if (guard.requireOrg === null || typeof parent !== 'string' || !parent.startsWith('organizations/')) return [];
  if (parent === `organizations/${guard.requireOrg}`) return [];
  return [{ path: ['parent'], code: 'GUARD', detail: `${parent} is not organizations/${guard.requireOrg}.` }];
}

function requests(context: ChangeContext): readonly PlannedRequest[] {
  const { declaration, desired, change, observation } = context;
  const type = declaration.action.resourceType;
  if (change === 'delete') return [request('DELETE', type, desired, null)];
  if (change === 'create') return [request('POST', type, desired, displayObject(desired))];
  if (change === 'undelete') return [request('POST', type, desired, { undelete: true })];
  const diff = diffFields(desired, observation?.actual ?? {}, declaration.fields);
  const parts = Object.keys(diff).map((field) => [field, display(desired[field] ?? null)] as const);
  const moves = parts.filter(([field]) => field === 'parent');
  const patches = parts.filter(([field]) => field !== 'parent');
  return [patches, moves]
    .filter((fields) => fields.length > 0)
    .map((fields) => request('PATCH', type, desired, Object.fromEntries(fields)));
}

function request(method: string, type: string, desired: ValueObject, body: JsonObject | null): PlannedRequest {
  const name = display(desired['name'] ?? desired['title'] ?? desired['box'] ?? null);
  return {
    logical: { method, type, name, body },
    call: { method, url: `https://store.example/v1/${type}/${String(name)}`, body },
  };
}
