import { altersFold } from '../core/fold.ts';
import { adoptedDesired } from './classify.ts';
import { type ExecContext, type ExecEnd, failure, success, withSeen } from './exec-line.ts';
import {
  appendOrThrow,
  blockReason,
  checkConfirm,
  desiredNow,
  echoDiff,
  guarded,
  lastDesired,
  planAlone,
} from './exec-work.ts';
import type { PreparedStep } from './prepare.ts';
import { ownFact } from './rename.ts';
import { verdictOf } from './verdict.ts';

const CONFIRM_ADOPT =
  'Review the diff, then run the step with dry_run: false and confirm: <plan_digest>. An adoption never changes the cloud; if the resource changes before, it is refused.';

export async function adoptStep(context: ExecContext, item: PreparedStep, dry: boolean): Promise<ExecEnd> {
  const planned = await planAlone(context, item, desiredNow(context, item, true));
  const { shown, urn, observation } = planned;
  if (shown.change === 'blocked' || observation?.kind !== 'present' || urn === null)
    return failure(item, blockReason(planned));
  await guarded(context, planned);
  const desired = lastDesired(context, item, urn);
  const actual = adoptedDesired(item, planned.desired, observation.actual);
  const data = {
    reconcile: 'adopt',
    dry_run: dry,
    changed: false,
    adopt: true,
    import: desired === null,
    converge: item.spec.converge,
    urn,
    drift: verdictOf(desired, observation, item.declaration.fields),
    diff: echoDiff(desired, actual),
    desired: dry ? desired : actual,
    actual,
    present: true,
    plan_digest: shown.plan_digest,
    confirm_hint: CONFIRM_ADOPT,
  };
  const facts = planned.facts.map((fact) => ({ ...fact, execution_id: dry ? 0 : context.row.execution_id }));
  const fact = ownFact(facts);
  if (fact === null) return failure(item, blockReason(planned));
  if (dry) return withSeen(success(item, { ...data, provider_fact: { ...fact, outcome: 'planned' } }, true), planned);
  checkConfirm(context, item, urn, shown.plan_digest, 'adopted');
  // Run again, it finds its adoption in the log already.
  const isNew = facts.some((one) => altersFold(context.ownership.model, one));
  const written = isNew ? facts : [];
  await appendOrThrow(context, written);
  return withSeen(success(item, { ...data, adopted: true, provider_fact: fact }, true, written), planned);
}
