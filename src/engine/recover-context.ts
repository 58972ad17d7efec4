import type { RowContext } from '../eventlog/event-log.ts';
import type { HasHistory } from '../eventlog/history.ts';
import type { Ownership } from './ownership.ts';
import type { EnginePorts, RunSettings } from './ports.ts';
import type { OwnAuthority } from './readers.ts';

export interface RecoverRequest {
  readonly target: string;
  /** Null: every stack. */
  readonly stack: string | null;
  /** URNs whose open intents are closed by hand. */
  readonly abandon: readonly string[];
  /** Undo what the interrupted runs made, as far as nonces prove it. */
  readonly rollback: boolean;
  readonly settings: RunSettings;
  /** Whose authority a stack's resources are read (and undone) with. */
  authOf(stack: string, provider: string): OwnAuthority;
  /** The rows of the log, for what the interrupted runs had finished. */
  readonly history: HasHistory;
}

/** What all of one recovery shares. */
export interface Recovering {
  readonly ports: EnginePorts;
  readonly request: RecoverRequest;
  readonly context: RowContext;
  readonly ownership: Ownership;
}
