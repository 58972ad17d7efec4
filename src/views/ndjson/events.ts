import type { Severity } from '../../core/diagnostics.ts';
import type { StreamEvent } from '../../core/events.ts';
import type { Outcome } from '../../core/plan.ts';
import { appliedStepDocument } from '../json/apply.ts';
import { diagnosticDocument, differenceDocument } from '../json/diagnostic.ts';
import { planSummary, stepDocument } from '../json/plan.ts';
import { jsonLine } from '../json/render.ts';

type Level = 'info' | 'warn' | 'error';

/** One event as a line of JSON: `type`, `@timestamp` (RFC 3339 UTC, as given), `@level`, then what the event carries. */
export function ndjsonLine(event: StreamEvent, isoTime: string): string {
  return jsonLine({ type: event.type, '@timestamp': isoTime, '@level': levelOf(event), ...payload(event) });
}

const SEVERITIES: Readonly<Record<Severity, Level>> = { error: 'error', warning: 'warn', note: 'info' };
const OUTCOME_LEVELS: Partial<Readonly<Record<Outcome, Level>>> = {
  failed: 'error',
  refused: 'error',
  uncertain: 'error',
  blocked: 'warn',
  pending: 'warn',
  rolled_back: 'warn',
};

function levelOf(event: StreamEvent): Level {
  if (event.type === 'diagnostic') return SEVERITIES[event.diagnostic.severity];
  return event.type === 'step_outcome' ? (OUTCOME_LEVELS[event.step.outcome] ?? 'info') : 'info';
}

function payload(event: StreamEvent): object {
  switch (event.type) {
    case 'step_planned':
      return { step: stepDocument(event.step) };
    case 'step_outcome':
      return { step: appliedStepDocument(event.step) };
    case 'plan_summary':
      return { summary: planSummary(event), digest: event.digest };
    case 'diagnostic':
      return {
        diagnostic: diagnosticDocument(event.diagnostic),
        ...(event.differences === undefined ? {} : { differences: event.differences.map(differenceDocument) }),
      };
    default: {
      const { type: _type, ...rest } = event;
      return rest;
    }
  }
}
