import { didYouMean } from '../core/nearest.ts';
import type { Findings } from './findings.ts';
import { asMap, checkKeys, literalText, missingKey } from './shape.ts';
import { child, describe, type MapNode, type TreeNode } from './tree.ts';

/** Whether conditional routes are an error (plan, apply) or a note (exec). */
export type RouteSeverity = 'error' | 'note';

/** One arc of `next`. */
export interface Route {
  readonly to: string;
  readonly node: TreeNode;
}

const NEXT_KEYS = new Set(['spec', 'arcs']);
const ARC_KEYS = new Set(['step', 'when', 'args', 'set', 'spec', 'name', 'desc']);
const HINT = 'choose the steps with --set, a loop or --target';

/** `next` in all its forms: a name, names, `[{ step }]`, `{ arcs: [{ step }] }`. */
export function readRoutes(
  next: TreeNode | null,
  step: string,
  severity: RouteSeverity,
  findings: Findings,
): readonly Route[] {
  if (next === null || (next.kind === 'scalar' && next.value === null)) return [];
  if (next.kind === 'scalar') return routeTo(next, findings);
  if (next.kind === 'list') return next.items.flatMap((item) => readArc(item, step, severity, findings));
  if (!next.entries.has('arcs') && next.entries.has('step')) return readArc(next, step, severity, findings);
  checkKeys(next, NEXT_KEYS, 'next', findings);
  const arcs = child(next, 'arcs');
  if (arcs === null) {
    missingKey(findings, 'next', 'arcs', next, 'next: { arcs: [ { step: <name> } ] }');
    return [];
  }
  if (arcs.kind === 'list') return arcs.items.flatMap((item) => readArc(item, step, severity, findings));
  if (arcs.kind === 'scalar' && arcs.value === null) return [];
  findings.add('INVALID_VALUE', `next.arcs must be a list, not ${describe(arcs)}.`, arcs);
  return [];
}

function routeTo(node: TreeNode, findings: Findings): readonly Route[] {
  const to = literalText(node, 'next', findings);
  return to === null ? [] : [{ to, node }];
}

function readArc(item: TreeNode, step: string, severity: RouteSeverity, findings: Findings): readonly Route[] {
  if (item.kind === 'scalar') return routeTo(item, findings);
  const arc = asMap(item, 'An arc of next', findings);
  if (arc === null) return [];
  checkKeys(arc, ARC_KEYS, 'An arc of next', findings);
  const when = arc.entries.get('when');
  if (when !== undefined && !isAlways(when.value)) {
    conditional(`The arc from "${step}" has a condition.`, when.value, step, severity, findings);
  }
  const target = child(arc, 'step');
  if (target !== null) return routeTo(target, findings);
  missingKey(findings, 'An arc of next', 'step', arc);
  return [];
}

function isAlways(when: TreeNode): boolean {
  return (
    when.kind === 'scalar' &&
    (when.value === null || when.value === true || when.value === 'true' || when.value === '{{ true }}')
  );
}

function conditional(detail: string, node: TreeNode, step: string, severity: RouteSeverity, findings: Findings): void {
  const text = severity === 'error' ? detail : `${detail} It is not evaluated: the step is run.`;
  findings.add('CONDITIONAL_ROUTE', text, node, { address: step, hint: HINT, severity });
}

/** `spec.policy.admit`: a rule with a condition, or one that refuses, can't be planned. The rest of spec is NoETL's. */
export function readAdmission(step: MapNode, name: string, severity: RouteSeverity, findings: Findings): void {
  const spec = child(step, 'spec');
  if (spec === null || spec.kind !== 'map') return;
  const policy = child(spec, 'policy');
  ignoreBut(spec, 'policy', 'spec', name, findings);
  if (policy === null || policy.kind !== 'map') return;
  ignoreBut(policy, 'admit', 'spec.policy', name, findings);
  const admit = child(policy, 'admit');
  if (admit !== null && !isOpen(admit)) {
    conditional(`The step "${name}" has an admission rule.`, admit, name, severity, findings);
  }
}

function ignoreBut(map: MapNode, kept: string, what: string, step: string, findings: Findings): void {
  for (const [key, entry] of map.entries) {
    if (key !== kept)
      findings.add('KEY_IGNORED', `\`${what}.${key}\` of a step belongs to NoETL and has no effect here.`, entry, {
        address: step,
      });
  }
}

/** Whether an admission always lets the step in: nothing said, `true`, or rules that all allow without a condition. */
function isOpen(admit: TreeNode): boolean {
  if (admit.kind === 'scalar') return admit.value === null || admit.value === true;
  const rules = admit.kind === 'map' ? child(admit, 'rules') : admit;
  if (rules === null) return admit.kind === 'map' && admit.entries.size === 0;
  return rules.kind === 'list' && rules.items.every(isOpenRule);
}

function isOpenRule(rule: TreeNode): boolean {
  if (rule.kind !== 'map') return rule.kind === 'scalar' && rule.value === true;
  if (rule.entries.has('when')) return false;
  const clause = rule.entries.get('then')?.value ?? rule.entries.get('else')?.value ?? rule;
  const allow = clause.kind === 'map' ? child(clause, 'allow') : null;
  return allow !== null && allow.kind === 'scalar' && allow.value === true;
}

interface Routed {
  readonly name: string;
  readonly routes: readonly Route[];
}

/** The names that can be reached; null where the playbook has neither a `start` step nor any `next`: all of them. */
export function reachable(steps: readonly Routed[]): ReadonlySet<string> | null {
  const start = steps.find((step) => step.name === 'start') ?? steps[0];
  const routed = steps.some((step) => step.name === 'start' || step.routes.length > 0);
  if (!routed || start === undefined) return null;
  const byName = new Map(steps.map((step) => [step.name, step]));
  const reached = new Set([start.name]);
  for (const name of reached) {
    // A Set hands out what is added while it is walked.
    for (const route of byName.get(name)?.routes ?? []) if (byName.has(route.to)) reached.add(route.to);
  }
  return reached;
}

/** Complains about arcs to steps that are not there. NoETL's own `end` may be left out. */
export function checkTargets(steps: readonly Routed[], findings: Findings): void {
  const names = new Set(steps.map((step) => step.name));
  for (const step of steps) {
    for (const route of step.routes) {
      if (names.has(route.to) || route.to === 'end') continue;
      findings.add('UNKNOWN_STEP', `next of "${step.name}" names a step "${route.to}" that is not there.`, route.node, {
        address: step.name,
        hint: didYouMean(route.to, names),
      });
    }
  }
}
