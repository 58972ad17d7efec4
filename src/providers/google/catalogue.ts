import { isJsonObject, type Json } from '../../core/json.ts';
import type {
  Declaration,
  InputProblem,
  MappedForeign,
  NamedWithin,
  ProviderCatalogue,
  ResourceTraits,
} from '../../core/resource.ts';
import type { Value, ValueObject } from '../../core/value.ts';
import { ACTIONS, definitionOf, ensureAction, findAction, isResource, RESOURCES } from './actions.ts';
import type { ResourceDefinition } from './define-resource.ts';
import { displayPath } from './folder-path.ts';
import { checkGuardOffline } from './guard.ts';
import { isMap, objectOf, scalar } from './inputs.ts';
import { link } from './link.ts';
import { mayLieIn } from './may-lie-in.ts';
import { PROJECT_URN, projectIdOf, projectIn, type UrnsOf } from './project-names.ts';
import { BINDING_URN } from './resources/binding.ts';
import { plannedRequest } from './shown-request.ts';
import { billingAccountFormat, type FormatRule, labelProblem, parentFormat, projectNameFormat } from './validation.ts';

/** The offline half of the Google provider. Start-up depends on what this file imports. */
export const googleCatalogue: ProviderCatalogue = {
  provider: 'google',
  backend: 'rest',
  findAction: (action, service) => findAction(action, service)?.spec ?? null,
  actionNames: () => [...ACTIONS.keys()],
  resultOf: ({ name }) => ACTIONS.get(name)?.action.result ?? 'any',
  expandInput: ({ name }, input) => expandInput(name, input),
  link,
  urnOf: (declaration, desired) => declaration.urn ?? resourceOf(declaration)?.urn(desired) ?? null,
  declarationOf,
  removalOf: (resourceType, urn, desired) => {
    const ours = definitionOf(resourceType, urn)?.fromForeign(urn, objectOf(desired)) ?? null;
    return ours === null ? null : (definitionOf(resourceType, urn)?.removal(ours.desired) ?? null);
  },
  containersOf: (resourceType, urn, desired) => {
    const definition = definitionOf(resourceType, urn);
    const ours = definition?.fromForeign(urn, objectOf(desired)) ?? null;
    return ours === null ? [] : (definition?.containers(ours.urn, ours.desired) ?? []);
  },
  mayLieIn,
  oneUrn,
  namedWithin,
  traitsOf: (resourceType) => resourceTypes().find(({ type }) => type === resourceType)?.traits ?? NO_TRAITS,
  settle: (declaration, desired) => settle(declaration, desired),
  checkGuard: checkGuardOffline,
  batchLimit: (declaration, change) => resourceOf(declaration)?.batchLimit?.(change) ?? Number.POSITIVE_INFINITY,
  requests: (context, step) =>
    (resourceOf(context.declaration)?.requests(context) ?? []).map((request) => plannedRequest(request, step.endpoint)),
  readRequests: (declaration, desired, step) => {
    const request = ACTIONS.get(declaration.action.name)?.action.request?.(desired);
    if (request === undefined) throw new TypeError(`${declaration.action.name} is no read`);
    return [plannedRequest(request, step.endpoint)];
  },
  fromForeign,
};

const BEFORE_PROJECT = RESOURCES.flatMap(({ beforeProject }) => (beforeProject === undefined ? [] : [beforeProject]));
const NO_TRAITS: ResourceTraits = {
  protectedByDefault: false,
  takesContents: false,
  isContainer: false,
  endsWithContainer: true,
};

function resourceTypes(): readonly ResourceDefinition[] {
  return [...ACTIONS.values()].flatMap(({ definition }) => (isResource(definition) ? [definition] : []));
}

function resourceOf(declaration: Declaration): ResourceDefinition | null {
  const definition = declaration.action.kind === 'read' ? undefined : ACTIONS.get(declaration.action.name)?.definition;
  return definition !== undefined && isResource(definition) ? definition : null;
}

/** What stands in a project's number stands in its id; a grant may also be written as others write it. */
function oneUrn(urn: string, urnsOf: UrnsOf): string {
  const ours = urn.startsWith(BINDING_URN) ? fromForeign('binding', urn, null).urn : urn;
  const named = projectIn(ours, BEFORE_PROJECT);
  return named === null || !named.isNumber ? ours : named.before + projectIdOf(named.project, urnsOf) + named.after;
}

/** What the ancestor writes beside the inputs: `{state}` of a service, `{role, member, bound}` of a grant. */
const ANCESTORS_KEYS: ReadonlySet<string> = new Set(['state', 'bound']);

function fromForeign(resourceType: string, urn: string, desired: Json): MappedForeign {
  const definition = definitionOf(resourceType, urn);
  const ours = definition?.fromForeign(urn, objectOf(desired)) ?? null;
  if (definition === null || ours === null) return { urn, desired };
  const inputs = ensureAction(definition)?.spec.inputKeys ?? [];
  const isKnown = (key: string) => inputs.includes(key) || key in definition.fields || ANCESTORS_KEYS.has(key);
  return { ...ours, dropped: Object.keys(objectOf(desired)).filter((key) => !isKnown(key)) };
}

function namedWithin(urn: string): NamedWithin | null {
  const named = projectIn(urn, BEFORE_PROJECT);
  if (named === null) return null;
  const { before, project, isNumber, after } = named;
  const declaration = declarationOf('project', PROJECT_URN + project, { project_id: project });
  return declaration === null ? null : { before, after, isNumber, declaration };
}

/** One step an element of the list; null where there is no list, or one that can't be used (linking says why). */
function expandInput(
  name: string,
  input: ValueObject,
): readonly { readonly key: string; readonly input: ValueObject }[] | null {
  const expand = ACTIONS.get(name)?.action.expand;
  const list = expand === undefined ? undefined : input[expand.list];
  if (expand === undefined || !isList(list) || input[expand.single] !== undefined || input['service'] !== undefined)
    return null;
  const keys = list.map((item) => scalar(item));
  if (keys.length === 0 || new Set(keys).size !== keys.length || keys.some((key) => key === null || key === ''))
    return null;
  const { [expand.list]: _list, ...rest } = input;
  return keys.map((key) => ({ key: String(key), input: { ...rest, [expand.single]: String(key) } }));
}

function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

function declarationOf(resourceType: string, urn: string, desired: Json): Declaration | null {
  const definition = definitionOf(resourceType, urn);
  const action = definition === null ? null : ensureAction(definition);
  if (definition === null || action === null || !isJsonObject(desired)) return null;
  return {
    address: urn,
    action: action.spec,
    urn,
    desired,
    options: {},
    fields: definition.fields,
    dependsOn: [],
    needs: [],
    batchKey: definition.batchKey(desired),
  };
}

const LATE_FORMATS: Readonly<Record<string, FormatRule>> = {
  parent: parentFormat,
  billing_account: billingAccountFormat,
  display_name: projectNameFormat,
};

/** Formats of values that only a step's result has given; what was known before was checked when it was linked. */
function settle(declaration: Declaration, desired: ValueObject): readonly InputProblem[] {
  const late = Object.entries(desired).filter(
    ([key, value]) => typeof declaration.desired[key] !== 'string' && typeof value === 'string',
  );
  const problems = late.flatMap(([key, value]): readonly InputProblem[] => {
    const isLive = typeof value === 'string' && displayPath(value) !== null;
    const problem = isLive || typeof value !== 'string' ? null : (LATE_FORMATS[key]?.(value) ?? null);
    return problem === null ? [] : [{ path: [key], code: 'INVALID_VALUE', ...problem }];
  });
  return [...problems, ...lateLabels(declaration.desired['labels'], desired['labels'])];
}

function lateLabels(before: Value | undefined, now: Value | undefined): readonly InputProblem[] {
  if (!isMap(now)) return [];
  return Object.entries(now).flatMap(([key, value]): readonly InputProblem[] => {
    const isEarly = isMap(before) && typeof before[key] === 'string';
    const problem = isEarly || typeof value !== 'string' ? null : labelProblem(key, value);
    return problem === null ? [] : [{ path: ['labels', key], code: 'INVALID_VALUE', ...problem }];
  });
}
