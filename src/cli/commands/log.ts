import { diagnostic } from '../../core/codes.ts';
import { DiagnosticError } from '../../core/diagnostics.ts';
import { didYouMean } from '../../core/nearest.ts';
import type { CommandModule } from '../command.ts';
import { addExamples, addOutFlag, addOutputFlags, collect, stackName, wholeNumber } from '../flags.ts';
import { listOwnedResources } from '../log-owned.ts';
import { showRows } from '../log-show.ts';
import { verifyChain } from '../log-verify.ts';
import { withOutput } from '../workflow.ts';
import { addConfigFlag, addLogFlags, addTimeoutFlag } from '../workflow-flags.ts';

const PARTS = ['show', 'verify', 'owned'] as const;

/** Looks into the event log. */
export const logCommand: CommandModule = {
  configure(command) {
    command
      .argument('<show|verify|owned>', 'its rows; whether its chain holds; what is owned by it')
      .option('--stack <stack>', 'show, owned: only of this stack', stackName)
      .option('--target <address>', 'show: only about this URN, address or step (repeatable)', collect)
      .option('--step <address>', 'the same as --target', collect)
      .option('--limit <n>', 'show: only the newest rows', wholeNumber(1, 999_999_999))
      .option('--head <sequence:hash>', 'verify: the row that an apply named has to be there')
      .option('--at <time>', 'owned: at this time (RFC 3339), or at the end of this day')
      .option('--endpoint <url>', 'owned: at this address of the cloud')
      .option('--emulator', "the emulator's log");
    addTimeoutFlag(addConfigFlag(addLogFlags(command)));
    addOutFlag(addOutputFlags(command));
    addExamples(command, [
      'infra log show --stack prod --limit 20',
      'infra log verify --head 42:<hash>',
      'infra log owned --at 2026-01-31T12:00:00Z --format json',
    ]);
  },

  run: (host, invocation) => {
    switch (invocation.operands[0]) {
      case 'show':
        return withOutput(host, 'log show', invocation, showRows);
      case 'verify':
        return withOutput(host, 'log verify', invocation, verifyChain);
      case 'owned':
        return withOutput(host, 'log owned', invocation, listOwnedResources);
      default:
        throw unknownPart(invocation.operands[0] ?? '');
    }
  },
};

function unknownPart(part: string): DiagnosticError {
  if (part === 'copy')
    return new DiagnosticError([diagnostic('NOT_AVAILABLE', 'infra log copy is not part of this version.')]);
  return new DiagnosticError([
    diagnostic('USAGE', `infra log ${part}: there is ${PARTS.join(', ')}.`, { hint: didYouMean(part, PARTS) }),
  ]);
}
