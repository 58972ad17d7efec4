import { DiagnosticError } from '../core/diagnostics.ts';
import { silenceDebugging } from './debug-switches.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { reportFailure } from './failure.ts';
import { processHost } from './process-host.ts';
import { runCli } from './program.ts';

/** Runs the process's own command line and ends the process. */
export async function main(): Promise<void> {
  const host = processHost();
  const argv = process.argv.slice(2);
  const end = async (code: ExitCode): Promise<void> => {
    await host.flush();
    const failure = host.failure();
    if (failure !== null) host.stderr.write(`infra: the result can't be written to stdout: ${failure}\n`);
    process.exit(failure !== null && code === EXIT.done ? EXIT.provider : code);
  };
  const crash = (error: unknown): void => {
    void reportFailure(host, argv, 'infra', error).then(end);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  const loud = silenceDebugging(process.env);
  await end(
    loud === null ? await runCli(argv, host) : await reportFailure(host, argv, 'infra', new DiagnosticError([loud])),
  );
}
