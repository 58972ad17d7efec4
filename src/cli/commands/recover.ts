import { hasErrors } from '../../core/diagnostics.ts';
import type { RecoverReport } from '../../core/recover-report.ts';
import { recover } from '../../engine/recover.ts';
import { renderRecovery } from '../../views/human/recover.ts';
import { recoverDocument } from '../../views/json/recover.ts';
import { shellCommand } from '../../views/shell.ts';
import { loadAllCatalogues } from '../catalogues.ts';
import type { CommandModule } from '../command.ts';
import { compose } from '../composition.ts';
import { EXIT, type ExitCode, exitOfDiagnostics, strongest } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags, collect, duration, stackName } from '../flags.ts';
import { removeLeftCopies } from '../left-copies.ts';
import { isSet, list } from '../options.ts';
import { authorityAt } from '../other-targets.ts';
import { keptNotice, locate, type Place } from '../place.ts';
import { openPlaybook } from '../project.ts';
import { withLogs } from '../reading.ts';
import { listenForInterrupts } from '../signals.ts';
import { settingsOf, withOutput } from '../workflow.ts';
import { addConfigFlag, addLogFlags, addReadingFlags, type WorkflowFlags } from '../workflow-flags.ts';
import type { Project, WorkflowCall } from '../workflow-types.ts';

/** Settles what interrupted runs left open, by reading; only `--rollback` deletes, and only what a nonce proves. */
export const recoverCommand: CommandModule = {
  configure(command) {
    command
      .argument('[playbook]', 'a playbook whose auth is used')
      .option('--stack <stack>', 'only what this stack left open', stackName)
      .option('--rollback', 'instead of keeping it, delete what the runs made that left something open')
      .option('--abandon <urn>', 'close the open request of this URN by hand (repeatable)', collect)
      .option('--lock-timeout <duration>', "wait for another run's lock (default 0s)", duration)
      .option('--actor <name>', 'who is recorded as the one who did it');
    addConfigFlag(addReadingFlags(addLogFlags(command)));
    addOutFlag(addOutputFlags(command));
    addExamples(command, [
      'infra recover',
      'infra recover --stack gateway --credential sandbox --rollback',
      'infra recover --abandon yandex:vpc:network:b1gexamplefolder0001/acme/gateway/network',
    ]);
  },

  run: (host, invocation) => withOutput(host, 'recover', invocation, settle),
};

async function settle(call: WorkflowCall): Promise<ExitCode> {
  const { host, flags, invocation, output } = call;
  await loadAllCatalogues();
  await removeLeftCopies(host);
  const path = invocation.operands[0] ?? null;
  const project = path === null ? null : await openPlaybook(call, path, 'trusted');
  const place = project ?? (await locate(host, flags, true));
  const interrupts = listenForInterrupts(host, true, () => []);
  try {
    const report = await recoverAt(call, place, project, settingsOf(call, place, interrupts));
    const notices = [...(project?.notices ?? place.config.notices), ...keptNotice(host, place, flags.emulator)];
    const told: RecoverReport = {
      ...report,
      unresolved: report.unresolved.map((entry) => ({ ...entry, hint: withFlags(entry.hint, flags) })),
      diagnostics: [...notices, ...report.diagnostics],
    };
    const { resolved, unresolved, rolled_back, abandoned } = told;
    const summary = {
      resolved: resolved.length,
      unresolved: unresolved.length,
      rolled_back: rolled_back.length,
      abandoned: abandoned.length,
    };
    output.stream({ type: 'summary', summary });
    await output.result({
      diagnostics: told.diagnostics,
      human: (options) => renderRecovery(told, options),
      document: () => recoverDocument(told),
    });
    return exitOfRecovery(told, interrupts.received());
  } finally {
    interrupts.dispose();
  }
}

/** The engine's hint names the URN only; here it takes the flags, too, that lead to this log. */
function withFlags(hint: string | null, { emulator, eventlog, config, endpoint }: WorkflowFlags): string | null {
  const words = [
    ...(emulator ? ['--emulator'] : []),
    ...(endpoint === null ? [] : ['--endpoint', endpoint]),
    ...(eventlog === null ? [] : ['--eventlog', eventlog]),
    ...(config === null ? [] : ['--config', config]),
  ];
  return (
    hint?.replace(/infra recover (--rollback )?--abandon (\S+)$/, (_, rollback: string | undefined, urn: string) =>
      shellCommand(['infra', 'recover', ...words, ...(rollback === undefined ? [] : ['--rollback']), '--abandon', urn]),
    ) ?? null
  );
}

async function recoverAt(
  call: WorkflowCall,
  place: Place,
  project: Project | null,
  settings: ReturnType<typeof settingsOf>,
): Promise<RecoverReport> {
  const { flags, invocation } = call;
  const { emulator } = flags;
  const rollback = isSet(invocation.options, 'rollback');
  const { authority } = await withLogs(call, place, ({ log }) =>
    authorityAt(call, place, project, (one) => log.read(one)),
  );
  const { authOf, target } = authority;
  const context = { call, place, project, offline: false, emulator, mayWrite: true, readOnly: !rollback };
  const composition = await compose({ ...context, signal: settings.abort }, (event) => call.output.emit(event));
  try {
    return await recover(composition.ports, {
      target,
      stack: flags.stack,
      abandon: list(invocation.options, 'abandon'),
      rollback,
      settings,
      authOf,
      history: composition.history,
    });
  } finally {
    await composition.close();
  }
}

/** What stays open is uncertain, whatever keeps it so. */
function exitOfRecovery({ unresolved, diagnostics }: RecoverReport, signal: Parameters<typeof exitOfDiagnostics>[1]) {
  const left = unresolved.length > 0 ? EXIT.uncertain : EXIT.done;
  return strongest([left, hasErrors(diagnostics) ? exitOfDiagnostics(diagnostics, signal) : EXIT.done]);
}
