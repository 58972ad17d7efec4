import type { Diagnostic } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import type { OwnershipModel } from '../core/fold.ts';
import type { Marks } from './marked-fold.ts';

/** Who writes: `--actor`, else the user; and the host. */
export interface Actor {
  readonly user: string;
  readonly host: string;
}

export type OperationKind = 'create' | 'update' | 'move' | 'undelete' | 'delete';

/** What was about to be sent. */
export interface IntentBody {
  readonly type: 'provider.intent';
  readonly address: string;
  readonly urn: string;
  readonly stack: string;
  readonly operation: OperationKind;
  /** The nonce: 32 hex digits. */
  readonly operation_id: string;
  readonly digest: string | null;
  /** What a settlement needs to read and to record: provider, service, type, desired, credential. */
  readonly provider_fact: ProviderFact;
}

/** Closes an intent; `uncertain` and `pending` leave it open. */
export interface OutcomeBody {
  readonly type: 'provider.outcome';
  readonly intent_sequence: number;
  readonly status: 'done' | 'failed' | 'uncertain' | 'pending' | 'abandoned';
  readonly code: string | null;
  readonly operation_name: string | null;
}

export interface FactBody {
  readonly type: 'provider.fact';
  readonly provider_fact: ProviderFact;
}

export interface NoteBody {
  readonly type: 'log.note';
  readonly note: string;
  readonly detail: Readonly<Record<string, string | number>>;
}

export type RowBody = IntentBody | OutcomeBody | FactBody | NoteBody;

/** What every row of a run carries beside its payload. */
export interface RowContext {
  readonly execution_id: number;
  readonly actor: Actor;
  /** Version of infra. */
  readonly infra: string;
  /** `cloud`, `emulator` or an endpoint's origin. */
  readonly target: string;
}

/** A row as it stands in the log. */
export interface LogRow {
  readonly global_sequence: number;
  readonly recorded_at: string;
  readonly prev: string;
  readonly hash: string;
}

/** An intent whose outcome is not known yet. */
export interface OpenIntent {
  readonly sequence: number;
  readonly intent: IntentBody;
  readonly target: string;
  /** What of its end the log has: that it is done without the fact, or the fact alone; null: neither. */
  readonly recorded: 'outcome' | 'fact' | null;
  /** Named by a pending outcome: the next run takes it up. Null where none was. */
  readonly operationName: string | null;
  /** Named by an uncertain outcome: it can be looked up, and is never taken up again. Null where none was. */
  readonly namedOperation: string | null;
}

/** What a reader of the whole log knows. */
export interface LogState {
  readonly model: OwnershipModel;
  readonly openIntents: readonly OpenIntent[];
  /** The targets that rows of the log name, whichever was asked for; sorted. */
  readonly targets: readonly string[];
  /**
   * Facts written under a digest, by digest: what proves that steps of a plan are done. None in a log that can only be
   * read: nothing is confirmed with it.
   */
  factsOf(digest: string): readonly ProviderFact[];
  /** `<sequence>:<hash>`; null while the log is empty. */
  readonly head: string | null;
  readonly diagnostics: readonly Diagnostic[];
  /** Since when each URN is owned, and what putting logs together needs. Absent: not known to this store. */
  readonly marks?: Marks;
}

export interface HeldLocks {
  release(): Promise<void>;
}

/** The append-only log. Reading never writes; appending is durable when it returns. */
export interface EventLog {
  /** As given by the caller, without secrets. */
  readonly url: string;
  readonly writable: boolean;
  /** Folds the log; `target` narrows it to rows of this target. Throws DiagnosticError (LOG_INVALID) on a broken line. */
  read(target: string): Promise<LogState>;
  /** Checks the chain; throws DiagnosticError (CHAIN_BROKEN) naming the first row that does not fit. */
  verify(): Promise<void>;
  /** Takes the locks of the stacks in sorted order; throws DiagnosticError (LOCK_HELD, LOCK_STALE) when one is held. */
  lock(stacks: readonly string[], timeoutMs: number): Promise<HeldLocks>;
  /** Appends rows in one go, fsynced; returns them with sequence and hash. Throws DiagnosticError (LOG_WRITE). */
  append(context: RowContext, rows: readonly RowBody[]): Promise<readonly LogRow[]>;
  head(): Promise<string | null>;
}
