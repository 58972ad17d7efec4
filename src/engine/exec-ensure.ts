import { redact } from '../core/redaction.ts';
import { type ExecContext, type ExecEnd, failure, success } from './exec-line.ts';
import {
  appendOrThrow,
  blockReason,
  callOf,
  desiredNow,
  guarded,
  inputNow,
  planAlone,
  plannedFact,
  recordSettlement,
  writeStep,
} from './exec-work.ts';
import { desiredOf, factOf } from './ownership.ts';
import type { PreparedStep } from './prepare.ts';
import { ownFact } from './rename.ts';
import { requestsOf } from './show-step.ts';

export function dryEnsure(context: ExecContext, item: PreparedStep): ExecEnd {
  const desired = desiredNow(context, item, false);
  const requests = requestsOf(item, desired, 'unknown', null);
  const urn = item.declaration.urn ?? item.catalogue.urnOf(item.declaration, desired);
  const fact = urn === null ? null : plannedFact(item, urn, 'ensure', redact(desiredOf(desired)));
  return success(
    item,
    {
      dry_run: true,
      changed: false,
      converge: item.spec.converge,
      would_call: callOf(requests),
      input: inputNow(context, item),
      ...(fact === null ? {} : { provider_fact: fact }),
    },
    false,
  );
}

export async function realEnsure(context: ExecContext, item: PreparedStep): Promise<ExecEnd> {
  const planned = await planAlone(context, item, desiredNow(context, item, true));
  await recordSettlement(context, planned);
  const { change } = planned.shown;
  if (change === 'blocked' || change === 'unknown') return failure(item, blockReason(planned));
  await guarded(context, planned);
  const base = { dry_run: false, converge: item.spec.converge };
  if (change !== 'none')
    return await writeStep(context, planned, (fact, resource, changed) => ({
      ...base,
      changed,
      resource,
      provider_fact: fact,
    }));
  const stamped = planned.facts.map((fact) => ({ ...fact, execution_id: context.row.execution_id }));
  await appendOrThrow(context, stamped);
  const shownFact = ownFact(stamped) ?? {
    ...factOf(planned.item, {
      verb: 'ensure',
      outcome: 'noop',
      urn: planned.urn ?? '',
      desired: desiredOf(planned.desired),
      resourceId: planned.shown.resource_id,
      origin: null,
      executionId: context.row.execution_id,
      digest: null,
    }),
  };
  return success(
    item,
    { ...base, changed: false, resource: planned.result.data['resource'] ?? null, provider_fact: shownFact },
    true,
    stamped,
    planned.shown.diagnostics,
  );
}
