/** How a command came to its end. */
export type CommandEnd =
  /** By itself. */
  | 'exited'
  /** It never ran: nothing can have been sent. */
  | 'not_started'
  /** The run was interrupted before: it was not even tried. */
  | 'prevented'
  /** Its time was up, and it was killed with everything it had started. */
  | 'timeout'
  /** It printed more than is read, and was killed. */
  | 'overflow'
  /** The run was interrupted, and it was killed. */
  | 'aborted'
  /** Something else ended it with a signal. */
  | 'signal';

export interface CommandParts {
  readonly end: CommandEnd;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
}

const HIDDEN = '[CommandResult: output hidden]';

/** What a command gave. Its output may hold anything, so it never shows when the result is printed or made JSON of. */
export class CommandResult {
  readonly #parts: CommandParts;

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  get end(): CommandEnd {
    return this.#parts.end;
  }

  /** Null unless it exited by itself. */
  get exitCode(): number | null {
    return this.#parts.exitCode;
  }

  get stdout(): string {
    return this.#parts.stdout;
  }

  get stderr(): string {
    return this.#parts.stderr;
  }

  get elapsedMs(): number {
    return this.#parts.elapsedMs;
  }

  get isSuccess(): boolean {
    return this.end === 'exited' && this.exitCode === 0;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): object {
    return { end: this.end, exitCode: this.exitCode, elapsedMs: this.elapsedMs };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}

/** Runs one command to its end; never rejects, whatever the command does. */
export interface CommandRunner {
  run(command: readonly string[], timeoutSeconds: number): Promise<CommandResult>;
}

/** A program that is run with one command after the other. */
export interface Program {
  /** Absolute, resolved once. */
  readonly executable: string;
  /** All that it gets: nothing of the caller's own is added. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends what is running: the caller asked a second time. */
  readonly signal?: AbortSignal;
}
