import { type AppliedStep, isPending, type Outcome } from '../../core/plan.ts';
import { verbOf } from './words.ts';

/** How a report sorts outcomes: done; nothing was to be done; not done; not known. */
export type OutcomeClass = 'done' | 'idle' | 'undone' | 'open';

const CLASSES: Readonly<Record<Outcome, OutcomeClass>> = {
  changed: 'done',
  deleted: 'done',
  adopted: 'done',
  rolled_back: 'undone',
  noop: 'idle',
  absent: 'idle',
  read: 'idle',
  skipped: 'idle',
  held: 'undone',
  blocked: 'undone',
  failed: 'undone',
  refused: 'undone',
  uncertain: 'open',
  pending: 'open',
};

export function outcomeClass(step: Pick<AppliedStep, 'outcome' | 'change' | 'held' | 'record'>): OutcomeClass {
  return isNotStarted(step) ? 'undone' : CLASSES[step.outcome];
}

/** Whether the run ended before it came to a step that had something to do. */
export function isNotStarted(step: Pick<AppliedStep, 'outcome' | 'change' | 'held' | 'record'>): boolean {
  return step.outcome === 'skipped' && isPending(step);
}

const WORDS: Readonly<Record<Exclude<Outcome, 'changed' | 'deleted'>, string>> = {
  noop: 'already as declared',
  absent: 'already gone',
  adopted: 'adopted',
  read: 'read',
  held: 'held, not changed',
  blocked: 'blocked, not tried',
  failed: 'failed',
  uncertain: 'uncertain: sent, but no answer came',
  pending: 'still running',
  refused: 'refused, not changed',
  rolled_back: 'made and rolled back',
  skipped: 'skipped',
};

/** What became of a step, in words: `created`, `failed`, `still running`. */
export function doneWords(step: Pick<AppliedStep, 'outcome' | 'change' | 'action' | 'held' | 'record'>): string {
  if (isNotStarted(step)) return 'not started';
  if (step.outcome === 'changed' || step.outcome === 'deleted') {
    const change = step.outcome === 'deleted' ? 'delete' : step.change;
    return verbOf(change, step.action).done;
  }
  return WORDS[step.outcome];
}
