import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { ValueObject } from '../core/value.ts';
import type { OpenedProvider } from '../providers/lifecycle-provider.ts';
import { blockedBy, type Findings, unread } from './findings.ts';
import type { PlanContext } from './plan-context.ts';
import type { PreparedStep } from './prepare.ts';
import { wayToRead } from './way-to-read.ts';

/** No usable auth, or offline: what needs the live cloud is held or blocked, the rest is planned as far as it goes. */
export function withoutReading(
  context: PlanContext,
  item: PreparedStep,
  desired: ValueObject,
  opened: OpenedProvider,
): Findings {
  const why = opened.kind === 'unusable' ? opened.why : null;
  const held = item.held ?? (item.spec.kind === 'read' ? 'no auth' : null);
  if (item.spec.kind === 'read')
    return {
      ...unread(context, item, desired, opened, { change: 'read', present: 'unknown', diff: {}, diagnostics: [] }),
      held,
    };
  if (item.spec.kind === 'delete' || item.reconcile === 'adopt') {
    if (held !== null)
      return unread(context, item, desired, opened, {
        change: 'unknown',
        present: 'unknown',
        diff: {},
        diagnostics: [],
      });
    const needed = diagnostic(
      'BLOCKED',
      `a ${item.spec.kind === 'delete' ? 'delete' : 'adoption'} is decided on the live resource, which could not be read: ${why?.detail ?? 'no auth'}`,
      { hint: wayToRead(why) },
    );
    return unread(context, item, desired, opened, blockedBy(item, { ...needed, severity: 'warning' }));
  }
  // What lies in a refused place is a refusal, and what the caller named is to be there, whatever the verb.
  const isStated = opened.kind === 'unusable' && opened.isStated === true;
  const severity = why?.code === 'UNSAFE_PATH' || isStated ? 'error' : 'note';
  const note: readonly Diagnostic[] =
    why === null ? [] : [{ ...why, severity, address: item.step.address, source: why.source ?? item.step.source }];
  return {
    ...unread(context, item, desired, opened, { change: 'unknown', present: 'unknown', diff: {}, diagnostics: note }),
    held,
  };
}

/** An auth that the cloud refuses is as none for an ensure: what it would do is shown, and can't be confirmed. */
export function isRefusedAuth(item: PreparedStep, why: Diagnostic): boolean {
  return why.code === 'AUTHENTICATION' && item.spec.kind === 'ensure' && item.reconcile !== 'adopt';
}

/** Shows what a step would do that its auth does not let be looked at. */
export function refusedAuth(
  context: PlanContext,
  item: PreparedStep,
  desired: ValueObject,
  opened: OpenedProvider,
  why: Diagnostic,
): Findings {
  const { diagnostics } = blockedBy(item, why);
  return unread(context, item, desired, opened, { change: 'unknown', present: 'unknown', diff: {}, diagnostics });
}
