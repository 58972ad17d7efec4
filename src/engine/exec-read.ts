import { type ExecContext, type ExecEnd, failure, success } from './exec-line.ts';
import { blockReason, callOf, desiredNow, inputNow, planAlone } from './exec-work.ts';
import { requireGuardOfRead } from './live-guard.ts';
import type { PreparedStep } from './prepare.ts';

export function dryRead(context: ExecContext, item: PreparedStep): ExecEnd {
  const requests = item.catalogue.readRequests(item.declaration, desiredNow(context, item, false), item.step);
  return success(
    item,
    {
      dry_run: true,
      changed: false,
      converge: 'single',
      would_call: requests.length > 1 ? requests.map((request) => callOf([request])) : callOf(requests),
      input: inputNow(context, item),
    },
    false,
  );
}

export async function realRead(context: ExecContext, item: PreparedStep): Promise<ExecEnd> {
  const desired = desiredNow(context, item, true);
  const session = context.sessionOf(await context.open(item));
  if (session !== null) await requireGuardOfRead(item, desired, session);
  const planned = await planAlone(context, item, desired);
  // Where a name was looked up, the place is known only now.
  if (session !== null) await requireGuardOfRead(item, planned.desired, session);
  if (planned.shown.change === 'blocked' || !planned.result.complete) return failure(item, blockReason(planned));
  return success(
    item,
    { dry_run: false, changed: false, converge: 'single', resource: planned.result.data['resource'] ?? null },
    true,
  );
}
