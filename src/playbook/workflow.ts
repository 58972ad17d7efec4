import { editDistance } from '../core/nearest.ts';
import type { Findings } from './findings.ts';
import { RESERVED_NAMES } from './references.ts';
import { type Route, type RouteSeverity, readAdmission, readRoutes } from './routes.ts';
import { asMap, checkKeys, literalText, missingKey } from './shape.ts';
import { child, describe, type Entry, type ListNode, type MapNode, positionOf, type TreeNode } from './tree.ts';

const STEP_KEYS: ReadonlySet<string> = new Set([
  'step',
  'desc',
  'tool',
  'loop',
  'depends_on',
  'next',
  'spec',
  'args',
  'set',
  'vars',
  'timeout',
  'retry',
]);
const IGNORED_STEP_KEYS: readonly string[] = ['args', 'set', 'vars', 'retry'];
/** A name is part of addresses and of what people read: no brackets, nothing invisible. */
const NAME = /^[^[\]\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,200}$/u;
const PROVIDER = 'provider';

export type StepTool =
  | { readonly kind: 'provider'; readonly node: MapNode }
  | { readonly kind: 'other'; readonly what: string }
  | { readonly kind: 'routing' };

/** One entry of the workflow as it is written. */
export interface WrittenStep {
  readonly name: string;
  readonly index: number;
  readonly node: MapNode;
  readonly tool: StepTool;
  readonly routes: readonly Route[];
  /** The names in depends_on with their places. */
  readonly dependsOn: readonly { readonly name: string; readonly node: TreeNode }[];
}

/** Reads the workflow's list; what is wrong in one step does not hide the others. */
export function readWorkflow(list: ListNode, severity: RouteSeverity, findings: Findings): readonly WrittenStep[] {
  if (list.items.length === 0) findings.add('INVALID_VALUE', 'workflow has no steps.', list);
  const seen = new Map<string, TreeNode>();
  const steps: WrittenStep[] = [];
  for (const [index, item] of list.items.entries()) {
    const step = readStep(item, index, severity, findings);
    if (step !== null && isNew(step, seen, findings)) steps.push(step);
  }
  return steps;
}

function isNew(step: WrittenStep, seen: Map<string, TreeNode>, findings: Findings): boolean {
  const earlier = seen.get(step.name);
  if (earlier === undefined) {
    seen.set(step.name, step.node);
    return true;
  }
  const { line, column } = positionOf(earlier);
  findings.add(
    'DUPLICATE_STEP',
    `The step "${step.name}" stands already at ${line}:${column}.`,
    child(step.node, 'step') ?? step.node,
    { address: step.name },
  );
  return false;
}

function readStep(item: TreeNode, index: number, severity: RouteSeverity, findings: Findings): WrittenStep | null {
  const node = asMap(item, 'A step', findings);
  if (node === null) return null;
  const name = readName(node, findings);
  if (name === null) return null;
  const tool = readTool(node, name, findings);
  if (tool === null) return null;
  // Of a step that is never run, only what orders the others is ours to judge.
  if (tool.kind !== 'other') checkStepKeys(node, name, findings);
  readAdmission(node, name, tool.kind === 'provider' ? severity : 'note', findings);
  const routes = readRoutes(child(node, 'next'), name, severity, findings);
  return { name, index, node, tool, routes, dependsOn: readDependsOn(child(node, 'depends_on'), findings) };
}

function readName(node: MapNode, findings: Findings): string | null {
  const written = child(node, 'step');
  if (written === null) {
    missingKey(findings, 'A step', 'step', node, 'step: <a unique name>');
    return null;
  }
  const name = literalText(written, 'step', findings);
  if (name === null) return null;
  if (RESERVED_NAMES.has(name)) {
    findings.add(
      'INVALID_VALUE',
      `A step can't be named "${name}": templates use the name for something else.`,
      written,
    );
    return null;
  }
  if (NAME.test(name) && name.trim() === name) return name;
  findings.add(
    'INVALID_VALUE',
    "A step's name has 1 to 200 characters, no brackets and no control characters.",
    written,
  );
  return null;
}

function checkStepKeys(node: MapNode, name: string, findings: Findings): void {
  checkKeys(node, STEP_KEYS, `The step "${name}"`, findings);
  for (const key of IGNORED_STEP_KEYS) {
    const entry = node.entries.get(key);
    if (entry !== undefined)
      findings.add('KEY_IGNORED', `\`${key}\` of a step belongs to NoETL and has no effect here.`, entry, {
        address: name,
      });
  }
}

function readDependsOn(node: TreeNode | null, findings: Findings): WrittenStep['dependsOn'] {
  if (node === null || (node.kind === 'scalar' && node.value === null)) return [];
  if (node.kind === 'map') {
    findings.add('INVALID_VALUE', "depends_on must be a step's name or a list of them, not a mapping.", node);
    return [];
  }
  const items = node.kind === 'list' ? node.items : [node];
  return items.flatMap((item) => {
    const name = literalText(item, 'depends_on', findings);
    return name === null ? [] : [{ name, node: item }];
  });
}

function readTool(node: MapNode, name: string, findings: Findings): StepTool | null {
  const entry = node.entries.get('tool');
  if (entry === undefined || (entry.value.kind === 'scalar' && entry.value.value === null)) return { kind: 'routing' };
  const tool = entry.value;
  if (tool.kind === 'map') return readToolMap(tool, name, findings);
  if (tool.kind === 'list') return readToolList(tool, entry, name, findings);
  return typeof tool.value === 'string' ? toolOfKind(tool.value, tool, null, findings) : refuseTool(tool, findings);
}

function refuseTool(tool: TreeNode, findings: Findings): null {
  findings.add('INVALID_VALUE', `tool must be a mapping with \`kind: provider\`, not ${describe(tool)}.`, tool);
  return null;
}

function readToolMap(tool: MapNode, name: string, findings: Findings): StepTool | null {
  const kind = child(tool, 'kind');
  if (kind === null) {
    missingKey(findings, `The tool of step "${name}"`, 'kind', tool, 'kind: provider');
    return null;
  }
  if (kind.kind === 'scalar' && typeof kind.value === 'string') return toolOfKind(kind.value, kind, tool, findings);
  findings.add('INVALID_VALUE', `tool.kind must be a text such as provider, not ${describe(kind)}.`, kind);
  return null;
}

/** A slip in `provider` must not turn a step into one that is quietly left out. */
function toolOfKind(kind: string, place: TreeNode, tool: MapNode | null, findings: Findings): StepTool | null {
  if (kind === PROVIDER) return tool === null ? refuseTool(place, findings) : { kind: 'provider', node: tool };
  if (editDistance(kind.toLowerCase().slice(0, 20), PROVIDER) > 2) return { kind: 'other', what: kind };
  findings.add('INVALID_VALUE', `There is no tool kind "${kind}".`, place, { hint: 'did you mean "provider"?' });
  return null;
}

function readToolList(list: ListNode, entry: Entry, name: string, findings: Findings): StepTool | null {
  const tasks = list.items.map(unlabelled);
  const provider = tasks.find((task) => task !== null && isProviderTask(task));
  if (tasks.length === 1 && tasks[0] !== null && tasks[0] !== undefined) return readToolMap(tasks[0], name, findings);
  if (provider === undefined && tasks.length > 0) return { kind: 'other', what: 'a list of tasks' };
  findings.add(
    'INVALID_VALUE',
    `A tool that is a list holds exactly one task with \`kind: provider\`, not ${list.items.length} tasks.`,
    entry,
    { hint: 'make each provider task a step of its own' },
  );
  return null;
}

function isProviderTask(task: MapNode): boolean {
  const kind = child(task, 'kind');
  return kind?.kind === 'scalar' && kind.value === PROVIDER;
}

/** NoETL also writes a task as `- label: { kind: ... }`. */
function unlabelled(item: TreeNode): MapNode | null {
  if (item.kind !== 'map') return null;
  const [only] = [...item.entries.values()];
  const labelled = item.entries.size === 1 && only?.value.kind === 'map' && only.value.entries.has('kind');
  return labelled && only.value.kind === 'map' ? only.value : item;
}
