import { type Command, Option } from 'commander';
import type { Reconcile } from '../core/step.ts';
import type { Options } from './command.ts';
import { collect, duration, stackName, wholeNumber } from './flags.ts';
import { isSet, list, number, text } from './options.ts';

const RECONCILE: readonly Reconcile[] = ['report', 'enforce', 'adopt'];

/** What the caller says about a run of a playbook; null and empty where nothing was said. */
export interface WorkflowFlags {
  readonly sets: readonly string[];
  /** Path of the file that is merged into `workload`. */
  readonly workload: string | null;
  readonly stack: string | null;
  readonly eventlog: string | null;
  readonly readEventlogs: readonly string[];
  readonly reconcile: Reconcile | null;
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  readonly offline: boolean;
  readonly emulator: boolean;
  /** Path of infra.yaml. */
  readonly config: string | null;
  readonly parallelism: number | null;
  readonly timeoutMs: number | null;
  readonly failFast: boolean;
  readonly lockTimeoutMs: number;
  readonly actor: string | null;
  readonly allowEndpoints: readonly string[];
  readonly allowSelfLockout: boolean;
  readonly takeOver: string | null;
  readonly guardOrg: string | null;
  readonly includeFound: boolean;
  readonly skipInvalid: boolean;
  readonly rollback: boolean;
  /** Name of one of the caller's credentials. */
  readonly credential: string | null;
  /** Where the cloud's APIs are. */
  readonly endpoint: string | null;
  /** Path of the executable `yc`. */
  readonly yc: string | null;
  /** Folders in which files that a playbook names may lie, beside its own. */
  readonly allowPaths: readonly string[];
}

/** Flags of verbs that read a playbook; they mean the same with each of them. */
export function addWorkflowFlags(command: Command): Command {
  addPlaybookFlags(command);
  addRunFlags(command);
  return addCallerFlags(command);
}

/** What the playbook is rendered with. */
export function addWorkloadFlags(command: Command): Command {
  return command
    .option('--set <path=value>', 'a value in workload, such as projects[0].id=p1 (repeatable)', collect)
    .option('--workload <file>', 'a YAML file that is merged into workload');
}

/** Where facts are. */
export function addLogFlags(command: Command): Command {
  return command
    .option('--eventlog <url>', 'where facts are kept (env INFRA_EVENTLOG; default .infra/eventlog.jsonl)')
    .option('--read-eventlog <url>', 'a further log to be folded beside it (repeatable)', collect)
    .option('--skip-invalid', 'count broken lines of the event log instead of refusing it');
}

/** For verbs that only read a cloud: whose authority is used, and where it is. */
export function addReadingFlags(command: Command): Command {
  return addTimeoutFlag(addYcFlag(addEndpointFlag(command)))
    .option(
      '--credential <name>',
      "one of the caller's own credentials (default: that of the stack, or the playbook's)",
    )
    .option('--endpoint <url>', 'where the APIs of the cloud are; allowed by being given here')
    .option('--emulator', 'against the embedded emulator, with a log of its own')
    .option('--parallelism <n>', 'requests at once (default 10)', wholeNumber(1, 1000));
}

/** The same for verbs that take playbooks. */
export function addPlaybookReadingFlags(command: Command): Command {
  return addGuardFlags(addReadingFlags(command)).option(
    '--offline',
    'no network and no credential: from the log alone',
  );
}

export function addConfigFlag(command: Command): Command {
  return command.option('--config <file>', 'infra.yaml to use instead of the one beside or above');
}

function addPlaybookFlags(command: Command): void {
  addLogFlags(addWorkloadFlags(command))
    .option('--stack <stack>', 'the stack of steps that name none', stackName)
    .addOption(
      new Option('--reconcile <mode>', 'for steps that name none; report holds every ensure step').choices(RECONCILE),
    )
    .option('--target <address>', 'only this address, step or URN and what it depends on (repeatable)', collect)
    .option('--step <address>', 'the same as --target', collect)
    .option('--exclude <address>', 'not this address, step or URN (repeatable)', collect)
    .option('--config <file>', 'infra.yaml to use instead of the one beside or above the playbook');
}

function addRunFlags(command: Command): void {
  addTimeoutFlag(command)
    .option('--offline', 'no network and no credential')
    .option('--emulator', 'against the embedded emulator, with a log and plans of its own')
    .option('--parallelism <n>', 'requests at once (default 10)', wholeNumber(1, 1000))
    .option('--fail-fast', 'start nothing new after a failure')
    .option('--lock-timeout <duration>', "wait for another run's lock (default 0s)", duration)
    .option('--detailed-exitcode', 'exit 2 where there is something to do')
    .option('--show-reads', 'list read steps, too')
    .option('--actor <name>', 'who is recorded as the one who did it')
    .option('--no-rollback', 'keep what a failed stack made in this run');
}

function addEndpointFlag(command: Command): Command {
  return command.option(
    '--allow-endpoint <origin>',
    "let the playbook's endpoint at this origin take effect (repeatable; env INFRA_ALLOW_ENDPOINT)",
    collect,
  );
}

export function addTimeoutFlag(command: Command): Command {
  return command.option('--timeout <duration>', 'give the whole run up after, such as 30s, 5m or 1h', duration);
}

export function addYcFlag(command: Command): Command {
  return command.option('--yc <path>', 'the executable yc (env INFRA_YC; default: the first one in PATH)');
}

function addCallerFlags(command: Command): Command {
  return addGuardFlags(addYcFlag(addEndpointFlag(command)))
    .option('--allow-self-lockout', "allow removing the caller's own last grant on a policy")
    .option('--take-over <stack>', 'take resources over that this stack owns')
    .option('--include-found', 'also delete what was merely found as desired');
}

function addGuardFlags(command: Command): Command {
  return command
    .option(
      '--allow-path <dir>',
      'a folder in which files that the playbook names may lie, beside its own (repeatable)',
      collect,
    )
    .option('--guard-org <org>', 'refuse any other organisation, whatever the playbook says');
}

export function readWorkflowFlags(options: Options): WorkflowFlags {
  return {
    sets: list(options, 'set'),
    workload: text(options, 'workload') ?? null,
    stack: text(options, 'stack') ?? null,
    eventlog: text(options, 'eventlog') ?? null,
    readEventlogs: list(options, 'readEventlog'),
    reconcile: RECONCILE.find((mode) => mode === options['reconcile']) ?? null,
    targets: [...list(options, 'target'), ...list(options, 'step')],
    excludes: list(options, 'exclude'),
    offline: isSet(options, 'offline'),
    emulator: isSet(options, 'emulator'),
    config: text(options, 'config') ?? null,
    parallelism: number(options, 'parallelism') ?? null,
    timeoutMs: number(options, 'timeout') ?? null,
    failFast: isSet(options, 'failFast'),
    lockTimeoutMs: number(options, 'lockTimeout') ?? 0,
    actor: text(options, 'actor') ?? null,
    allowEndpoints: list(options, 'allowEndpoint'),
    allowSelfLockout: isSet(options, 'allowSelfLockout'),
    takeOver: text(options, 'takeOver') ?? null,
    guardOrg: text(options, 'guardOrg') ?? null,
    includeFound: isSet(options, 'includeFound'),
    skipInvalid: isSet(options, 'skipInvalid'),
    rollback: options['rollback'] !== false,
    credential: text(options, 'credential') ?? null,
    endpoint: text(options, 'endpoint') ?? null,
    yc: text(options, 'yc') ?? null,
    allowPaths: list(options, 'allowPath'),
  };
}
