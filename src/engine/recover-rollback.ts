import type { Diagnostic } from '../core/diagnostics.ts';
import type { RecoverEntry } from '../core/recover-report.ts';
import type { IntentBody } from '../eventlog/event-log.ts';
import type { Recovering } from './recover-context.ts';
import { type Looked, reach } from './recover-look.ts';
import { notProvable, undoCreate } from './undo.ts';

export interface RolledBack {
  readonly rolledBack: readonly RecoverEntry[];
  readonly kept: readonly RecoverEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Undoes, newest first, what the interrupted runs made in the stacks where something of theirs is open. */
export async function rollBackRuns(recovering: Recovering, looked: readonly Looked[]): Promise<RolledBack> {
  const runs = new Set(looked.map(({ open: { intent } }) => runOf(intent)));
  const rolledBack: RecoverEntry[] = [];
  const kept: RecoverEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const intent of (await createsOf(recovering, runs)).reverse()) {
    const end = await undo(recovering, intent);
    const entry = { urn: intent.urn, address: intent.address, operation_id: intent.operation_id, resource_id: null };
    if (end === null) rolledBack.push({ ...entry, verdict: 'found', hint: null });
    else {
      kept.push({ ...entry, verdict: 'conflict', hint: end.hint });
      diagnostics.push(end);
    }
  }
  return { rolledBack, kept, diagnostics };
}

/** One run in one stack. */
function runOf({ stack, provider_fact }: IntentBody): string {
  return `${String(provider_fact.execution_id)} ${stack}`;
}

/** The creates of those runs that are not gone again, in the order of the log. */
async function createsOf({ request, ownership }: Recovering, runs: ReadonlySet<string>): Promise<IntentBody[]> {
  const creates: IntentBody[] = [];
  await request.history.history(({ entry }) => {
    if (entry.item.kind !== 'intent') return;
    const { intent } = entry.item;
    if (intent.operation === 'create' && runs.has(runOf(intent))) creates.push(intent);
  });
  return creates.filter(({ urn }) => !ownership.model.tombstones.has(urn));
}

/** Null: it is gone. */
async function undo(recovering: Recovering, intent: IntentBody): Promise<Diagnostic | null> {
  const reached = await reach(recovering, intent.provider_fact);
  if (reached.kind === 'unreachable') return reached.why;
  const { recovery } = reached.provider;
  if (recovery === undefined) return notProvable(intent.address);
  const { ports, context, request } = recovering;
  const undone = await undoCreate(ports, context, {
    address: intent.address,
    made: intent.provider_fact,
    nonce: intent.operation_id,
    target: { ...reached.target, forDelete: true },
    recovery,
    digest: intent.digest,
    timeoutMs: request.settings.timeoutMs,
  });
  return undone.kind === 'gone' ? null : undone.why;
}
