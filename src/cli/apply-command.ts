import type { PlanSource } from '../engine/plan-store.ts';
import { shellCommand } from '../views/shell.ts';
import type { WorkflowFlags } from './workflow-flags.ts';

/**
 * The command that applies a plan, up to ` --confirm <digest>`: a plan that is kept with its playbook is found by its
 * digest; else everything that made it has to be said again, but for values where a token is among them.
 */
export function applyCommandFor(flags: WorkflowFlags, source: PlanSource, saved: boolean): string {
  const complete = source.text !== null;
  const words = saved && complete ? [] : playbookWords(flags, source.path, complete);
  return shellCommand(['infra', 'apply', ...words, ...callerWords(flags)]);
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
    ...flag('--skip-invalid', flags.skipInvalid),
    ...value('--guard-org', flags.guardOrg),
    ...flags.allowEndpoints.flatMap((origin) => ['--allow-endpoint', origin]),
  ];
}

function value(name: string, given: string | null): readonly string[] {
  return given === null ? [] : [name, given];
}

function flag(name: string, given: boolean): readonly string[] {
  return given ? [name] : [];
}
