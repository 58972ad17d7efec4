import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { didYouMean } from '../core/nearest.ts';
import type { PlanVerb } from '../core/plan.ts';
import { type Misfit, misfit, type ResultShape } from '../core/result-shape.ts';
import type { Step } from '../core/step.ts';
import { type Reference, type Unknown, unknownsIn } from '../core/value.ts';
import { heldBy } from './held.ts';
import { pathKeys } from './paths.ts';
import type { EnginePorts, VerbOptions } from './ports.ts';
import { saidAt } from './said-at.ts';

/** What a plan and an apply give to other steps of every result. */
const RESULT_KEYS = ['provider', 'action', 'backend', 'urn'];
/** What `infra exec` adds, each in some of its cases. */
const EXEC_KEYS = [
  'dry_run',
  'changed',
  'converge',
  'would_call',
  'input',
  'provider_fact',
  'reconcile',
  'drift',
  'diff',
  'desired',
  'actual',
  'present',
  'note',
  'adopt',
  'adopted',
  'import',
  'destroy',
  'plan',
  'plan_digest',
  'confirm_hint',
  'already_absent',
];

/**
 * References into results that no run can fill: they would end an apply half-way. What a template decides on is left to
 * its evaluation, where `default` may catch it.
 */
export function impossibleReferences(
  catalogues: EnginePorts['catalogues'],
  steps: readonly Step[],
  options: VerbOptions,
  verb: PlanVerb | 'exec',
): readonly Diagnostic[] {
  const byAddress = new Map(steps.map((step) => [step.address, step]));
  const found: Diagnostic[] = [];
  for (const step of steps)
    for (const { path, unknown } of unknownsIn(step.input))
      for (const ref of plainReferences(unknown)) {
        const other = byAddress.get(ref.address);
        if (other === undefined) continue;
        const why = impossible(ref, shapeOf(catalogues, other, verb === 'exec' || isHeld(catalogues, step, options)));
        if (why === null) continue;
        found.push({ ...why, address: step.address, source: saidAt(step, `input.${path}`) });
      }
  return found;
}

/** What is held may take what only `infra exec` gives: it runs under that, or not at all. */
function isHeld(catalogues: EnginePorts['catalogues'], step: Step, options: VerbOptions): boolean {
  const action = catalogues.get(step.provider)?.findAction(step.action, null) ?? null;
  return action !== null && heldBy(step, action, options) !== null;
}

function plainReferences({ parts }: Unknown): readonly Reference[] {
  return (parts ?? []).filter((part): part is Reference => typeof part !== 'string');
}

function shapeOf(catalogues: EnginePorts['catalogues'], step: Step, takesFromExec: boolean): ResultShape {
  const catalogue = catalogues.get(step.provider);
  const action = catalogue?.findAction(step.action, null) ?? null;
  const resource = action === null ? 'any' : (catalogue?.resultOf?.(action) ?? 'any');
  const plain = [...RESULT_KEYS.map((key) => [key, 'value'] as const), ['resource', resource] as const];
  const more = takesFromExec ? EXEC_KEYS.map((key) => [key, 'any'] as const) : [];
  return { keys: Object.fromEntries([...plain, ...more]) };
}

function impossible({ address, path }: Reference, shape: ResultShape): Diagnostic | null {
  const wrong = misfit(shape, pathKeys(path));
  if (wrong === null) return null;
  const isOfExec = EXEC_KEYS.includes(path);
  const detail = `the result of step ${address} never has ${JSON.stringify(path)}${isOfExec ? ' outside of infra exec' : ''}.`;
  return diagnostic('TEMPLATE_UNDEFINED', detail, { hint: wayOut(wrong) });
}

function wayOut({ before, key, within }: Misfit): string {
  if (within === 'value') return `${before.join('.')} is one plain value: refer to it as a whole`;
  if ('items' in within) return `${before.join('.')} is a list: say which of its items, such as [0]`;
  const known = Object.keys(within.keys);
  return didYouMean(key, known) ?? `it has ${known.join(', ')}`;
}
