import type { EngineEvent } from '../../core/events.ts';
import type { AppliedStep } from '../../core/plan.ts';
import { block, count, escapeText } from '../text.ts';
import { doneWords } from './outcome.ts';
import type { HumanOptions } from './style.ts';
import { duration, verbOf } from './words.ts';

/** The line (with its end) that tells a person of an event while a verb runs; null where it is not worth one. */
export function progressLine(event: EngineEvent, options: Pick<HumanOptions, 'verbose'>): string | null {
  const text = progressText(event, options.verbose);
  return text === null ? null : block([text]);
}

function progressText(event: EngineEvent, verbose: boolean): string | null {
  switch (event.type) {
    case 'plan_start':
      return `planning ${escapeText(event.playbook)}: ${count(event.steps, 'step')}`;
    case 'lock_acquired':
      return `locked ${event.stacks.length === 1 ? 'stack' : 'stacks'} ${escapeText(event.stacks.join(', '))}`;
    case 'step_start':
      return `${escapeText(event.address)}: ${verbOf(event.change, event.action).doing}…`;
    case 'step_progress':
      return `${escapeText(event.address)}: ${escapeText(event.message)}`;
    case 'operation':
      return operationText(event);
    case 'step_outcome':
      return outcomeText(event.step, verbose);
    // Plans, facts, diagnostics and counts are told by the report that follows.
    case 'step_planned':
    case 'plan_summary':
    case 'fact':
    case 'diagnostic':
    case 'summary':
      return null;
  }
}

function operationText({ address, operation, attempt }: Extract<EngineEvent, { type: 'operation' }>): string {
  const name = escapeText(operation);
  return attempt <= 1
    ? `${escapeText(address)}: operation ${name} is running`
    : `${escapeText(address)}: operation ${name} is still running (asked ${attempt} times)`;
}

const QUIET: ReadonlySet<string> = new Set(['noop', 'read', 'held', 'skipped']);

function outcomeText(step: AppliedStep, verbose: boolean): string | null {
  if (!verbose && QUIET.has(step.outcome)) return null;
  const took =
    step.duration_ms > 0
      ? ` ${step.outcome === 'changed' || step.outcome === 'deleted' ? 'in' : 'after'} ${duration(step.duration_ms)}`
      : '';
  return `${escapeText(step.address)}: ${doneWords(step)}${took}`;
}
