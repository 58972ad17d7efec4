import type { ValueObject } from '../core/value.ts';
import { type Catalogues, type ChosenAction, chooseAction } from './actions.ts';
import { readInput } from './fields.ts';
import type { Findings } from './findings.ts';
import { type Iteration, ONCE, readLoop } from './loops.ts';
import type { Variables } from './names.ts';
import { instanceAddress, type StepIndex } from './references.ts';
import { Renderer, type RenderTools } from './render.ts';
import { isTemplate } from './template-text.ts';
import { checkToolKeys, withDefaults } from './tool-keys.ts';
import { child, type MapNode } from './tree.ts';
import type { WrittenStep } from './workflow.ts';

/** Steps after loops and service lists; more is refused. */
export const MAX_STEPS = 100_000;

export interface BuildContext {
  readonly tools: RenderTools;
  readonly findings: Findings;
  readonly index: StepIndex;
  readonly catalogues: Catalogues;
  /** Steps with an error of their own, as they are found. */
  readonly broken: Set<WrittenStep>;
  readonly defaults: MapNode | null;
  /** `iter` is null here; each instance has its own. */
  readonly variables: Variables;
}

/** One pass of a step: everything that is known before references are. */
export interface Instance {
  readonly step: WrittenStep;
  readonly key: string | null;
  readonly variables: Variables;
  readonly chosen: ChosenAction;
  /** The tool with defaults under it. */
  readonly tool: MapNode;
  /** The input where it refers to no result; otherwise it is rendered again once all addresses are known. */
  readonly input: ValueObject | null;
  /** Keys of the steps that this one makes by its list of services; null: it is one step. */
  readonly services: readonly string[] | null;
}

export function addressesOf(instance: Instance): readonly string[] {
  const { step, key, services } = instance;
  if (services === null) return [instanceAddress(step.name, key, null)];
  return services.map((service) => instanceAddress(step.name, key, service));
}

/** Expands loops and lists of services, so that every address is known before a reference is looked up. */
export function expandSteps(steps: readonly WrittenStep[], context: BuildContext): readonly Instance[] {
  const instances: Instance[] = [];
  let count = 0;
  for (const step of steps) {
    const before = context.findings.complaints;
    const expanded = expandStep(step, context);
    if (context.findings.complaints > before) context.broken.add(step);
    count += expanded.reduce((sum, instance) => sum + Math.max(1, instance.services?.length ?? 1), 0);
    if (count > MAX_STEPS) {
      context.findings.add('YAML_LIMIT', `The playbook has more than ${MAX_STEPS} steps after loops.`, step.node);
      return instances;
    }
    for (const instance of expanded) instances.push(instance);
  }
  return instances;
}

function expandStep(step: WrittenStep, context: BuildContext): readonly Instance[] {
  const { index } = context;
  const loop = child(step.node, 'loop');
  const iterations =
    loop === null
      ? ONCE
      : readLoop(loop, step.name, new Renderer(context.tools, context.variables, true), context.findings);
  if (iterations === null || iterations.length > MAX_STEPS) {
    // Nothing is known about its instances: references to it are not judged.
    if (iterations !== null)
      context.findings.add('YAML_LIMIT', `The loop of "${step.name}" has more than ${MAX_STEPS} elements.`, loop);
    return [];
  }
  const plan = stepPlanner(step, context);
  const instances = iterations.flatMap((iteration) => expandIteration(step, iteration, plan, context) ?? []);
  if (loop === null) index.set(step.name, { noResult: null, keys: null, services: instances[0]?.services ?? null });
  else {
    const keys = new Map(iterations.map(({ key }) => [key ?? '', null as readonly string[] | null]));
    for (const instance of instances) keys.set(instance.key ?? '', instance.services);
    index.set(step.name, { noResult: null, keys, services: null });
  }
  return instances;
}

interface ToolPlan {
  readonly chosen: ChosenAction;
  readonly tool: MapNode;
}
type Planner = (renderer: Renderer) => ToolPlan | null;

/** A step's action and its tool under defaults: worked out once, unless a template makes them differ by instance. */
function stepPlanner(step: WrittenStep, context: BuildContext): Planner {
  const written = step.tool.kind === 'provider' ? step.tool.node : step.node;
  const varies = ['action', 'provider', 'service', 'runtime'].some((key) =>
    hasTemplate(child(written, key) ?? child(context.defaults, key)),
  );
  let known: ToolPlan | null | undefined;
  const plan = (renderer: Renderer): ToolPlan | null => {
    const chosen = chooseAction(written, context.defaults, step.name, renderer, context.catalogues);
    if (chosen === null) return null;
    checkToolKeys(written, chosen.provider, step.name, context.findings);
    const tool = withDefaults(written, context.defaults, chosen.provider, chosen.action);
    return { chosen, tool };
  };
  if (varies) return plan;
  return (renderer) => {
    if (known === undefined) known = plan(renderer);
    return known;
  };
}

function hasTemplate(node: ReturnType<typeof child>): boolean {
  return node?.kind === 'scalar' && typeof node.value === 'string' && isTemplate(node.value);
}

function expandIteration(
  step: WrittenStep,
  iteration: Iteration,
  planner: Planner,
  context: BuildContext,
): Instance | null {
  const variables = { ...context.variables, iter: iteration.iter };
  const renderer = new Renderer(context.tools, variables, true);
  const plan = planner(renderer);
  if (plan === null) return null;
  const { chosen, tool } = plan;
  const before = renderer.references.length;
  const input = readInput(child(tool, 'input'), step.name, renderer);
  const clean = input !== undefined && renderer.references.length === before;
  const expanded = input === undefined ? null : chosen.catalogue.expandInput(chosen.action, input);
  const services = expanded === null ? null : expanded.map(({ key }) => key);
  return { step, key: iteration.key, variables, chosen, tool, input: clean ? input : null, services };
}
