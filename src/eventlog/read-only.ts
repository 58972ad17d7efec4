import { failure } from './problems.ts';

/** Refuses to write: `what` is how the log is named to the user. */
export function refuseWriting(what: string): Promise<never> {
  return Promise.reject(
    failure(
      'LOG_READ_ONLY',
      `${what} can only be read: nothing was locked, written or sent.`,
      'name a file with --eventlog',
    ),
  );
}
