import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { EXIT, type ExitCode, exitOfDiagnostics } from './exit-codes.ts';
import type { Host } from './host.ts';
import { styleOf } from './terminal.ts';

/** Tells a failure in the format that the command line asks for, as far as one can be read from it, and gives its exit code. */
export async function reportFailure(
  host: Host,
  argv: readonly string[],
  command: string,
  error: unknown,
): Promise<ExitCode> {
  if (!(error instanceof DiagnosticError)) return reportBug(host, argv, command, error);
  await writeDocument(host, argv, command, error.diagnostics);
  const { renderDiagnostics } = await import('../views/human/diagnostics.ts');
  const style = styleOf(host.stderr, host.env, { color: !argv.includes('--no-color') });
  host.stderr.write(renderDiagnostics(error.diagnostics, style));
  return exitOfDiagnostics(error.diagnostics);
}

/** An exception that nobody expected: one line, and the stack only where detail was asked for. */
async function reportBug(host: Host, argv: readonly string[], command: string, error: unknown): Promise<ExitCode> {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  await writeDocument(host, argv, command, [diagnostic('BUG', what)]);
  const { escapeText } = await import('../views/text.ts');
  const verbose = argv.includes('-v') || argv.includes('--verbose');
  const more = `Please report it with ${verbose ? 'this output' : 'the output of the same command and -v'}.`;
  host.stderr.write(`infra: a bug in infra: ${escapeText(what)}. ${more}\n`);
  if (verbose && error instanceof Error && error.stack !== undefined) host.stderr.write(`${error.stack}\n`);
  return EXIT.bug;
}

/** What a program reads on stdout. */
async function writeDocument(
  host: Host,
  argv: readonly string[],
  command: string,
  diagnostics: readonly Diagnostic[],
): Promise<void> {
  const format = formatOf(argv);
  if (format === 'human') return;
  if (format === 'ndjson') {
    const { ndjsonLine } = await import('../views/ndjson/events.ts');
    const time = new Date(host.now()).toISOString();
    for (const item of diagnostics) host.stdout.write(ndjsonLine({ type: 'diagnostic', diagnostic: item }, time));
    return;
  }
  const [{ failureDocument }, { renderJson }] = await Promise.all([
    import('../views/json/diagnostic.ts'),
    import('../views/json/render.ts'),
  ]);
  host.stdout.write(renderJson(failureDocument(command, diagnostics)));
}

/** Read off the words themselves, because the command line may be what is wrong. */
function formatOf(argv: readonly string[]): 'human' | 'json' | 'ndjson' {
  const at = argv.findLastIndex((word) => word === '--format' || word.startsWith('--format='));
  const value = argv[at]?.startsWith('--format=') === true ? argv[at].slice('--format='.length) : argv[at + 1];
  return at >= 0 && (value === 'json' || value === 'ndjson') ? value : 'human';
}
