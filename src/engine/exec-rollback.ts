import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { RowContext } from '../eventlog/event-log.ts';
import type { ExecContext } from './exec-line.ts';
import type { Ownership } from './ownership.ts';
import type { EnginePorts, PlanRequest } from './ports.ts';
import type { Prepared } from './prepare.ts';
import { rollBack } from './rollback.ts';

interface FailedExec {
  readonly ports: EnginePorts;
  readonly request: PlanRequest;
  readonly prepared: Prepared;
  readonly row: RowContext;
  readonly ownership: Ownership;
  readonly undoable: ExecContext['undoable'];
}

export interface ExecUndone {
  readonly rolledBack: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Undoes what the steps made in stacks where one failed for certain. Their lines are out by then: it is told beside them. */
export async function undoFailed({
  ports,
  request,
  prepared,
  row,
  ownership,
  undoable,
}: FailedExec): Promise<ExecUndone> {
  const rolledBack = new Set<string>();
  const told: Diagnostic[] = [];
  const left = await rollBack({
    ...undoable,
    ports,
    context: row,
    ownership,
    steps: prepared.steps,
    digest: null,
    allowed: request.options.rollback,
    abort: request.settings.abort,
    finish: (address, state) => {
      undoable.states.set(address, state);
      if (state.outcome === 'rolled_back') rolledBack.add(address);
      else told.push(...state.diagnostics.slice(-1).map((why) => ({ ...why, address })));
    },
    stop: (why) => told.push(why),
  });
  const undone = [...rolledBack].join(', ');
  const note = diagnostic(
    'ROLLED_BACK',
    `A step failed, so what the run made in its stack was deleted again: ${undone}.`,
  );
  return { rolledBack, diagnostics: [...(rolledBack.size === 0 ? [] : [note]), ...told, ...left] };
}
