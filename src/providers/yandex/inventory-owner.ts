import type { DraftRequest } from '../../core/inventory.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Labels, Live } from './define-kind.ts';
import { claimOf, type Owner } from './ownership.ts';
import { labelValueProblem } from './validation.ts';

/** Whose an imported playbook says that everything is. */
export interface ScopeOwner extends Omit<Owner, 'logicalId'> {
  /** Keys that nobody said and no label tells: placeholders, to be mended. */
  readonly guessed: readonly string[];
}

type Claim = Pick<Owner, 'project' | 'stack' | 'owner'>;

const KEYS = ['stack', 'project', 'owner'] as const;

/** What the caller says that does not fit a label; null: all of it does. */
export function ownerProblem(request: DraftRequest): string | null {
  const said = saidBy(request);
  const problems = KEYS.map((key) => {
    const value = said[key];
    return value === undefined ? null : labelValueProblem(key === 'stack' ? 'The stack' : `identity.${key}`, value);
  });
  return problems.find((problem) => problem !== null) ?? null;
}

/** What the caller says; for the rest what most labels say that agree with it; else placeholders. */
export function ownerOfScope(lives: readonly Live[], folderId: string, request: DraftRequest): ScopeOwner {
  const said = saidBy(request);
  const claims = lives.flatMap(({ labels }) => claimIn(labels)).filter((claim) => agrees(claim, said));
  const most = mostCommon(claims);
  const placeholders: Claim = { stack: 'imported', project: folderId, owner: 'unknown' };
  const guessed = most === null ? KEYS.filter((key) => said[key] === undefined) : [];
  return { ...placeholders, ...most, ...said, folderId, guessed };
}

function saidBy({ stack, identity }: DraftRequest): Partial<Claim> {
  const { project, owner } = isJsonObject(identity) ? identity : {};
  return {
    ...(stack === null ? {} : { stack }),
    ...(typeof project === 'string' ? { project } : {}),
    ...(typeof owner === 'string' ? { owner } : {}),
  };
}

function claimIn(labels: Labels): readonly Claim[] {
  const claim = claimOf(labels);
  return claim === null ? [] : [claim];
}

function agrees(claim: Claim, said: Partial<Claim>): boolean {
  return KEYS.every((key) => said[key] === undefined || said[key] === claim[key]);
}

/** Of those that are as common the first in the order of their texts, so that the answer is always the same one. */
function mostCommon(claims: readonly Claim[]): Claim | null {
  const counts = new Map<string, { readonly claim: Claim; count: number }>();
  for (const claim of claims) {
    const key = KEYS.map((name) => claim[name]).join('/');
    const known = counts.get(key) ?? { claim, count: 0 };
    known.count += 1;
    counts.set(key, known);
  }
  const ranked = [...counts].sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1));
  return ranked[0]?.[1].claim ?? null;
}
