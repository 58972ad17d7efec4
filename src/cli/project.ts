import { resolve } from 'node:path';
import { diagnostic } from '../core/codes.ts';
import { byPlace, type Diagnostic, DiagnosticError, hasErrors } from '../core/diagnostics.ts';
import { type GuardSpec, NO_GUARD, type Playbook } from '../core/step.ts';
import { loadPlan, savePlan, storableSource } from '../engine/plan-store.ts';
import type { PlanResult, VerbOptions } from '../engine/ports.ts';
import { partialErrors } from '../engine/prepare.ts';
import type { PlanSource, StoredPlan } from '../engine/stored-plan.ts';
import { readPlaybookFile } from '../playbook/files.ts';
import { type TokenOf, writtenTokens } from '../playbook/inline-tokens.ts';
import { loadPlaybook } from '../playbook/load.ts';
import { shellCommand } from '../views/shell.ts';
import { CATALOGUES, loadAllCatalogues } from './catalogues.ts';
import type { Options } from './command.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import type { Host } from './host.ts';
import { infraFolder } from './infra-folder.ts';
import { credentialNames } from './known-credentials.ts';
import { knownTokens } from './known-tokens.ts';
import { text } from './options.ts';
import { keptNotice, placeOf } from './place.ts';
import { explainingPlan, planToApply, unlikeItsDigest } from './stored-plan.ts';
import type { WorkflowFlags } from './workflow-flags.ts';
import type { Project, VerbName, WorkflowCall } from './workflow-types.ts';

/** Whether the playbook may be a stranger's (`--untrusted`). */
export type Trust = 'trusted' | 'untrusted';

/** Reads a playbook from its file. Throws DiagnosticError with all that is wrong. */
export async function openPlaybook(call: WorkflowCall, path: string, trust: Trust): Promise<Project> {
  const { host, flags } = call;
  const fullPath = resolve(host.cwd, path);
  const content = await readText(host, path);
  const workload = flags.workload === null ? null : await readText(host, flags.workload);
  const read = await readConfiguration({ host, file: flags.config, playbook: path });
  // A stranger's playbook sees nothing of the environment, and reads nothing with the caller's credentials.
  const config = trust === 'trusted' ? read : { ...read, env: {}, credentials: {} };
  const source: PlanSource = { path, fullPath, text: content, sets: flags.sets, workload };
  const options = optionsOf(flags, config, trust);
  return assemble(call, config, source, options);
}

/** Reads the playbook of a stored plan, with the options that it was planned with. */
export async function openStoredPlan(call: WorkflowCall, digest: string): Promise<Project> {
  const { host, flags } = call;
  refusePlaybookFlags(flags);
  const config = await readConfiguration({ host, file: flags.config, playbook: null });
  const folder = infraFolder(host.cwd, config.file, flags.emulator);
  await folder.check();
  const stored = await planToApply(folder.plans, digest);
  if (stored === null) throw await notStored(host, config, flags.emulator, digest);
  if (stored.verb === 'adopt' || stored.verb === 'destroy') throw otherVerb(stored, digest);
  if (stored.source.text === null) {
    const detail = 'The playbook of this plan holds a token, so it is not kept: give the playbook again.';
    throw new DiagnosticError([
      diagnostic('CONFIRM_REQUIRED', detail, { hint: `infra apply ${stored.source.path} --confirm ${digest}` }),
    ]);
  }
  const guard = mergeGuards(stored.options.guard, callerGuard(flags, config));
  return assemble(call, config, stored.source, { ...stored.options, guard }, digest);
}

async function assemble(
  call: WorkflowCall,
  config: Configuration,
  source: PlanSource,
  options: VerbOptions,
  storedDigest: string | null = null,
): Promise<Project> {
  const { host, flags, command } = call;
  const confirms = isConfirmed(call.invocation.options);
  const mustWrite = command === 'apply' || (WRITES_WHEN_CONFIRMED.has(command) && confirms);
  const place = placeOf(host, { ...flags, emulator: options.emulator }, config, mustWrite);
  const tokenOf = await knownTokens(call, config.credentials);
  const { playbook, diagnostics } = await load(call, config, source, options, tokenOf).catch((error: unknown) => {
    throw storedDigest === null ? error : unlikeItsDigest(error, storedDigest);
  });
  const named =
    NAMES_CREDENTIALS.has(command) && !options.emulator
      ? credentialNames(playbook, Object.keys(config.credentials))
      : [];
  if (hasErrors(named)) throw new DiagnosticError(named);
  const mayWrite = mustWrite || (command === 'exec' && playbook.steps.some((step) => step.dryRun === false));
  const kept = mayWrite ? keptNotice(host, place, options.emulator) : [];
  const unasked = NAMES_CREDENTIALS.has(command) ? unaskedEmulator(flags, options) : [];
  const notices = [...config.notices, ...diagnostics, ...(options.offline ? [] : named), ...unasked, ...kept];
  return {
    ...place,
    playbook,
    source: storableSource(source, playbook, writtenTokens(playbook.steps, tokenOf)),
    options,
    mayWrite,
    notices,
  };
}

/** Offline wins over the emulator, which would pass for a look at it. */
function unaskedEmulator(flags: WorkflowFlags, { emulator, offline }: VerbOptions): readonly Diagnostic[] {
  if (!emulator || !offline) return [];
  const detail = `${flags.offline ? '--offline' : '--untrusted'}: nothing is read, not even from the emulator. --emulator only chooses its log and plans.`;
  return [diagnostic('EMULATOR_NOT_ASKED', detail)];
}

/** Verbs for which the playbook says whose authority is used. */
const NAMES_CREDENTIALS: ReadonlySet<VerbName> = new Set<VerbName>(['plan', 'apply', 'exec', 'adopt', 'destroy']);
const WRITES_WHEN_CONFIRMED: ReadonlySet<VerbName> = new Set<VerbName>(['adopt', 'destroy']);

function isConfirmed(options: Options): boolean {
  return text(options, 'confirm') !== undefined;
}

async function load(
  call: WorkflowCall,
  config: Configuration,
  source: PlanSource,
  options: VerbOptions,
  tokenOf: TokenOf,
): Promise<{ playbook: Playbook; diagnostics: readonly Diagnostic[] }> {
  const texts = [source.text, source.workload, ...source.sets];
  const early = texts.some((text) => text?.includes('yandex') === true) ? await loadAllCatalogues() : CATALOGUES;
  const first = await loadWith(early, call, config, source, options.guard, tokenOf);
  // A template may have made the provider's name.
  const isLate = first.diagnostics.some(({ code }) => code === 'PROVIDER_NOT_IMPLEMENTED');
  const catalogues = isLate ? await loadAllCatalogues() : early;
  const { playbook, partial, diagnostics } = isLate
    ? await loadWith(catalogues, call, config, source, options.guard, tokenOf)
    : first;
  if (playbook !== null && !hasErrors(diagnostics)) return { playbook, diagnostics };
  const verb = call.command === 'exec' ? 'exec' : 'plan';
  const more = partial === null ? [] : partialErrors(catalogues, partial, options, verb);
  throw new DiagnosticError(byPlace([...diagnostics, ...more]));
}

function loadWith(
  catalogues: typeof CATALOGUES,
  call: WorkflowCall,
  config: Configuration,
  source: PlanSource,
  guard: GuardSpec | null,
  tokenOf: TokenOf,
): ReturnType<typeof loadPlaybook> {
  const exec = call.command === 'exec';
  return loadPlaybook({
    path: source.path,
    text: source.text ?? '',
    catalogues,
    sets: source.sets,
    workloadFile:
      source.workload === null ? null : { path: call.flags.workload ?? 'the workload file', text: source.workload },
    action: exec ? null : 'apply',
    env: config.env,
    project: config.project,
    callerGuard: guard,
    executionId: exec ? call.host.now() : null,
    conditionalRoutes: exec ? 'note' : 'error',
    tokenOf,
  });
}

async function readText({ cwd }: Host, path: string): Promise<string> {
  const full = resolve(cwd, path);
  const result = await readPlaybookFile(full);
  if (result.kind === 'text') return result.text;
  // The path as it was given: messages don't depend on where the project lies.
  throw new DiagnosticError([{ ...result.why, detail: result.why.detail.replace(full, path) }]);
}

function optionsOf(flags: WorkflowFlags, config: Configuration, trust: Trust): VerbOptions {
  return {
    stack: flags.stack ?? config.stack,
    reconcile: flags.reconcile,
    targets: flags.targets,
    excludes: flags.excludes,
    offline: flags.offline || trust === 'untrusted',
    emulator: flags.emulator,
    guard: callerGuard(flags, config),
    allowSelfLockout: flags.allowSelfLockout,
    takeOver: flags.takeOver,
    includeFound: flags.includeFound,
    rollback: flags.rollback,
  };
}

function callerGuard(flags: WorkflowFlags, config: Configuration): GuardSpec | null {
  if (flags.guardOrg === null) return config.guard;
  const requireOrg = /^(?:organizations\/)?(\d{1,25})$/.exec(flags.guardOrg)?.[1];
  if (requireOrg === undefined)
    throw usage(
      `--guard-org ${flags.guardOrg}: an organisation is written 123456789012 or organizations/123456789012.`,
    );
  return mergeGuards(config.guard, { ...NO_GUARD, requireOrg });
}

/** Both guards; two that differ can't be held at once. */
function mergeGuards(a: GuardSpec | null, b: GuardSpec | null): GuardSpec | null {
  if (a === null || b === null) return a ?? b;
  if (a.requireOrg !== null && b.requireOrg !== null && a.requireOrg !== b.requireOrg) {
    throw new DiagnosticError([
      diagnostic(
        'GUARD_CONTRADICTION',
        `The caller pins both organizations/${a.requireOrg} and organizations/${b.requireOrg}.`,
      ),
    ]);
  }
  return {
    requireOrg: a.requireOrg ?? b.requireOrg,
    requireOrgDisplayName: a.requireOrgDisplayName ?? b.requireOrgDisplayName,
    requireBillingAccount: a.requireBillingAccount ?? b.requireBillingAccount,
    requireCloudId: a.requireCloudId ?? b.requireCloudId,
    requireFolder: a.requireFolder ?? b.requireFolder,
  };
}

/** The reviewed plan of a digest, where the store has it. */
export async function reviewedPlan({ folder }: Project, digest: string): Promise<StoredPlan | null> {
  await folder.check();
  return explainingPlan(folder.plans, digest);
}

/** Keeps a plan so that its digest alone can be confirmed. Throws DiagnosticError (OUTPUT_WRITE, UNSAFE_PATH). */
export async function keepPlan({ folder, options, source }: Project, result: PlanResult, now: number): Promise<void> {
  if (result.plan.digest === null) return;
  try {
    await folder.prepare();
    await savePlan(folder.plans, {
      ...result,
      verb: result.plan.command,
      options,
      source,
      savedAt: new Date(now).toISOString(),
    });
  } catch (error) {
    throw notKept(error, folder.plans);
  }
}

/** The folder's own words are about the log, which is not what could not be written here. */
function notKept(error: unknown, plans: string): unknown {
  const known = error instanceof DiagnosticError ? error.diagnostics : [];
  if (error instanceof DiagnosticError && known.every(({ code }) => code !== 'LOG_WRITE')) return error;
  if (!(error instanceof Error && (known.length > 0 || 'code' in error))) return error;
  const why = known[0]?.detail ?? `${error.message}.`;
  const hint = 'infra plan --no-save shows a plan without keeping it';
  return new DiagnosticError([diagnostic('OUTPUT_WRITE', `The plan can't be kept in ${plans}. ${why}`, { hint })]);
}

/** A digest is bound to its verb. */
function otherVerb({ verb, source }: StoredPlan, digest: string): DiagnosticError {
  const detail = `The digest ${digest} is that of infra ${verb}, and no other verb does what was reviewed there. Nothing was sent.`;
  const hint = shellCommand(['infra', verb, source.path, '--confirm', digest]);
  return new DiagnosticError([diagnostic('DIGEST_STALE', detail, { hint })]);
}

/** What selects and shapes a plan is part of the stored one. */
function refusePlaybookFlags(flags: WorkflowFlags): void {
  const given = [
    flags.sets.length > 0 && '--set',
    flags.workload !== null && '--workload',
    flags.stack !== null && '--stack',
    flags.reconcile !== null && '--reconcile',
    flags.targets.length > 0 && '--target',
    flags.excludes.length > 0 && '--exclude',
  ].filter((name): name is string => name !== false);
  if (given.length > 0)
    throw usage(`${given.join(', ')}: without a playbook the stored plan is applied as it was planned.`);
}

async function notStored(
  host: Host,
  config: Configuration,
  emulator: boolean,
  digest: string,
): Promise<DiagnosticError> {
  const other = infraFolder(host.cwd, config.file, !emulator);
  const found = await loadPlan(other.plans, digest).catch(() => null);
  const hint =
    found === null
      ? 'give the playbook as well, or plan again'
      : emulator
        ? 'that plan is not of the emulator: leave --emulator out'
        : 'that plan is of the emulator: add --emulator';
  return new DiagnosticError([
    diagnostic(
      'DIGEST_STALE',
      `No plan with the digest ${digest} is kept in ${infraFolder(host.cwd, config.file, emulator).plans}. Nothing was sent.`,
      { hint },
    ),
  ]);
}

function usage(detail: string): DiagnosticError {
  return new DiagnosticError([diagnostic('USAGE', detail)]);
}
