import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import type { IntentBody, OutcomeBody, RowBody, RowContext } from '../eventlog/event-log.ts';
import type { Recovery, Target, WriteResult } from '../providers/lifecycle-provider.ts';
import { tryAppend } from './append-rows.ts';
import type { EnginePorts } from './ports.ts';
import { operationOf } from './write-batch.ts';

/** A create to be undone: what made it, and what it made. */
export interface Undoing {
  readonly address: string;
  /** The fact of the create. */
  readonly made: ProviderFact;
  /** What the cloud calls it. */
  readonly id: string;
  /** The nonce of the create. */
  readonly nonce: string;
  readonly target: Target;
  readonly recovery: Recovery;
  readonly digest: string | null;
  readonly timeoutMs: number | null;
}

export type Undone =
  /** Deleted, and read to be gone. */
  | { readonly kind: 'deleted'; readonly fact: ProviderFact }
  /** A read of its id said, before anything was sent, that it is gone. */
  | { readonly kind: 'absent'; readonly fact: ProviderFact }
  | { readonly kind: 'kept'; readonly why: Diagnostic }
  /** A deletion was sent, and stays open under this nonce: what became of it is not known, or not recorded. */
  | { readonly kind: 'uncertain'; readonly why: Diagnostic; readonly nonce: string };

/** Deletes what a nonce proves, with an intent before and the outcome after, as every write. */
export async function undoCreate(ports: EnginePorts, context: RowContext, undoing: Undoing): Promise<Undone> {
  const fact = removalFact(undoing, context.execution_id);
  const nonce = ports.randomHex(16);
  const intent: IntentBody = {
    type: 'provider.intent',
    address: undoing.address,
    urn: fact.urn,
    stack: fact.stack,
    operation: 'delete',
    operation_id: nonce,
    digest: undoing.digest,
    provider_fact: { ...fact, outcome: 'planned' },
  };
  const [row] = await ports.log.append(context, [intent]);
  ports.emit({ type: 'step_progress', address: undoing.address, message: 'undoing what the run made' });
  const made = { id: undoing.id, nonce: undoing.nonce };
  const result = await undoing.recovery.rollBack(undoing.target, made, undoing.timeoutMs);
  const undone = undoneBy(result, fact, nonce);
  const outcome = outcomeRow(row?.global_sequence ?? 0, result);
  const rows: RowBody[] =
    'fact' in undone ? [outcome, { type: 'provider.fact', provider_fact: undone.fact }] : [outcome];
  const problem = await tryAppend(ports, context, rows);
  if (problem !== null) return { kind: 'uncertain', why: problem, nonce };
  if ('fact' in undone) ports.emit({ type: 'fact', provider_fact: undone.fact });
  return undone;
}

function removalFact({ made, id, digest }: Undoing, executionId: number): ProviderFact {
  const { protect: _protect, origin: _origin, digest: _digest, renamed_from: _from, ...rest } = made;
  const deleted = {
    ...rest,
    verb: 'delete',
    outcome: 'deleted',
    execution_id: executionId,
    resource_id: id,
  } as const;
  return digest === null ? deleted : { ...deleted, digest };
}

function undoneBy(result: WriteResult, fact: ProviderFact, nonce: string): Undone {
  switch (result.kind) {
    case 'done':
      return { kind: 'deleted', fact };
    case 'noop':
      return { kind: 'absent', fact: { ...fact, outcome: 'absent' } };
    case 'failed':
    case 'stale':
      return { kind: 'kept', why: result.why };
    case 'uncertain':
    case 'pending':
      return { kind: 'uncertain', why: result.why, nonce };
  }
}

function outcomeRow(sequence: number, result: WriteResult): OutcomeBody {
  const base = { type: 'provider.outcome', intent_sequence: sequence, operation_name: operationOf(result) } as const;
  if (result.kind === 'done' || result.kind === 'noop') return { ...base, status: 'done', code: null };
  const open = result.kind === 'uncertain' || result.kind === 'pending';
  return { ...base, status: open ? 'uncertain' : 'failed', code: result.why.code };
}

/** What can't be undone, because its kind leaves no nonce behind. */
export function notProvable(address: string): Diagnostic {
  return diagnostic('UNSUPPORTED', `${address}: nothing in the cloud proves which run made it, so it is not undone.`);
}
