import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Declaration, FieldRule, LinkResult } from '../../core/resource.ts';
import type { Step } from '../../core/step.ts';
import { unknownOf, type Value, type ValueObject } from '../../core/value.ts';
import type { KindDefinition } from './define-kind.ts';
import { deleteOrder, readOrder } from './delete-order.ts';
import { type Binding, bindDependencies, checkTogether } from './dependencies.ts';
import { type Draft, draftOf, linkDiagnostic } from './drafts.ts';
import { hindranceText } from './hindrance.ts';
import { ownerOptions, ownershipLabels, SPEC_LABEL, urnFor } from './ownership.ts';
import { sameNames } from './same-names.ts';
import { specDigest } from './spec-digest.ts';

/** Reads all steps and ties them together: dependencies, URNs, order. */
export function link(steps: readonly Step[], stackOf: (step: Step) => string | null): LinkResult {
  const drafts: Draft[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const step of steps) {
    const result = draftOf(step, stackOf(step));
    if (result === null) continue;
    diagnostics.push(...result.diagnostics);
    if (result.draft !== null) drafts.push(result.draft);
  }
  const binding = bindDependencies(
    drafts,
    steps.map(({ address }) => address),
  );
  diagnostics.push(
    ...binding.diagnostics,
    ...checkTogether(drafts, binding),
    ...collisions(drafts),
    ...sameNames(drafts),
  );
  const deletes = deleteOrder(drafts);
  const declarations = new Map<string, Declaration>();
  for (const draft of drafts) {
    const declared = declare(draft, binding, readOrder(draft, drafts));
    declarations.set(draft.step.address, { ...declared, ...deletes.get(draft.step.address) });
  }
  return { declarations, diagnostics };
}

/** Two resources of one stack with one logical id: their labels could not tell them apart. */
function collisions(drafts: readonly Draft[]): readonly Diagnostic[] {
  const first = new Map<string, Draft>();
  return drafts.flatMap((draft) => {
    const { owner, step, action } = draft;
    if (owner === null) return [];
    const key = [owner.folderId, owner.project, owner.stack, owner.logicalId].join('/');
    const other = first.get(key);
    if (other === undefined) first.set(key, draft);
    if (other === undefined || isSameResource(draft, other)) return [];
    const detail = `${other.step.address} and ${step.address} (${action.spec.name}) have the same logical id ${JSON.stringify(owner.logicalId)}, which is unique in a stack.`;
    return [linkDiagnostic(step, 'INVALID_VALUE', detail, ['logical_id'], 'Set another logical_id beside input.')];
  });
}

/** One resource may be named twice (the engine says where it may not); made-up ids that happen to be equal are no such naming. */
function isSameResource(draft: Draft, other: Draft): boolean {
  if (draft.action.definition !== other.action.definition) return false;
  return draft.hasWrittenId || other.hasWrittenId || draft.action.verb !== 'ensure' || other.action.verb !== 'ensure';
}

function declare(draft: Draft, binding: Binding, order: readonly string[]): Declaration {
  const { step, action, owner, settings } = draft;
  const bound = [...(binding.bound.get(draft) ?? [])];
  const needs = [...new Set(bound.map(([, target]) => target.step.address))];
  const logicalIds = Object.fromEntries(bound.map(([field, target]) => [field, target.owner?.logicalId ?? '']));
  const definition = action.definition;
  const isWritten = owner !== null && definition !== null;
  const dependsOn = [...new Set([...needs, ...order])].filter((address) => !step.dependsOn.includes(address));
  return {
    address: step.address,
    action: action.spec,
    urn: isWritten ? urnFor(action.spec.service, action.spec.resourceType, owner) : null,
    desired: isWritten ? desiredOf(draft, binding, definition, logicalIds) : draft.values,
    options: {
      ...(owner === null ? { folder_id: settings.folderId } : ownerOptions(owner)),
      ...(isWritten ? { dependencies: logicalIds } : {}),
      ...(step.resourceId === null || !isWritten ? {} : { resource_id: step.resourceId }),
      ...pick(draft.values, definition?.options ?? []),
    },
    fields: definition === null ? {} : fieldRules(definition),
    hindrances: definition === null ? {} : hindrancesOf(definition),
    dependsOn,
    needs,
    batchKey: null,
  };
}

export function fieldRules(definition: KindDefinition): Readonly<Record<string, FieldRule>> {
  return { ...definition.fields, labels: 'merged' };
}

function hindrancesOf({ kind, hindrances }: KindDefinition): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(hindrances).map(([key, why]) => [key, hindranceText(kind, why)]));
}

function pick(values: ValueObject, keys: readonly string[]): ValueObject {
  return Object.fromEntries(keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key] as Value]])));
}

/** The managed fields: input, ids of what the dependencies make, our labels with the digest of all that. */
function desiredOf(draft: Draft, binding: Binding, definition: KindDefinition, logicalIds: ValueObject): ValueObject {
  const { owner, action, values } = draft;
  if (owner === null) return values;
  const ownership = ownershipLabels(owner);
  if (action.verb !== 'ensure') return { labels: ownership };
  const left = new Set([...definition.options, ...definition.dependencies.map(({ input }) => input)]);
  const own = Object.fromEntries(Object.entries(values).filter(([key]) => !left.has(key)));
  const ids = [...(binding.bound.get(draft) ?? [])].map(
    ([field, target]) => [field, unknownOf([{ address: target.step.address, path: 'resource.id' }])] as const,
  );
  const desired: ValueObject = { ...own, ...Object.fromEntries(ids) };
  const digest = specDigest(definition, desired, logicalIds);
  return { ...desired, labels: { ...ownership, ...(digest === null ? {} : { [SPEC_LABEL]: digest }) } };
}
