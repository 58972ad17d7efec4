import { randomBytes } from 'node:crypto';
import { type ForgetResult, forget } from '../../engine/forget.ts';
import { renderForget } from '../../views/human/forget.ts';
import { forgetDocument } from '../../views/json/forget.ts';
import { shellCommand } from '../../views/shell.ts';
import { authorityOf } from '../authority.ts';
import { CATALOGUES } from '../catalogues.ts';
import type { CommandModule } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags, digest, duration, stackName } from '../flags.ts';
import { text } from '../options.ts';
import { readOfTarget } from '../other-targets.ts';
import { keptNotice, locate } from '../place.ts';
import { withLogs } from '../reading.ts';
import { listenForInterrupts } from '../signals.ts';
import { settingsOf, withOutput } from '../workflow.ts';
import { addConfigFlag, addLogFlags, addTimeoutFlag } from '../workflow-flags.ts';
import type { WorkflowCall } from '../workflow-types.ts';

/** Gives ownership up. No cloud is called, whatever happens to the resource. */
export const forgetCommand: CommandModule = {
  configure(command) {
    command
      .argument('<urn>', 'the URN of what is no longer to be owned')
      .option('--stack <stack>', "refuse what is another stack's", stackName)
      .option('--confirm <digest>', 'the digest that the same command printed without it', digest)
      .option('--endpoint <url>', 'of what is owned at this address of the cloud')
      .option('--emulator', "of what is owned in the emulator's log")
      .option('--actor <name>', 'who is recorded as the one who did it')
      .option('--lock-timeout <duration>', "wait for another run's lock (default 0s)", duration);
    addTimeoutFlag(addConfigFlag(addLogFlags(command)));
    addOutFlag(addOutputFlags(command));
    addExamples(command, [
      'infra forget google:cloudresourcemanager:project:acme-dns-prod',
      'infra forget google:cloudresourcemanager:project:acme-dns-prod --confirm <digest>',
    ]);
  },

  run: (host, invocation) => withOutput(host, 'forget', invocation, giveUp),
};

async function giveUp(call: WorkflowCall): Promise<ExitCode> {
  const { host, flags, invocation, output } = call;
  const urn = invocation.operands[0] ?? '';
  const confirm = text(invocation.options, 'confirm') ?? null;
  const place = await locate(host, flags, confirm !== null);
  const notices = confirm === null ? [] : keptNotice(host, place, flags.emulator);
  const interrupts = listenForInterrupts(host, confirm !== null, () => []);
  const told = await withLogs(call, place, async ({ log }) => {
    const { target: said } = authorityOf(flags, place, []);
    const { target } = await readOfTarget(call, { said, looks: false, read: (one) => log.read(one) });
    const result = await forget(
      {
        catalogues: CATALOGUES,
        log,
        clock: { now: () => host.now() },
        randomHex: (bytes) => randomBytes(bytes).toString('hex'),
        emit: (event) => output.emit(event),
      },
      { urn, target, stack: flags.stack, confirm, settings: settingsOf(call, place, interrupts) },
    );
    return { ...result, target, command: confirmCommand(call, urn, result) };
  }).finally(() => interrupts.dispose());
  await output.result({
    diagnostics: notices,
    human: (options) => renderForget(told, options),
    document: () => forgetDocument(told, notices),
  });
  return EXIT.done;
}

function confirmCommand({ flags }: WorkflowCall, urn: string, result: ForgetResult): string {
  return shellCommand([
    'infra',
    'forget',
    urn,
    ...(flags.emulator ? ['--emulator'] : []),
    ...(flags.endpoint === null ? [] : ['--endpoint', flags.endpoint]),
    ...(flags.stack === null ? [] : ['--stack', flags.stack]),
    ...(flags.config === null ? [] : ['--config', flags.config]),
    ...(flags.eventlog === null ? [] : ['--eventlog', flags.eventlog]),
    '--confirm',
    result.digest,
  ]);
}
