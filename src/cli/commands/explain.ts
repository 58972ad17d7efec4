import { CODES, diagnostic } from '../../core/codes.ts';
import { type CodeEntry, DiagnosticError } from '../../core/diagnostics.ts';
import { didYouMean } from '../../core/nearest.ts';
import { FORMAT_VERSION } from '../../core/plan.ts';
import type { CommandModule } from '../command.ts';
import { EXIT, EXIT_OF_FAULT } from '../exit-codes.ts';
import { addExamples, addOutputFlags, readOutputFlags } from '../flags.ts';

export const explainCommand: CommandModule = {
  configure(command) {
    command.argument('<code>', 'an error code, such as DIGEST_STALE');
    addExamples(addOutputFlags(command), ['infra explain DIGEST_STALE']);
  },

  async run(host, { operands: [code = ''], options }) {
    const { format } = readOutputFlags(options);
    const entry = find(code.toUpperCase());
    host.stdout.write(format === 'human' ? asText(code.toUpperCase(), entry) : asJson(code.toUpperCase(), entry));
    return EXIT.done;
  },
};

function find(code: string): CodeEntry {
  const entry = new Map<string, CodeEntry>(Object.entries(CODES)).get(code);
  if (entry !== undefined) return entry;
  throw new DiagnosticError([
    diagnostic('USAGE', `There is no code ${code}.`, { hint: didYouMean(code, Object.keys(CODES)) }),
  ]);
}

/** The exit code that an error ends with; warnings and notes end nothing. */
function exitCode(entry: CodeEntry): number | null {
  return entry.severity === 'error' ? EXIT_OF_FAULT[entry.fault] : null;
}

function asText(code: string, entry: CodeEntry): string {
  const exit = exitCode(entry);
  return `${code}: ${entry.summary}\n\n${entry.explanation}\n\n${exit === null ? `A ${entry.severity}; it does not change the exit code.` : `Exit code ${exit}.`}\n`;
}

function asJson(code: string, entry: CodeEntry): string {
  const { severity, summary, explanation } = entry;
  return `${JSON.stringify({ format_version: FORMAT_VERSION, command: 'explain', code, severity, summary, explanation, exit_code: exitCode(entry) }, null, 2)}\n`;
}
