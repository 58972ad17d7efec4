import type { PlanSource } from '../engine/stored-plan.ts';
import { shellCommand } from '../views/shell.ts';
import { isFoundFrom } from './unlock-hint.ts';
import type { WorkflowFlags } from './workflow-flags.ts';

/**
 * The command that applies a plan, up to ` --confirm <digest>`. A plan that is kept with its playbook is found by its
 * digest, from where its `.infra` is found; else everything that made it has to be said again, but for values where a
 * token is among them.
 */
export function applyCommandFor(
  verb: 'apply' | 'adopt' | 'destroy',
  { flags, project, host }: ApplyContext,
  saved: boolean,
): string {
  const complete = project.source.text !== null;
  // Only apply goes without a playbook.
  const found = verb === 'apply' && saved && complete && isFoundFrom(project.config.file, host.cwd);
  const words = found ? [] : playbookWords(flags, project.source.path, complete);
  return shellCommand(['infra', verb, ...words, ...callerWords(flags)]);
}

/** What of a workflow the command depends on. */
export interface ApplyContext {
  readonly flags: WorkflowFlags;
  readonly host: { readonly cwd: string };
  readonly project: { readonly source: PlanSource; readonly config: { readonly file: string | null } };
}

function playbookWords(flags: WorkflowFlags, path: string, complete: boolean): readonly string[] {
  return [
    path.startsWith('-') ? `./${path}` : path,
    ...flags.sets.flatMap((set) => ['--set', complete ? set : `${set.split('=', 1)[0] ?? ''}=...`]),
    ...value('--workload', flags.workload),
    ...value('--stack', flags.stack),
    ...value('--reconcile', flags.reconcile),
    ...flags.targets.flatMap((target) => ['--target', target]),
    ...flags.excludes.flatMap((target) => ['--exclude', target]),
    ...flag('--allow-self-lockout', flags.allowSelfLockout),
    ...value('--take-over', flags.takeOver),
    ...flag('--include-found', flags.includeFound),
  ];
}

/** What no plan keeps, because only the caller may say it. */
function callerWords(flags: WorkflowFlags): readonly string[] {
  return [
    ...flag('--emulator', flags.emulator),
    ...value('--config', flags.config),
    ...value('--eventlog', flags.eventlog),
    ...flags.readEventlogs.flatMap((url) => ['--read-eventlog', url]),
    ...flag('--skip-invalid', flags.skipInvalid),
    ...value('--guard-org', flags.guardOrg),
    ...flags.allowEndpoints.flatMap((origin) => ['--allow-endpoint', origin]),
    ...value('--yc', flags.yc),
    ...flags.allowPaths.flatMap((path) => ['--allow-path', path]),
  ];
}

function value(name: string, given: string | null): readonly string[] {
  return given === null ? [] : [name, given];
}

function flag(name: string, given: boolean): readonly string[] {
  return given ? [name] : [];
}
