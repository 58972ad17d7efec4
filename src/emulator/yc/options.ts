import type { RpcCode } from './cli/failures.ts';
import type { JsonObject } from './cli/json.ts';

export interface FakeYcFolderSeed {
  readonly id: string;
  readonly name?: string;
  readonly cloudId?: string;
  /** ACTIVE when absent. */
  readonly status?: 'ACTIVE' | 'DELETING' | 'PENDING_DELETION';
  /** The caller may do nothing with it, nor with what is in it. */
  readonly forbidden?: boolean;
}

export interface FakeYcImageSeed {
  readonly id: string;
  readonly name?: string;
  readonly family?: string;
  /** `standard-images` when absent. */
  readonly folderId?: string;
  /** 3 when absent. */
  readonly minDiskGib?: number;
}

/** What is there before the first command. */
export interface FakeYcSeed {
  readonly folders?: readonly FakeYcFolderSeed[];
  readonly images?: readonly FakeYcImageSeed[];
  /** Profiles that exist; any name is one when absent. */
  readonly profiles?: readonly string[];
  readonly knobs?: FakeYcKnobs;
}

/** Behaviours that differ between versions or could not be verified, and limits worth lowering in a test. */
export interface FakeYcKnobs {
  /** How failures are worded; `1.x` when absent. */
  readonly dialect?: '0.x' | '1.x';
  /** Whether a server's refusal, too, starts with `execute command: run command: `. */
  readonly prefixRpcErrors?: boolean;
  /** `1.40.0` or `0.131.1` when absent. */
  readonly version?: string;
  /** Each command talks of a newer version on stderr. */
  readonly updateNotice?: boolean;
  /** `create NAME` is accepted. */
  readonly positionalCreateName?: boolean;
  /** The folder of every profile, for calls without `--folder-id`. */
  readonly defaultFolderId?: string;
  /** Limits per cloud by the quota's name, such as `vpc.networks.count`; none when absent. */
  readonly quotas?: Readonly<Record<string, number>>;
  /** Reads of a new or changed resource that still show it being made or changed. */
  readonly statusLagReads?: number;
  /** Reads of a deleted resource that still show it. */
  readonly deleteLagReads?: number;
  /** Reads of a new network that do not show its default security group yet. */
  readonly defaultGroupLagReads?: number;
  /** Polls that an `--async` operation needs; 1 when absent. */
  readonly operationPolls?: number;
  /** The first look at an `--async` operation does not find it. */
  readonly freshOperationMissing?: boolean;
  /** What a delete prints on stdout; nothing when absent. */
  readonly deleteOutput?: '' | '{}' | 'null';
  /** What an empty list prints as JSON; `[]` when absent. */
  readonly emptyList?: '[]' | 'null' | '';
  /** Rules come last one first. */
  readonly reverseRules?: boolean;
  /** Every well-formed image id is an image. */
  readonly anyImage?: boolean;
}

/** `before`: nothing has been done. `after`: the cloud has done it, and only the answer is touched. */
export type FakeYcFaultTime = 'before' | 'after';

/** Failures by name, each with the text that is recorded for it. */
export type FakeYcFailureName =
  | 'address_in_use'
  | 'deadline'
  | 'missing_rule_port'
  | 'oauth_end_of_life'
  | 'operation_failed'
  | 'permission_denied'
  | 'quota'
  | 'throttled'
  | 'token_invalid'
  | 'unauthenticated'
  | 'unavailable'
  | 'unknown_error'
  | 'unknown_flag';

export type FakeYcFaultAction =
  /** Never answers. It ends by itself after ten minutes, or when the process that started it is gone. */
  | {
      readonly kind: 'hang';
      readonly when?: FakeYcFaultTime;
      readonly ignoreSigterm?: boolean;
      /** A child of its own that ignores SIGTERM and holds stdout and stderr open. */
      readonly grandchild?: boolean;
      /** Printed before it hangs. */
      readonly stdout?: string;
    }
  | { readonly kind: 'delay'; readonly when?: FakeYcFaultTime; readonly ms: number }
  /** Exits so, instead of the answer: garbage or nothing with exit 0, an unknown text with exit 1, a lost answer (`after`). */
  | {
      readonly kind: 'exit';
      readonly when?: FakeYcFaultTime;
      /** 1 when absent. */
      readonly code?: number;
      readonly stdout?: string;
      readonly stderr?: string;
    }
  /** Kills itself; SIGKILL when absent. */
  | { readonly kind: 'die'; readonly when?: FakeYcFaultTime; readonly signal?: 'SIGKILL' | 'SIGTERM' | 'SIGSEGV' }
  /** A recorded failure, or any of the server's. */
  | {
      readonly kind: 'fail';
      readonly when?: FakeYcFaultTime;
      readonly failure: FakeYcFailureName | { readonly code: RpcCode; readonly message: string };
    }
  /** Done and answered with exit 0, but the answer is not one JSON document. */
  | { readonly kind: 'reshape'; readonly as: 'two_documents' | 'bom' | 'truncated' | 'empty' | 'garbage' | 'crlf' }
  /** Merged into the answer, or into each row of a list; null removes a member. */
  | { readonly kind: 'patch'; readonly set: JsonObject }
  /** So many bytes instead of the answer, with exit 0. */
  | { readonly kind: 'flood'; readonly bytes: number; readonly stream?: 'stdout' | 'stderr' }
  /** Printed beside whatever else is printed, before it. */
  | { readonly kind: 'echo'; readonly text: string; readonly stream: 'stdout' | 'stderr' }
  /** What the command makes can't be seen by so many gets and lists (each counts). */
  | { readonly kind: 'hide'; readonly reads: number };

export interface FakeYcFault {
  /** The command's first words, such as `vpc network create`, `vpc` or `version`; any command when absent. */
  readonly match?: string;
  /** Source of a regular expression, searched in the arguments joined by blanks. */
  readonly argv?: string;
  /** From which matching command on (1 = the first). */
  readonly nth?: number;
  /** For how many matching commands: 1 when `nth` is given, else all. */
  readonly times?: number;
  readonly action: FakeYcFaultAction;
}

/** A line of the command log; the second one of a command is missing when it was killed. */
export type FakeYcLogLine =
  | {
      readonly event: 'start';
      readonly pid: number;
      readonly time: string;
      readonly argv: readonly string[];
      readonly cwd: string;
      /** Names only. */
      readonly env: readonly string[];
      readonly stdin: 'null' | 'file' | 'pipe' | 'terminal' | 'closed' | 'other';
      /** Files named by `--metadata-from-file`, with their permission bits in octal. */
      readonly files: readonly { readonly path: string; readonly mode: string }[];
    }
  | { readonly event: 'end'; readonly pid: number; readonly time: string; readonly exitCode: number };
