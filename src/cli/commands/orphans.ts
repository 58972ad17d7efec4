import { dirname, join, relative } from 'node:path';
import { diagnostic } from '../../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../../core/diagnostics.ts';
import { UNSCOPED } from '../../core/facts.ts';
import type { OrphansReport } from '../../core/reports.ts';
import { findOrphans, type OrphansRequest } from '../../engine/orphans.ts';
import { DEFAULT_OPTIONS } from '../../engine/ports.ts';
import { renderOrphans } from '../../views/human/orphans.ts';
import { orphansDocument } from '../../views/json/orphans.ts';
import { orphansMarkdown } from '../../views/markdown/orphans.ts';
import { type Authority, authorityOf } from '../authority.ts';
import { loadAllCatalogues } from '../catalogues.ts';
import type { CommandModule } from '../command.ts';
import type { Readers } from '../composition.ts';
import { EXIT, type ExitCode, exitOfDiagnostics, strongest } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags, collect, REPORT_FORMATS, stackName } from '../flags.ts';
import { refuseExisting } from '../new-file.ts';
import { isSet, list, text } from '../options.ts';
import { locate } from '../place.ts';
import { expandGlobs } from '../playbook-globs.ts';
import { openPlaybook } from '../project.ts';
import { withLogs, withReaders } from '../reading.ts';
import { withOutput } from '../workflow.ts';
import { addConfigFlag, addLogFlags, addPlaybookReadingFlags, addWorkloadFlags } from '../workflow-flags.ts';
import type { Project, WorkflowCall } from '../workflow-types.ts';
import { type WrittenRemoval, writeRemoval } from '../write-removal.ts';

/** What a stack owns and none of the playbooks declares. */
export const orphansCommand: CommandModule = {
  configure(command) {
    command
      .argument('[playbook...]', 'the playbooks that declare what is wanted (default: those of infra.yaml)')
      .option('--stack <stack>', "the stack (default: infra.yaml's, or the only one of the playbooks)", stackName)
      .option('--grants', 'also list IAM grants on managed scopes that no fact covers')
      .option(
        '--leave-out <member>',
        "with --grants: members to leave out instead of Google's service agents; # is a number, * any text (repeatable)",
        collect,
      )
      .option('--plan-destroy <file>', 'write a playbook that would delete the orphans, to be reviewed')
      .option('--include-found', 'with --plan-destroy: also what was merely found as desired');
    command
      .option('--target <urn>', 'only this URN (repeatable)', collect)
      .option('--step <urn>', 'the same as --target', collect)
      .option('--exclude <urn>', 'not this URN (repeatable)', collect);
    addConfigFlag(addPlaybookReadingFlags(addLogFlags(addWorkloadFlags(command))));
    addOutFlag(addOutputFlags(command, REPORT_FORMATS));
    addExamples(command, [
      'infra orphans',
      'infra orphans org.yaml teams/*.yaml --stack prod --grants',
      'infra orphans --plan-destroy clean-up.yaml',
    ]);
  },

  run: (host, invocation) => withOutput(host, 'orphans', invocation, orphans),
};

async function orphans(call: WorkflowCall): Promise<ExitCode> {
  const catalogues = await loadAllCatalogues();
  const projects = await openProjects(call);
  const [first] = projects;
  if (first === undefined) throw usage('No playbook is given, and infra.yaml names none that is there.', NO_PLAYBOOKS);
  refuseSeveralLogs(projects, first);
  const authority = authorityOf(call.flags, first, projects);
  const stack = stackOf(call, projects);
  const file = text(call.invocation.options, 'planDestroy') ?? null;
  if (file !== null) await refuseExisting(call.host.cwd, file, '--plan-destroy');
  const { found, removal } = await withLogs(call, first, async ({ log }) => {
    const state = await log.read(authority.target);
    const { report, declared, excluded, model } = await withReaders(call, first, projects, (readers) =>
      findOrphans({
        log: { read: async () => state },
        catalogues,
        readers,
        authOf: authority.authOf,
        target: authority.target,
        stack,
        playbooks: projects.map(({ playbook }) => playbook),
        targets: call.flags.targets,
        excludes: call.flags.excludes,
        isStackGiven: call.flags.stack !== null,
        options: { ...DEFAULT_OPTIONS, emulator: call.flags.emulator, stack: first.options.stack },
        grants: isSet(call.invocation.options, 'grants') ? grantFinder(call, readers, authority, stack) : null,
      }),
    );
    return {
      found: report,
      removal: file === null ? null : await writeRemoval(call, { file, report, declared, excluded, model, authority }),
    };
  });
  const notices = projects.flatMap((project) => project.notices);
  return tell(call, { ...found, diagnostics: [...notices, ...found.diagnostics] }, removal);
}

/** Grants are read with what the stack's resources are read with. */
function grantFinder(
  { invocation }: WorkflowCall,
  readers: Readers,
  { authOf }: Authority,
  stack: string,
): OrphansRequest['grants'] {
  const patterns = list(invocation.options, 'leaveOut');
  return (mine, all) =>
    readers.findGrants({ ...authOf(stack), mine, all, leaveOut: patterns.length === 0 ? null : patterns });
}

async function tell(
  { output }: WorkflowCall,
  report: OrphansReport,
  removal: WrittenRemoval | null,
): Promise<ExitCode> {
  for (const orphan of report.orphans) output.stream({ type: 'orphan_result', orphan });
  const { orphans: found, conflicts, aliases, grants } = report;
  const summary = {
    orphans: found.length,
    conflicts: conflicts.length,
    aliases: aliases.length,
    grants: grants.length,
  };
  output.stream({ type: 'summary', summary });
  await output.result({
    diagnostics: report.diagnostics,
    human: (options) => renderOrphans(report, removal, options),
    document: () => orphansDocument(report),
    markdown: () => orphansMarkdown(report),
  });
  const pending = found.length > 0 || grants.length > 0;
  return strongest([exitOfDiagnostics(report.diagnostics), pending ? EXIT.pending : EXIT.done]);
}

const NO_PLAYBOOKS = 'infra orphans <playbook...>, or playbooks: [...] in infra.yaml';

/** One that does not load is an error: it would be taken for one that declares nothing. */
async function openProjects(call: WorkflowCall): Promise<readonly Project[]> {
  const given = call.invocation.operands;
  const { paths, config } = given.length > 0 ? { paths: given, config: null } : await configured(call);
  const projects: Project[] = [];
  const problems: Diagnostic[] = [];
  for (const path of paths) {
    try {
      projects.push(await openUnder(call, path, config));
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      problems.push(...error.diagnostics);
    }
  }
  if (problems.length > 0) throw new DiagnosticError(problems);
  return projects;
}

/** What infra.yaml says holds for the playbooks that it names, unless one lies nearer to them. */
async function openUnder(call: WorkflowCall, path: string, config: string | null): Promise<Project> {
  const project = await openPlaybook(call, path, 'trusted');
  if (config === null || project.config.file !== null) return project;
  return await openPlaybook({ ...call, flags: { ...call.flags, config } }, path, 'trusted');
}

/** The playbooks that infra.yaml names, as seen from here. */
async function configured({ host, flags }: WorkflowCall): Promise<{ paths: readonly string[]; config: string | null }> {
  const { config } = await locate(host, flags, false);
  if (config.file === null) return { paths: [], config: null };
  const folder = dirname(config.file);
  const found = await expandGlobs(folder, config.playbooks);
  return { paths: found.map((path) => relative(host.cwd, join(folder, path))), config: config.file };
}

/** What the playbooks declare is compared with what one log says. */
function refuseSeveralLogs(projects: readonly Project[], first: Project): void {
  const other = projects.find(({ eventlog }) => JSON.stringify(eventlog) !== JSON.stringify(first.eventlog));
  if (other === undefined) return;
  throw usage(
    `${first.source.path} and ${other.source.path} belong to different event logs.`,
    'give --eventlog or --config, or the playbooks of one folder',
  );
}

/** Always one stack: the flag's, infra.yaml's, the playbooks' only one; what has none counts where nothing has one. */
function stackOf({ flags }: WorkflowCall, projects: readonly Project[]): string {
  if (flags.stack !== null) return flags.stack;
  const ofSteps = projects.flatMap(({ playbook }) => playbook.steps.filter(({ skip }) => skip === null));
  const configured = namesOf(projects.map(({ config }) => config.stack));
  const [only, ...more] = configured.length > 0 ? configured : namesOf(ofSteps.map(({ stack }) => stack));
  if (only === undefined) return UNSCOPED;
  if (more.length === 0) return only;
  throw usage(
    `The playbooks are of several stacks (${[only, ...more].join(', ')}), and orphans are those of one.`,
    `--stack ${only}, and once more for each other one`,
  );
}

function namesOf(stacks: readonly (string | null)[]): readonly string[] {
  return [...new Set(stacks.flatMap((stack) => stack ?? []))].sort();
}

function usage(detail: string, hint: string): DiagnosticError {
  return new DiagnosticError([diagnostic('USAGE', detail, { hint })]);
}
