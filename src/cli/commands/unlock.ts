import { dirname } from 'node:path';
import { diagnostic } from '../../core/codes.ts';
import { DiagnosticError } from '../../core/diagnostics.ts';
import { FORMAT_VERSION } from '../../core/plan.ts';
import { listLocks, removeLock } from '../../eventlog/lock.ts';
import { describeHolder } from '../../eventlog/lock-holder.ts';
import { renderJson } from '../../views/json/render.ts';
import { block, escapeText } from '../../views/text.ts';
import type { CommandModule, Invocation } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { addExamples, addOutputFlags, readOutputFlags } from '../flags.ts';
import type { Host } from '../host.ts';
import { removeLeftCopies } from '../left-copies.ts';
import { isSet } from '../options.ts';
import { locate } from '../place.ts';
import { withUnlockFlags } from '../unlock-hint.ts';
import { readWorkflowFlags } from '../workflow-flags.ts';

export const unlockCommand: CommandModule = {
  configure(command) {
    command
      .argument('<id>', 'the id of the lock, as the refusal named it')
      .option('--eventlog <url>', 'the log that is locked (env INFRA_EVENTLOG; default .infra/eventlog.jsonl)')
      .option('--emulator', "the emulator's log")
      .option('--config <file>', 'infra.yaml to use instead of the one here or above')
      .option('--force', "also a lock whose holder can't be judged from this host");
    addExamples(addOutputFlags(command), ['infra unlock 0123456789ab']);
  },

  async run(host, { operands: [id = ''], options }) {
    const { format } = readOutputFlags(options);
    const folder = await lockedFolder(host, options);
    const flags = readWorkflowFlags(options);
    const holder = await removeLock(folder, id, host.hostname, isSet(options, 'force')).catch((error: unknown) => {
      throw withUnlockFlags(error, flags, null, host.cwd);
    });
    if (holder === null) throw await unknownLock(folder, id, host);
    await removeLeftCopies(host);
    const { locks, user, pid, since, host: where } = holder;
    if (format !== 'human')
      host.stdout.write(
        renderJson({
          format_version: FORMAT_VERSION,
          command: 'unlock',
          unlocked: { id, locks, user, host: where, pid, since },
        }),
      );
    else host.stdout.write(block([escapeText(`Unlocked ${locks}, which was held by ${describeHolder(holder)}.`)]));
    return EXIT.done;
  },
};

async function lockedFolder(host: Host, options: Invocation['options']): Promise<string> {
  const { eventlog } = await locate(host, readWorkflowFlags(options), true);
  // Only a file can be written, and only what is written is locked.
  return eventlog.kind === 'file' ? dirname(eventlog.path) : '';
}

async function unknownLock(folder: string, id: string, host: Host): Promise<DiagnosticError> {
  const locks = await listLocks(folder, host.hostname);
  const held = locks.map(({ holder }) => `${holder.id} (${holder.locks})`).join(', ');
  const hint =
    locks.length === 0
      ? 'nothing is locked there; --emulator, --eventlog and --config say which log is meant'
      : `these are held: ${held}`;
  return new DiagnosticError([diagnostic('USAGE', `There is no lock ${id} in ${folder}.`, { hint })]);
}
