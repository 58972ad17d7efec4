import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { brokenChain } from '../eventlog/verify.ts';
import { renderDiagnostics } from '../views/human/diagnostics.ts';
import { type VerifyReport, verifyDocument } from '../views/json/log.ts';
import { block, count, escapeText } from '../views/text.ts';
import { EXIT, type ExitCode, exitOfDiagnostics } from './exit-codes.ts';
import { text } from './options.ts';
import { locate } from './place.ts';
import { withLogs } from './reading.ts';
import type { WorkflowCall } from './workflow-types.ts';

/** `infra log verify`: whether every row is as it was written, and follows the one before it. */
export async function verifyChain(call: WorkflowCall): Promise<ExitCode> {
  const { host, flags, invocation, output } = call;
  const wanted = headOf(text(invocation.options, 'head') ?? null);
  const place = await locate(host, flags, false);
  const report = await withLogs(call, place, async ({ log, chained }): Promise<VerifyReport> => {
    if (chained === null) return refuseUnchained(log.verify());
    const { rows, unsealed, torn, firstBad, headFound } = await chained.walk(wanted);
    const broken = firstBad === null ? [] : [brokenChain(firstBad, log.url)];
    const problems = [...broken, ...headMissing(wanted, headFound, log.url)];
    // The tail of a broken log proves nothing, and may not even be read.
    const head = firstBad === null ? await chained.head() : null;
    const diagnostics = [...problems, ...tornNote(firstBad === null ? torn : 0, log.url)];
    return { ok: problems.length === 0, rows, unsealed, firstBad, head, headFound, diagnostics };
  });
  await output.result({
    diagnostics: report.diagnostics,
    human: (options) => {
      const told = renderDiagnostics(report.diagnostics, options);
      return report.ok ? block([soundLine(report)]) + told : told;
    },
    document: () => verifyDocument(report),
  });
  return report.ok ? EXIT.done : exitOfDiagnostics(report.diagnostics);
}

/** A log without a chain says so itself. */
async function refuseUnchained(verified: Promise<void>): Promise<never> {
  await verified;
  throw new TypeError('a log without a chain can not be verified');
}

function soundLine({ rows, unsealed, head }: VerifyReport): string {
  if (rows === 0) return 'The log is empty.';
  return `${count(rows, 'row')}${sealWords(rows, unsealed)} Head: ${escapeText(head ?? 'none')}`;
}

/** Only a seal shows that a row is as it was written. */
function sealWords(rows: number, unsealed: number): string {
  if (unsealed === 0) return ', and each is as it was written.';
  const proof =
    unsealed === 1
      ? 'carries no seal, so nothing shows whether it is as it was written'
      : 'carry no seal, so nothing shows whether they are as they were written';
  if (unsealed === rows) return `: ${rows === 1 ? 'it' : 'they'} ${proof}.`;
  return `: ${unsealed} ${proof}; each of the others is.`;
}

function tornNote(bytes: number, log: string): readonly Diagnostic[] {
  if (bytes === 0) return [];
  return [diagnostic('LOG_TORN', `The last line of ${log} is unfinished (${bytes} bytes): it was passed over.`)];
}

function headMissing(wanted: string | null, found: boolean | null, log: string): readonly Diagnostic[] {
  if (wanted === null || found !== false) return [];
  const detail = `No row of ${log} is ${wanted}: the log was cut off or written anew since that head was taken.`;
  return [diagnostic('CHAIN_BROKEN', detail)];
}

function headOf(word: string | null): string | null {
  if (word === null || /^\d{1,16}:[0-9a-f]{64}$/.test(word)) return word;
  throw new DiagnosticError([
    diagnostic('USAGE', `--head ${word}: a head is written <sequence>:<64 hex digits>, as an apply prints it.`),
  ]);
}
