import type { HistoryEntry } from '../../core/reports.ts';
import { writtenAs } from '../../engine/one-name.ts';
import { historyOf } from '../../eventlog/history.ts';
import { renderHistory } from '../../views/human/history.ts';
import { whyDocument } from '../../views/json/log.ts';
import { block, escapeText } from '../../views/text.ts';
import { CATALOGUES } from '../catalogues.ts';
import type { CommandModule } from '../command.ts';
import type { OpenedLogs } from '../compose-logs.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags } from '../flags.ts';
import { historyEntry } from '../log-rows.ts';
import { locate } from '../place.ts';
import { withLogs } from '../reading.ts';
import { withOutput } from '../workflow.ts';
import { addConfigFlag, addLogFlags, addTimeoutFlag } from '../workflow-flags.ts';
import type { WorkflowCall } from '../workflow-types.ts';

/** The history of one resource, under every name that it had. */
export const whyCommand: CommandModule = {
  configure(command) {
    command
      .argument('<urn>', 'the URN of the resource, also one that it had before')
      .option('--emulator', "in the emulator's log");
    addTimeoutFlag(addConfigFlag(addLogFlags(command)));
    addOutFlag(addOutputFlags(command));
    addExamples(command, ['infra why google:cloudresourcemanager:project:acme-dns-prod']);
  },

  run: (host, invocation) => withOutput(host, 'why', invocation, why),
};

async function why(call: WorkflowCall): Promise<ExitCode> {
  const urn = call.invocation.operands[0] ?? '';
  const place = await locate(call.host, call.flags, false);
  const entries = await withLogs(call, place, async (logs) => {
    const rows = await historyOf(logs.parts, await namesOf(logs, urn));
    return rows.map(historyEntry);
  });
  for (const { item } of entries)
    if (item.kind === 'fact') call.output.stream({ type: 'fact', provider_fact: item.fact });
  await call.output.result({
    diagnostics: [],
    human: (options) => titleOf(urn, entries) + renderHistory(entries, options),
    document: () => whyDocument(urn, entries),
  });
  return EXIT.done;
}

/** The URN with all others of the log that are another way to write it, whichever target they are about. */
async function namesOf({ log }: OpenedLogs, urn: string): Promise<readonly string[]> {
  const first = await log.read('cloud');
  const others = first.targets.filter((target) => target !== 'cloud').map((target) => log.read(target));
  const states = [first, ...(await Promise.all(others))];
  return [...new Set([urn, ...states.flatMap(({ model }) => writtenAs({ catalogues: CATALOGUES }, model, urn))])];
}

function titleOf(urn: string, entries: readonly HistoryEntry[]): string {
  const shown = escapeText(urn);
  if (entries.length > 0) return block([shown, '']);
  return block([`The log knows nothing about ${shown}. \`infra log owned\` lists what is owned.`]);
}
