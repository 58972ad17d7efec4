import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { listOwned } from '../engine/owned.ts';
import { renderOwned } from '../views/human/owned.ts';
import { ownedDocument } from '../views/json/log.ts';
import { authorityOf } from './authority.ts';
import { CATALOGUES } from './catalogues.ts';
import { type ExitCode, exitOfDiagnostics } from './exit-codes.ts';
import { text } from './options.ts';
import { readOfTarget } from './other-targets.ts';
import { locate } from './place.ts';
import { withLogs } from './reading.ts';
import type { WorkflowCall } from './workflow-types.ts';

/** `infra log owned`: what is owned, now or at a time. */
export async function listOwnedResources(call: WorkflowCall): Promise<ExitCode> {
  const { host, flags, invocation, output } = call;
  const at = timeOf(text(invocation.options, 'at') ?? null);
  const place = await locate(host, flags, false);
  const { target: said } = authorityOf(flags, place, []);
  const report = await withLogs(call, place, async ({ log }) => {
    const read = (target: string) => (at === null ? log.read(target) : log.readAt(target, at));
    const { target, state } = await readOfTarget(call, { said, looks: false, read });
    return listOwned({ catalogues: CATALOGUES, state, target, stack: flags.stack, at });
  });
  for (const resource of report.owned) output.stream({ type: 'owned_result', resource });
  output.stream({ type: 'summary', summary: { owned: report.owned.length, tombstoned: report.tombstoned } });
  await output.result({
    diagnostics: report.diagnostics,
    human: (options) => renderOwned(report, options),
    document: () => ownedDocument(report),
  });
  return exitOfDiagnostics(report.diagnostics);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** A day stands for its end, UTC. */
function timeOf(word: string | null): Date | null {
  if (word === null) return null;
  const time = DAY.test(word) ? `${word}T23:59:59.999Z` : TIME.test(word) ? word : '';
  const date = new Date(time);
  if (!Number.isNaN(date.getTime())) return date;
  throw new DiagnosticError([
    diagnostic('USAGE', `--at ${word}: a time is written 2026-01-31T12:00:00Z, a day 2026-01-31.`),
  ]);
}
