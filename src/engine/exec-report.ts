import { faultOf } from '../core/codes.ts';
import { type ExecContext, type ExecEnd, failure, success, withSeen } from './exec-line.ts';
import { blockReason, desiredNow, echoDiff, guarded, lastDesired, planReport } from './exec-work.ts';
import type { PreparedStep } from './prepare.ts';
import { verdictOf } from './verdict.ts';
import { wayToRead } from './way-to-read.ts';

export async function reportStep(context: ExecContext, item: PreparedStep): Promise<ExecEnd> {
  const base = { reconcile: 'report', converge: item.spec.converge };
  const declared = desiredNow(context, item, false);
  const urn = item.declaration.urn ?? item.catalogue.urnOf(item.declaration, declared);
  const desired = lastDesired(context, item, urn);
  const opened = await context.open(item);
  if (opened.kind === 'unusable') {
    const note = unreadNote(wayToRead(opened.why));
    return success(item, { ...base, urn, drift: 'undetermined', changed: false, desired, note }, false);
  }
  const planned = await planReport(context, item, declared);
  const seen = planned.observation;
  if (seen === null || (seen.kind === 'unreadable' && faultOf(seen.why) !== 'auth'))
    return failure(item, blockReason(planned));
  await guarded(context, planned);
  const actual = seen.kind === 'present' ? seen.actual : {};
  const isUnseen = seen.kind === 'not_visible' || seen.kind === 'unreadable';
  const drift = verdictOf(desired, seen, item.declaration.fields);
  const end = success(
    item,
    {
      ...base,
      urn: planned.urn,
      drift,
      diff: echoDiff(desired, actual),
      desired,
      actual,
      present: isUnseen ? 'unknown' : seen.kind === 'present',
      changed: false,
      ...(isUnseen ? { note: unreadNote(seen.why.detail) } : {}),
    },
    true,
  );
  return withSeen(end, planned);
}

function unreadNote(why: string): string {
  return `the live resource could not be read, so drift can't be told. ${why} A report never changes anything.`;
}
