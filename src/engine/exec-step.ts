import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { adoptStep } from './exec-adopt.ts';
import { destroyStep } from './exec-destroy.ts';
import { dryEnsure, realEnsure } from './exec-ensure.ts';
import { type ExecContext, type ExecEnd, failure } from './exec-line.ts';
import { dryRead, realRead } from './exec-read.ts';
import { reportStep } from './exec-report.ts';
import type { PreparedStep } from './prepare.ts';

/** Runs one step; whatever goes wrong with it becomes its line. */
export async function runExecStep(context: ExecContext, item: PreparedStep): Promise<ExecEnd> {
  try {
    const dry = item.step.dryRun !== false;
    if (item.spec.kind === 'delete') return await destroyStep(context, item, dry);
    if (item.spec.kind === 'read') return dry ? dryRead(context, item) : await realRead(context, item);
    if (item.reconcile === 'report') return await reportStep(context, item);
    if (item.reconcile === 'adopt') return await adoptStep(context, item, dry);
    return dry ? dryEnsure(context, item) : await realEnsure(context, item);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return failure(item, error.diagnostics[0] ?? diagnostic('BUG', 'an error without a diagnostic.'));
  }
}
