import type { Json } from '../core/json.ts';
import { didYouMean } from '../core/nearest.ts';
import { DEFAULT_POLL, type GuardSpec, type Skip, type Step } from '../core/step.ts';
import { display, type Reference, type ValueObject } from '../core/value.ts';
import { readFields, readInput, type ToolFields } from './fields.ts';
import { addGuards, type GuardLevel, readGuard } from './guard.ts';
import { addressesOf, type BuildContext, type Instance } from './instances.ts';
import type { Order } from './order.ts';
import { Positions } from './positions.ts';
import { instanceAddress } from './references.ts';
import { Renderer } from './render.ts';
import { isTemplate } from './template-text.ts';
import { child, positionOf } from './tree.ts';
import type { WrittenStep } from './workflow.ts';

/** What `desc` shows for an execution that does not exist yet. */
const FUTURE_EXECUTION = '(known after apply: execution_id)';

/** Turns instances into steps; guards are worked out once a written step. */
export class StepBuilder {
  readonly #context: BuildContext;
  readonly #order: Order;
  /** The guards under every step's own: defaults, infra.yaml, the caller. */
  readonly #guards: readonly GuardLevel[];
  readonly #stepGuards = new Map<WrittenStep, GuardSpec | null>();
  #edges = 0;

  constructor(context: BuildContext, order: Order, guards: readonly GuardLevel[]) {
    this.#context = context;
    this.#order = order;
    this.#guards = guards;
  }

  /** How many dependencies the steps built so far have. */
  get edges(): number {
    return this.#edges;
  }

  /** The steps of one instance: several where it has a list of services. */
  build(instance: Instance, firstIndex: number): readonly Step[] {
    const { step, tool, chosen } = instance;
    const renderer = new Renderer(this.#context.tools, instance.variables);
    const input = instance.input ?? readInput(child(tool, 'input'), step.name, renderer) ?? {};
    this.#checkInputKeys(instance, input);
    const fields = readFields(tool, child(step.node, 'timeout'), renderer);
    const shared = {
      name: step.name,
      desc: this.#desc(instance),
      source: positionOf(step.node),
      positions: new Positions(tool),
      skip: null,
      provider: chosen.provider,
      action: chosen.action.name,
      ...fields,
      guard: this.#guardOf(step),
    };
    const dependsOn = this.#dependsOn(step.name, renderer.references);
    return this.#parts(instance, input).map((part, offset) => {
      this.#edges += dependsOn.length;
      return { ...shared, address: part.address, index: firstIndex + offset, input: part.input, dependsOn };
    });
  }

  #parts(instance: Instance, input: ValueObject): readonly { address: string; input: ValueObject }[] {
    const { step, key, chosen } = instance;
    const expanded = instance.services === null ? null : chosen.catalogue.expandInput(chosen.action, input);
    if (expanded === null) return [{ address: addressesOf(instance)[0] ?? step.name, input }];
    return expanded.map((part) => ({ address: instanceAddress(step.name, key, part.key), input: part.input }));
  }

  #dependsOn(name: string, references: readonly Reference[]): readonly string[] {
    const shared = this.#order.before(name);
    if (references.length === 0) return shared;
    return [...new Set([...references.map((reference) => reference.address), ...shared])];
  }

  /** Keys as they are written; of an input that a template gives, as it gave them. */
  #checkInputKeys(instance: Instance, input: ValueObject): void {
    const { action } = instance.chosen;
    const node = child(instance.tool, 'input');
    const written = node?.kind === 'map' ? node.entries : null;
    for (const key of written?.keys() ?? Object.keys(input)) {
      if (action.inputKeys.includes(key)) continue;
      const place = written?.get(key) ?? node ?? instance.tool;
      const hint = didYouMean(key, action.inputKeys) ?? `keys: ${action.inputKeys.join(', ')}`;
      this.#context.findings.add('UNKNOWN_KEY', `The input of ${action.name} has no key "${key}".`, place, {
        hint,
        address: instance.step.name,
      });
    }
  }

  #desc(instance: Instance): string | null {
    const node = child(instance.step.node, 'desc');
    if (node === null || (node.kind === 'scalar' && node.value === null)) return null;
    if (node.kind === 'scalar' && typeof node.value === 'string' && !isTemplate(node.value)) return node.value;
    const executionId: Json = instance.variables.executionId ?? FUTURE_EXECUTION;
    const renderer = new Renderer(this.#context.tools, { ...instance.variables, executionId });
    const value = renderer.value(node);
    if (value === undefined) return null;
    const shown = display(value);
    return typeof shown === 'string' ? shown : JSON.stringify(shown);
  }

  #guardOf(step: WrittenStep): GuardSpec | null {
    const known = this.#stepGuards.get(step);
    if (known !== undefined) return known;
    const node = step.tool.kind === 'provider' ? child(step.tool.node, 'guard') : null;
    const own = node === null ? null : readGuard(node, 'the step', this.#context.findings);
    const levels = own === null ? this.#guards : [own, ...this.#guards];
    const guard = addGuards(levels, step.name, step.node, this.#context.findings);
    this.#stepGuards.set(step, guard);
    return guard;
  }
}

const NOTHING: ToolFields = {
  stack: null,
  reconcile: null,
  dryRun: null,
  auth: null,
  endpoint: null,
  poll: DEFAULT_POLL,
  timeoutMs: null,
  protect: null,
  confirm: null,
  knownDesired: null,
  settings: null,
  identity: null,
  logicalId: null,
  resourceId: null,
};

/** A step that is listed and never run. */
export function skippedStep(step: WrittenStep, skip: Skip, index: number): Step {
  const desc = child(step.node, 'desc');
  const text = desc?.kind === 'scalar' && typeof desc.value === 'string' ? desc.value : null;
  return {
    ...NOTHING,
    address: step.name,
    name: step.name,
    index,
    desc: text,
    source: positionOf(step.node),
    positions: new Map(),
    skip,
    provider: '',
    action: '',
    input: {},
    guard: null,
    dependsOn: [],
  };
}
