/** `link`: reached through a symbolic link; `unreadable`: no state at all; `unwritable`: can't be kept there. */
export type StateFileTrouble = 'link' | 'unreadable' | 'unwritable';

/** Why a state file can't be used. */
export class StateFileError extends Error {
  readonly trouble: StateFileTrouble;
  readonly path: string;

  constructor(trouble: StateFileTrouble, path: string, message: string) {
    super(message);
    this.name = 'StateFileError';
    this.trouble = trouble;
    this.path = path;
  }

  static from(trouble: StateFileTrouble, path: string, error: unknown): StateFileError {
    if (error instanceof StateFileError) return error;
    const why = error instanceof Error ? error.message : String(error);
    const verb = trouble === 'unwritable' ? 'written' : 'read';
    return new StateFileError(trouble, path, `${path} can't be ${verb}: ${why}`);
  }
}
