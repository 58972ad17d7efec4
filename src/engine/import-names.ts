import type { StepDraft } from '../core/inventory.ts';
import { sha256Hex } from '../core/json.ts';

/** Columns of a name; a longer one is cut, and told apart by its hash. */
const LONGEST = 80;
const HASH_DIGITS = 8;

type Named = Pick<StepDraft, 'key' | 'names'>;

/**
 * A name for every draft, by its key: the shortest of its names that no other draft has too. Which name that is depends
 * on the names alone, never on the order, so that another import of the same things names them alike.
 */
export function nameSteps(drafts: readonly Named[]): ReadonlyMap<string, string> {
  const candidates = new Map(drafts.map((draft) => [draft.key, candidatesOf(draft)]));
  const level = new Map(drafts.map((draft) => [draft.key, 0]));
  for (;;) {
    const names = new Map(drafts.map(({ key }) => [key, candidates.get(key)?.[level.get(key) ?? 0] ?? '']));
    const clashing = clashes(names).filter((key) => (level.get(key) ?? 0) < (candidates.get(key)?.length ?? 0) - 1);
    if (clashing.length === 0) return names;
    for (const key of clashing) level.set(key, (level.get(key) ?? 0) + 1);
  }
}

/** Its names as slugs, and last one that is its own whatever the others are called. */
function candidatesOf({ key, names }: Named): readonly string[] {
  const hash = sha256Hex(key);
  const slugs = names.map((name) => slug(name)).map((text) => (text.length > LONGEST ? cut(text, hash) : text));
  return [...new Set([...slugs, cut(slugs[0] ?? 'step', hash), `step_${hash}`])];
}

function cut(text: string, hash: string): string {
  return `${text.slice(0, LONGEST - HASH_DIGITS - 1).replace(/_$/, '')}_${hash.slice(0, HASH_DIGITS)}`;
}

/** Lower-case ASCII letters, digits and single underscores: a name that a template can write without quotes. */
function slug(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'step';
}

/** The keys whose name another key has too. */
function clashes(names: ReadonlyMap<string, string>): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...names].filter(([, name]) => (counts.get(name) ?? 0) > 1).map(([key]) => key);
}
