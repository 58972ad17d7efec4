import { isJsonObject, type Json } from '../../core/json.ts';
import type {
  ChangeContext,
  Declaration,
  InputProblem,
  PlannedRequest,
  PresentObservation,
  ProviderCatalogue,
} from '../../core/resource.ts';
import type { GuardSpec } from '../../core/step.ts';
import { displayObject, isKnown, type ValueObject } from '../../core/value.ts';
import { ACTIONS, actionNamed } from './actions.ts';
import { createWords, deleteWords, getWords, listWords, suffix, updateWords, type Words } from './commands.ts';
import type { KindDefinition, Labels } from './define-kind.ts';
import { isMap, readFields, textAt } from './inputs.ts';
import { findKind, KINDS } from './kinds.ts';
import { fieldRules, link } from './link.ts';
import { NONCE_LABEL, ownerOf, ownerOfUrn, ownerOptions, ownershipLabels, SPEC_LABEL } from './ownership.ts';
import { LIST_RESULT, RESULT } from './result-shapes.ts';
import { listLimit, readSettings } from './settings.ts';
import { lookupCommands } from './uncertain.ts';

/** What stands for values that only a run has, in commands that are shown and digested. */
const PLACEHOLDERS = {
  nonce: '<nonce>',
  profile: '<profile>',
  userData: '<private copy of the user data>',
  spec: '<digest of the spec>',
};

/** The offline half of the Yandex provider. Start-up depends on what this file imports. */
export const yandexCatalogue: ProviderCatalogue = {
  provider: 'yandex',
  backend: 'yc',
  marks: ['labels'],
  findAction: (action) => ACTIONS.get(action)?.spec ?? null,
  actionNames: () => [...ACTIONS.keys()],
  resultOf: ({ name }) => (['list', 'discover'].includes(actionNamed(name).verb) ? LIST_RESULT : RESULT),
  expandInput: () => null,
  link: (steps, _strictness, stackOf) => link(steps, stackOf),
  urnOf: (declaration) => declaration.urn,
  declarationOf,
  settingsOf: ({ options }) => ({ folder_id: textAt(options, 'folder_id') }),
  lookupOf: (declaration, interrupted) => {
    const definition = findKind(declaration.action.resourceType);
    return definition === null ? null : lookupCommands(definition, ownerOf(declaration), interrupted);
  },
  removalOf: (resourceType, urn, desired) => {
    const definition = findKind(resourceType);
    return definition === null ? null : removalOf(definition, urn, desired);
  },
  containersOf: (resourceType, _urn, desired) =>
    (findKind(resourceType)?.dependencies ?? []).flatMap(({ field }) =>
      isJsonObject(desired) && typeof desired[field] === 'string' ? [desired[field]] : [],
    ),
  soleName: ({ resourceType, urn, lastDesired }) => {
    const owner = isJsonObject(lastDesired) ? ownerOfUrn(urn, lastDesired) : null;
    const name = isJsonObject(lastDesired) ? textAt(lastDesired, 'name') : '';
    return owner === null || name === '' ? null : [owner.folderId, resourceType, name].join('/');
  },
  traitsOf: (resourceType) => ({
    protectedByDefault: false,
    takesContents: false,
    isContainer: findKind(resourceType)?.isContainer ?? false,
    endsWithContainer: false,
  }),
  settle,
  checkGuard: checkGuardOffline,
  requests: (context) => requestsOf(context),
  readRequests: (declaration, desired, step) => {
    const settings = readSettings(step.settings);
    const limit = settings.kind === 'ok' ? listLimit(settings.settings) : 0;
    return readRequests(declaration, displayObject(desired), limit);
  },
  fromForeign: (_resourceType, urn, desired) => ({ urn, desired }),
};

/** The declaration behind a fact: whose it is stands in the URN, and in the labels that the fact holds. */
function declarationOf(resourceType: string, urn: string, desired: Json): Declaration | null {
  const definition = findKind(resourceType);
  if (definition === null || !isJsonObject(desired)) return null;
  const owner = ownerOfUrn(urn, desired);
  if (owner === null) return null;
  return {
    address: urn,
    action: actionNamed(`yandex.${definition.service}.${definition.kind}.ensure`).spec,
    urn,
    desired,
    options: { ...ownerOptions(owner), dependencies: {} },
    fields: fieldRules(definition),
    dependsOn: [],
    needs: [],
    batchKey: null,
  };
}

function removalOf({ service, kind }: KindDefinition, urn: string, desired: Json) {
  const action = `yandex.${service}.${kind}.delete`;
  const owner = ownerOfUrn(urn, isJsonObject(desired) ? desired : {});
  if (owner === null) return { action, input: {} };
  const tool = {
    settings: { folder_id: owner.folderId },
    identity: { project: owner.project, owner: owner.owner },
    logical_id: owner.logicalId,
  };
  return { action, input: {}, tool };
}

/** Checks what was unknown when the step was linked, and what only several inputs together show. */
function settle(declaration: Declaration, desired: ValueObject): readonly InputProblem[] {
  const action = ACTIONS.get(declaration.action.name);
  if (action === undefined) return [];
  const late = action.input.filter(({ key }) => desired[key] !== undefined && !wasKnown(declaration, key));
  const values = Object.fromEntries(late.map(({ key }) => [key, desired[key] ?? null]));
  const problems = readFields(late, values).problems;
  return problems.length > 0 || late.length === 0
    ? problems
    : (action.definition?.check({ ...desired, ...declaration.options }) ?? []);
}

function wasKnown({ desired }: Declaration, key: string): boolean {
  const value = desired[key];
  return value === undefined || isKnown(value);
}

/** The pass that needs no network. To which cloud the folder belongs is asked live. */
function checkGuardOffline(guard: GuardSpec, declaration: Declaration): readonly InputProblem[] {
  const folderId = textAt(declaration.options, 'folder_id');
  if (guard.requireFolder === null || guard.requireFolder === folderId) return [];
  return [
    {
      path: [],
      code: 'GUARD',
      detail: `It is about the folder ${folderId}, but the guard pins ${guard.requireFolder}.`,
      hint: 'Mend settings.folder_id, or run it under the guard that it is meant for.',
    },
  ];
}

/** As a person reviews it, and as a digest holds it: whatever profile it is run under. */
function plannedRequest(words: Words, { options }: Declaration, logical = words): PlannedRequest {
  const folderId = textAt(options, 'folder_id');
  const argv = ['yc', ...words, ...suffix(PLACEHOLDERS.profile, folderId)];
  return { logical: [...logical, '--folder-id', folderId], call: { argv } };
}

function requestsOf(context: ChangeContext): readonly PlannedRequest[] {
  const { declaration, desired, change, observation } = context;
  const definition = findKind(declaration.action.resourceType);
  if (definition === null) return [];
  const id = observation?.id ?? '<resolved id>';
  if (change === 'delete') return [plannedRequest(deleteWords(definition, id), declaration)];
  const spec = { [SPEC_LABEL]: specOf(desired) };
  if (change === 'create') return [plannedRequest(createOf(definition, declaration, desired, spec), declaration)];
  return observation === null ? [] : updatesOf(definition, declaration, desired, spec, observation);
}

function createOf(definition: KindDefinition, declaration: Declaration, desired: ValueObject, spec: Labels): Words {
  const shown = displayObject(desired);
  const extras = {
    natAddress: `<public address of ${String(shown['address_id'])}>`,
    userDataPath: declaration.options['user_data_file'] === undefined ? null : PLACEHOLDERS.userData,
  };
  const labels = { ...ownershipLabels(ownerOf(declaration)), ...spec, [NONCE_LABEL]: PLACEHOLDERS.nonce };
  return createWords(definition, shown, labels, extras);
}

/** Where a whole map of labels is sent, a digest holds ours alone: other people's don't make it another plan. */
function updatesOf(
  definition: KindDefinition,
  declaration: Declaration,
  desired: ValueObject,
  spec: Labels,
  { id, actual, resource }: PresentObservation,
): readonly PlannedRequest[] {
  const ownership = ownershipLabels(ownerOf(declaration));
  const ours = labelsOf(actual);
  const wordsFrom = (labels: Labels) =>
    updateWords(definition, displayObject(desired), ownership, spec, { id: id ?? '', labels, actual, rules: null });
  const logical = wordsFrom(ours);
  return wordsFrom({ ...labelsOf(resource), ...ours }).map((words, index) =>
    plannedRequest(words, declaration, logical[index]),
  );
}

function specOf({ labels }: ValueObject): string {
  const digest = isMap(labels) ? labels[SPEC_LABEL] : undefined;
  return typeof digest === 'string' ? digest : PLACEHOLDERS.spec;
}

function labelsOf(resource: Json): Labels {
  const labels = isJsonObject(resource) ? resource['labels'] : undefined;
  return isJsonObject(labels)
    ? Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]))
    : {};
}

/** A read's commands: an inventory asks for each kind. */
function readRequests(declaration: Declaration, desired: Json, limit: number): readonly PlannedRequest[] {
  const { definition, verb } = actionNamed(declaration.action.name);
  const id = isJsonObject(desired) ? String(desired['id'] ?? '') : '';
  if (definition !== null && verb === 'get') return [plannedRequest(getWords(definition, id), declaration)];
  const kinds = definition === null ? KINDS : [definition];
  return kinds.map((kind) => plannedRequest(listWords(kind, limit), declaration));
}
