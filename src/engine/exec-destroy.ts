import { PROTECTED } from './decide-step.ts';
import { type Data, type ExecContext, type ExecEnd, failure, success } from './exec-line.ts';
import {
  appendOrThrow,
  blockReason,
  callOf,
  checkConfirm,
  desiredNow,
  guarded,
  planAlone,
  plannedFact,
  recordSettlement,
  writeStep,
} from './exec-work.ts';
import { desiredOf, factOf } from './ownership.ts';
import type { PreparedStep } from './prepare.ts';
import { ownFact } from './rename.ts';
import type { PlannedStep } from './runtime.ts';
import { requestsOf } from './show-step.ts';

const CONFIRM_DESTROY =
  'Review the plan, then run the step with dry_run: false and confirm: <plan_digest>. If the live resource changes before, it is refused.';

export async function destroyStep(context: ExecContext, item: PreparedStep, dry: boolean): Promise<ExecEnd> {
  const planned = await planAlone(context, item, desiredNow(context, item, true));
  await (dry ? Promise.resolve() : recordSettlement(context, planned));
  const { shown, urn, observation } = planned;
  if (shown.change === 'blocked' || shown.held === PROTECTED || urn === null)
    return failure(item, blockReason(planned));
  await guarded(context, planned);
  const present = shown.change === 'delete';
  if (dry)
    return success(
      item,
      {
        ...destroyPlan(planned, urn, present),
        provider_fact: plannedFact(item, urn, 'delete', desiredOf(planned.desired)),
      },
      true,
    );
  checkConfirm(context, item, urn, shown.plan_digest, 'deleted');
  const base = { dry_run: false, destroy: true, converge: 'destroy' };
  if (present)
    return await writeStep(context, planned, (fact, resource, changed) => ({
      ...base,
      changed,
      ...(changed ? {} : { already_absent: true }),
      resource,
      provider_fact: fact,
    }));
  const facts = planned.facts.map((fact) => ({ ...fact, execution_id: context.row.execution_id }));
  await appendOrThrow(context, facts);
  const fact =
    ownFact(facts) ??
    factOf(item, {
      verb: 'delete',
      outcome: 'absent',
      urn,
      desired: desiredOf(planned.desired),
      resourceId: null,
      origin: null,
      executionId: context.row.execution_id,
      digest: null,
    });
  return success(
    item,
    {
      ...base,
      changed: false,
      already_absent: true,
      resource: observation?.kind === 'present' ? observation.resource : null,
      provider_fact: fact,
    },
    true,
    facts,
  );
}

function destroyPlan(planned: PlannedStep, urn: string, present: boolean): Data {
  const { shown, item, desired } = planned;
  const seen = planned.observation?.kind === 'present' ? planned.observation : null;
  const requests = planned.requests.length > 0 ? planned.requests : requestsOf(item, desired, 'delete', null);
  const plan = {
    urn,
    resolved_name: present ? (seen?.id ?? urn.slice(urn.lastIndexOf(':') + 1)) : '<absent>',
    etag: seen?.etag ?? null,
    state: seen?.state ?? null,
    present,
    request: callOf(requests),
  };
  return {
    dry_run: true,
    changed: false,
    destroy: true,
    converge: 'destroy',
    plan_digest: shown.plan_digest,
    plan,
    present,
    confirm_hint: CONFIRM_DESTROY,
  };
}
