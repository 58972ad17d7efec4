import type { KindName } from './define-kind.ts';
import type { Draft } from './drafts.ts';

/** What goes first: machines, then what they stand on, networks last. */
const RANK: Readonly<Record<KindName, number>> = {
  instance: 0,
  disk: 1,
  address: 1,
  security_group: 1,
  subnet: 1,
  network: 2,
};

function rankOf({ action }: Draft): number {
  return action.definition === null ? 0 : RANK[action.definition.kind];
}

/** What a deletion comes after, and what of that may use its resource. */
export interface DeleteOrder {
  readonly after: readonly string[];
  readonly mayUse: readonly string[];
}

/** Deletes of one stack and folder come after those of lower rank, unless the playbook says the contrary. */
export function deleteOrder(drafts: readonly Draft[]): ReadonlyMap<string, DeleteOrder> {
  const deletes = drafts.filter(({ action }) => action.verb === 'delete');
  const written = new Map(deletes.map(({ step }) => [step.address, step.dependsOn]));
  return new Map(
    deletes.map((draft) => {
      const { address } = draft.step;
      const first = deletes.filter(
        (other) =>
          rankOf(other) < rankOf(draft) && scopeOf(other) === scopeOf(draft) && !waitsFor(other, address, written),
      );
      return [address, { after: first.map(addressOf), mayUse: first.filter(isUserOf(draft)).map(addressOf) }];
    }),
  );
}

function addressOf({ step }: Draft): string {
  return step.address;
}

/** By its kind. */
function isUserOf({ action: { definition } }: Draft): (other: Draft) => boolean {
  const users: readonly string[] = definition?.dependants ?? [];
  return ({ action }) => action.definition !== null && users.includes(action.definition.kind);
}

function scopeOf({ owner }: Draft): string {
  return owner === null ? '' : `${owner.folderId}/${owner.project}/${owner.stack}`;
}

/** Whether the playbook's own order already has `draft` after `address`. */
function waitsFor({ step }: Draft, address: string, written: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const open = [...step.dependsOn];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === address) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(written.get(next) ?? []));
  }
  return false;
}

/** Reads see what earlier-written steps make: they come after those that write what they look at. */
export function readOrder(draft: Draft, drafts: readonly Draft[]): readonly string[] {
  if (draft.action.spec.kind !== 'read') return [];
  const { definition } = draft.action;
  return drafts
    .filter(
      (other) =>
        other.step.index < draft.step.index &&
        other.action.spec.kind !== 'read' &&
        other.settings.folderId === draft.settings.folderId &&
        (definition === null || other.action.definition === definition),
    )
    .map(({ step }) => step.address);
}
