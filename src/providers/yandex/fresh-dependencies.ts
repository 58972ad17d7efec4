import { type Code, diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { YcClient } from './client.ts';
import type { Dependency, Live } from './define-kind.ts';
import { failureDiagnostic } from './errors.ts';
import { isMap, textAt } from './inputs.ts';
import { kindOf } from './kinds.ts';
import { standingOf } from './ownership.ts';
import type { Task } from './writing.ts';

export type FreshDependencies =
  /** The value of the static address; the empty text where there is none. */
  { readonly kind: 'usable'; readonly natAddress: string } | { readonly kind: 'unusable'; readonly why: Diagnostic };

type Unusable = Extract<FreshDependencies, { kind: 'unusable' }>;

function unusable(code: Code, detail: string, hint: string | null = null): Unusable {
  return { kind: 'unusable', why: diagnostic(code, detail, { hint }) };
}

/** Reads each dependency by its exact id, right before it is built on: ours, in this folder and zone, and ready. */
export async function checkDependencies(task: Task, client: YcClient): Promise<FreshDependencies> {
  let natAddress = '';
  for (const dependency of task.definition.dependencies) {
    const id = textAt(task.desired, dependency.field);
    const answer = await client.get(kindOf(dependency.kind), id);
    if (answer.kind === 'failed')
      return { kind: 'unusable', why: failureDiagnostic(answer.failure, `The ${dependency.kind} ${id} that it needs`) };
    const problem = problemOf(task, dependency, answer.value);
    if (problem !== null) return problem;
    if (dependency.kind !== 'address') continue;
    const [value, ...more] = answer.value.publicAddresses;
    if (value === undefined || more.length > 0)
      return unusable('CONFLICT', `The address ${id} has not exactly one public IPv4 address.`);
    natAddress = value;
  }
  return { kind: 'usable', natAddress };
}

function problemOf(task: Task, { kind, field }: Dependency, live: Live): Unusable | null {
  const { owner, operation, desired } = task;
  const what = `The ${kind} ${live.id} that it needs`;
  const { dependencies } = operation.declaration.options;
  const logicalId = isMap(dependencies) ? textAt(dependencies, field) : '';
  if (standingOf(live.labels, { ...owner, logicalId }) !== 'ours')
    return unusable('NOT_OURS', `${what} lacks the labels of ${logicalId}.`, 'Apply its own step under enforce first.');
  const zone = textAt(desired, 'zone_id');
  if (zone !== '' && live.zoneId !== null && live.zoneId !== zone)
    return unusable('CONFLICT', `${what} is in ${live.zoneId}, not in ${zone}.`);
  const { ready } = kindOf(kind);
  if (ready !== null && !ready.includes(live.status))
    return unusable(
      'BLOCKED',
      `${what} is not ready: its status is ${live.status}.`,
      live.status === 'ERROR' ? 'It will not be: delete it, and let another one be made.' : 'Apply again when it is.',
    );
  return null;
}
