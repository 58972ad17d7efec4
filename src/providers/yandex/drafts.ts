import { type Code, diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { InputProblem } from '../../core/resource.ts';
import type { Step } from '../../core/step.ts';
import type { ValueObject } from '../../core/value.ts';
import { ACTIONS, type YandexAction } from './actions.ts';
import { type InputField, problem, readFields, textField } from './inputs.ts';
import { logicalIdOf } from './logical-id.ts';
import type { Owner } from './ownership.ts';
import { readSettings, type YandexSettings } from './settings.ts';
import { isId, labelValueProblem } from './validation.ts';

/** A step whose own keys were read, before steps are tied together. */
export interface Draft {
  readonly step: Step;
  readonly action: YandexAction;
  readonly settings: YandexSettings;
  /** Null for reads. */
  readonly owner: Owner | null;
  /** Whether the logical id is the step's own word rather than made of its address. */
  readonly hasWrittenId: boolean;
  readonly values: ValueObject;
}

export interface DraftResult {
  /** Null where the step can't be used. */
  readonly draft: Draft | null;
  readonly diagnostics: readonly Diagnostic[];
}

const IDENTITY: readonly InputField[] = ['project', 'owner'].map((key) =>
  textField(key, { required: true, isStatic: true, rule: (value) => labelValueProblem(`identity.${key}`, value) }),
);

/** Reads one step; null for steps that are not this provider's to run. */
export function draftOf(step: Step, stack: string | null): DraftResult | null {
  const action = step.skip === null && step.provider === 'yandex' ? ACTIONS.get(step.action) : undefined;
  if (action === undefined) return null;
  const diagnostics: Diagnostic[] = [];
  const settings = readSettings(step.settings);
  if (settings.kind === 'invalid') diagnostics.push(...placed(step, 'settings', settings.problems));
  const input = readFields(fieldsOf(action, step), step.input);
  const checked = input.problems.length === 0 && action.verb === 'ensure' ? action.definition?.check(input.values) : [];
  diagnostics.push(...placed(step, 'input', [...input.problems, ...(checked ?? [])]));
  const unused = step.endpoint === null ? [] : placed(step, 'endpoint', [NO_ENDPOINT]);
  const folderId = settings.kind === 'ok' ? settings.settings.folderId : '';
  const named = action.spec.kind === 'read' ? null : ownerOfStep(step, stack, folderId);
  if (named !== null) diagnostics.push(...named.diagnostics, ...resourceIdProblem(step));
  if (diagnostics.length > 0 || settings.kind === 'invalid') return { draft: null, diagnostics };
  const owner = named?.owner ?? null;
  const hasWrittenId = named?.hasWrittenId ?? false;
  return {
    draft: { step, action, settings: settings.settings, owner, hasWrittenId, values: input.values },
    diagnostics: unused,
  };
}

const NO_ENDPOINT = problem([], 'A step of Yandex Cloud has no endpoint: yc has its own.', 'KEY_IGNORED');

/**
 * The inputs of an action; of an ensure also those that name steps. What no answer shows is given to a create alone, and
 * none is made where `resource_id` says that the resource is there.
 */
function fieldsOf({ verb, input, definition }: YandexAction, { resourceId }: Step): readonly InputField[] {
  if (verb !== 'ensure' || definition === null) return input;
  const isThere = resourceId !== null;
  return [
    ...input.map((field) => (isThere && definition.hidden.includes(field.key) ? { ...field, required: false } : field)),
    ...definition.dependencies.map((item) => textField(item.input, { required: true, isStatic: true })),
  ];
}

interface Named {
  readonly owner: Owner | null;
  readonly hasWrittenId: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Everything that stands in the labels. */
function ownerOfStep(step: Step, stack: string | null, folderId: string): Named {
  const diagnostics: Diagnostic[] = [];
  const identity = readFields(IDENTITY, step.identity ?? {}, [], 'key');
  diagnostics.push(...placed(step, 'identity', identity.problems.map(inIdentity)));
  const stackProblem = stack === null ? MISSING_STACK : labelProblem(stack);
  if (stackProblem !== null) diagnostics.push(...placed(step, 'stack', [stackProblem]));
  const logical = logicalIdOf(step);
  if (logical.kind === 'invalid')
    diagnostics.push(...placed(step, 'logical_id', [problem([], logical.detail, 'INVALID_VALUE', logical.hint)]));
  if (diagnostics.length > 0 || stack === null || logical.kind === 'invalid')
    return { owner: null, hasWrittenId: false, diagnostics };
  const { project, owner } = identity.values;
  return {
    owner: { folderId, project: String(project), stack, owner: String(owner), logicalId: logical.id },
    hasWrittenId: logical.isWritten,
    diagnostics,
  };
}

const MISSING_STACK = problem(
  [],
  'The stack is missing: a resource of Yandex Cloud carries the name of its stack as a label.',
  'MISSING_KEY',
  'Set stack on the step or in defaults, or pass --stack.',
);

function labelProblem(stack: string): InputProblem | null {
  const detail = labelValueProblem('The stack', stack);
  return detail === null ? null : problem([], detail);
}

function inIdentity(found: InputProblem): InputProblem {
  if (found.code !== 'MISSING_KEY') return found;
  const detail = found.detail.replace('The key "', 'In identity the key "');
  return { ...found, detail, hint: 'identity: { project: <name>, owner: <name> }' };
}

function resourceIdProblem(step: Step): readonly Diagnostic[] {
  if (step.resourceId === null || isId(step.resourceId)) return [];
  return placed(step, 'resource_id', [problem([], 'resource_id must be the id of a resource.')]);
}

/** Problems at their places below a key of the tool. */
export function placed(step: Step, root: string, problems: readonly InputProblem[]): readonly Diagnostic[] {
  return problems.map(({ path, code, detail, hint }) =>
    linkDiagnostic(step, code, detail, [root, ...path].map(String), hint ?? null),
  );
}

/** A diagnostic at the nearest place in the file that is on the way to a path. */
export function linkDiagnostic(
  step: Step,
  code: Code,
  detail: string,
  path: readonly string[],
  hint: string | null = null,
): Diagnostic {
  let source = step.source;
  for (let length = path.length; length > 0; length -= 1) {
    const position = step.positions.get(path.slice(0, length).join('.'));
    if (position === undefined) continue;
    source = position;
    break;
  }
  return diagnostic(code, detail, { address: step.address, source, hint });
}
