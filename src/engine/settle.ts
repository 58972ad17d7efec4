import { diffFields } from '../core/diff.ts';
import type { ProviderFact } from '../core/facts.ts';
import { isJsonObject } from '../core/json.ts';
import type { Observation } from '../core/resource.ts';
import type { OpenIntent } from '../eventlog/event-log.ts';
import type { LifecycleProvider, OperationFinding, Target } from '../providers/lifecycle-provider.ts';
import type { Ownership } from './ownership.ts';
import type { PreparedStep } from './prepare.ts';
import { withRename } from './rename.ts';

/** Whose intent is settled: a step, or what the log alone says about a resource. */
export type Settling = Pick<PreparedStep, 'declaration' | 'stack' | 'spec'>;

/** What reading says about an intent whose outcome nobody saw. */
export interface Settlement {
  readonly open: OpenIntent;
  /**
   * `done`: the write happened. `not_applied`: a read shows no effect; it may be sent again as a repeat. `pending`: its
   * operation is known and may still run. `unresolved`: it could not be read.
   */
  readonly verdict: 'done' | 'not_applied' | 'pending' | 'unresolved';
  /** For `done`: what is recorded. */
  readonly facts: readonly ProviderFact[];
}

/** What a read of an intent's resource saw, and, where a create leaves its nonce in the cloud, what carries that. */
export interface Sight {
  readonly seen: Observation;
  readonly finding: OperationFinding | null;
}

/** Looks for what an open create made, where the provider can tell by its nonce; null: it can't, or nothing is open. */
export async function findingOf(
  open: OpenIntent | undefined,
  provider: LifecycleProvider,
  target: Target,
): Promise<OperationFinding | null> {
  if (open?.intent.operation !== 'create' || provider.recovery === undefined) return null;
  return await provider.recovery.findOperation(target, open.intent.operation_id);
}

/** Settles an open intent by what was seen of its resource. */
export function settleIntent(
  item: Settling,
  open: OpenIntent,
  { seen, finding }: Sight,
  ownership: Ownership,
): Settlement {
  if (finding !== null) return settleByNonce(item, open, finding, ownership);
  const happened = open.intent.operation === 'delete' ? isGone(seen) : isAsIntended(item, open, seen);
  if (happened === null) return { open, verdict: 'unresolved', facts: [] };
  if (happened) return { open, verdict: 'done', facts: withRename(ownership, item, settledFact(open, seen)) };
  return { open, verdict: open.operationName === null ? 'not_applied' : 'pending', facts: [] };
}

/** Only what carries the nonce proves the create; that nothing carries it proves nothing. */
function settleByNonce(item: Settling, open: OpenIntent, finding: OperationFinding, ownership: Ownership): Settlement {
  if (finding.kind !== 'found') return { open, verdict: 'unresolved', facts: [] };
  const fact: ProviderFact = { ...open.intent.provider_fact, outcome: 'changed', resource_id: finding.id };
  return { open, verdict: 'done', facts: withRename(ownership, item, fact) };
}

/** What is on its way out is neither there nor gone. */
function isGone(seen: Observation): boolean | null {
  if (seen.kind === 'absent') return true;
  if (seen.kind !== 'present' || seen.state === 'DELETING') return null;
  return seen.state === 'DELETE_REQUESTED';
}

function isAsIntended(item: Settling, open: OpenIntent, seen: Observation): boolean | null {
  if (seen.kind === 'absent' || seen.kind === 'not_visible') return false;
  if (seen.kind === 'unreadable') return null;
  const intended = open.intent.provider_fact.desired;
  if (!isJsonObject(intended) || seen.state === 'DELETE_REQUESTED') return false;
  return Object.keys(diffFields(intended, seen.actual, item.declaration.fields)).length === 0;
}

/** The log shows an intent's fact as planned; now it is what the intent was for. */
export function settledFact({ intent }: OpenIntent, seen: Observation): ProviderFact {
  const id = seen.kind === 'present' ? seen.id : null;
  const outcome = intent.operation === 'delete' ? 'deleted' : 'changed';
  return { ...intent.provider_fact, outcome, ...(id === null ? {} : { resource_id: id }) };
}
