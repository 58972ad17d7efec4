import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { loadPlan } from '../engine/plan-store.ts';
import type { StoredPlan } from '../engine/stored-plan.ts';

const DAMAGED: ReadonlySet<string> = new Set(['FILE_UNREADABLE', 'LOG_INVALID']);

function isDamage(error: unknown): error is DiagnosticError {
  return error instanceof DiagnosticError && error.diagnostics.every(({ code }) => DAMAGED.has(code));
}

/** The plan of a digest, or null. It only explains a refusal: a file that is none is as good as none. */
export async function explainingPlan(folder: string, digest: string): Promise<StoredPlan | null> {
  try {
    return await loadPlan(folder, digest);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

/** The plan that is to be applied, or null. Throws DiagnosticError (DIGEST_STALE) on what is not the plan of this digest. */
export async function planToApply(folder: string, digest: string): Promise<StoredPlan | null> {
  try {
    return await loadPlan(folder, digest);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const [found] = error.diagnostics;
    throw new DiagnosticError([damaged(digest, found?.detail ?? '')]);
  }
}

/** What a stored plan holds was in order when it was kept: where it no longer is, this is not the plan of its digest. */
export function unlikeItsDigest(error: unknown, digest: string): unknown {
  if (!(error instanceof DiagnosticError)) return error;
  const why = 'The playbook that is kept with this plan can not be used, as told beside.';
  return new DiagnosticError([damaged(digest, why), ...error.diagnostics]);
}

function damaged(digest: string, why: string) {
  const detail = `${why} The stored plan of ${digest} was changed or damaged, so nothing can be said of what was reviewed. Nothing was sent.`;
  return diagnostic('DIGEST_STALE', detail, { hint: 'give the playbook as well, or plan again' });
}
