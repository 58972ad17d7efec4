import type { Diagnostic } from '../../core/diagnostics.ts';
import { type Draft, linkDiagnostic } from './drafts.ts';
import { textAt } from './inputs.ts';
import { urnFor } from './ownership.ts';

/** Names are unique for a kind in a folder: of two resources of one name, the second could never be made. */
export function sameNames(drafts: readonly Draft[]): readonly Diagnostic[] {
  const first = new Map<string, Draft>();
  return drafts.filter(isMade).flatMap((draft) => {
    const { resourceType } = draft.action.spec;
    const name = textAt(draft.values, 'name');
    const key = [draft.settings.folderId, resourceType, name].join('/');
    const other = first.get(key);
    if (other === undefined) first.set(key, draft);
    if (name === '' || other === undefined || urnOf(other) === urnOf(draft)) return [];
    const kind = resourceType.replaceAll('_', ' ');
    const detail = `${at(other)} and ${at(draft)} both name their ${kind} ${JSON.stringify(name)}; in a folder only one can have a name.`;
    return [linkDiagnostic(draft.step, 'INVALID_VALUE', detail, ['input', 'name'], 'Give one of them another name.')];
  });
}

/** What a held step declares is not made. */
function isMade({ action, step }: Draft): boolean {
  return action.verb === 'ensure' && step.dryRun !== true && step.reconcile !== 'report';
}

function urnOf({ action, owner }: Draft): string | null {
  return owner === null ? null : urnFor(action.spec.service, action.spec.resourceType, owner);
}

function at({ step }: Draft): string {
  const { file, line, column } = step.positions.get('input.name') ?? step.source;
  return `${step.address} at ${file}:${line}:${column}`;
}
