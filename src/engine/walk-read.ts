import { DiagnosticError } from '../core/diagnostics.ts';
import { verifyLate } from './live-guard.ts';
import { resolveDesired } from './resolve.ts';
import { resultData } from './results.ts';
import type { PlannedStep } from './runtime.ts';
import { type StepState, stateOf } from './step-state.ts';
import { failedDependency, notStarted, type Walk } from './walk-state.ts';

/** Does a read whose turn has come; what the plan read already, with nothing changed since, is not read again. */
export async function readStep(current: Walk, planned: PlannedStep): Promise<StepState> {
  const { item, shown, provider, result } = planned;
  const blocking = failedDependency(current, planned);
  if (blocking !== null) return stateOf('blocked', { diagnostics: [blocking] });
  if (shown.held !== null || provider === null) return stateOf('held');
  if (result.complete) return stateOf('read', { result, resource: result.data['resource'] ?? null });
  if (current.stopped !== null) return notStarted(current);
  try {
    const desired = resolveDesired(
      item,
      planned.desired,
      (address) => current.states.get(address)?.result,
      current.run.evaluate,
    );
    const session = provider.openSession();
    const resolved = await session.resolve({
      declaration: item.declaration,
      desired,
      resourceId: null,
      pending: new Set(),
      forDelete: false,
    });
    const guard = resolved.kind === 'failed' ? [] : await verifyLate(current, planned, provider, resolved.desired);
    if (guard.length > 0) return stateOf('refused', { diagnostics: guard });
    const answer = resolved.kind === 'failed' ? resolved : await session.read(item.declaration, resolved.desired);
    if (answer.kind === 'failed') return stateOf('failed', { diagnostics: [answer.why] });
    if (!('resource' in answer)) return stateOf('failed');
    return stateOf('read', {
      result: { data: resultData(item, null, answer.resource), complete: true },
      resource: answer.resource,
    });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return stateOf('failed', { diagnostics: error.diagnostics });
  }
}
