/** The codes of gRPC as Go prints them, with their numbers. */
export const RPC_CODES = {
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  Unauthenticated: 16,
} as const;

export type RpcCode = keyof typeof RPC_CODES;

/** The server refuses. */
export class RpcFailure extends Error {
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The flag parser refuses; nothing has been sent. */
export class FlagFailure extends Error {}

/** The program refuses after its flags were parsed, or a name can't be resolved; no change has been asked for. */
export class ClientFailure extends Error {
  /** The names of the trace ids that old versions print with it; a failed look-up has one, a bad property none. */
  readonly traced: boolean;

  constructor(message: string, traced = false) {
    super(message);
    this.traced = traced;
  }
}

/** A word that is no command. */
export class CommandFailure extends Error {}

/** This fake lacks what was asked for, or can't work: said so, and told apart from all that `yc` says by exit 70. */
export class FakeFailure extends Error {}

export const notFound = (message: string) => new RpcFailure('NotFound', message);
export const invalid = (message: string) => new RpcFailure('InvalidArgument', message);
export const precondition = (message: string) => new RpcFailure('FailedPrecondition', message);

/** The API's answer to a malformed field; its wording is not recorded anywhere we know of. */
export const invalidField = (field: string, message: string) =>
  invalid(`Request validation error: ${field}: ${message}`);
