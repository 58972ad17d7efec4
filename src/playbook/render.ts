import type { Json } from '../core/json.ts';
import { isKnown, type Reference, type Value } from '../core/value.ts';
import type { Budget } from './budget.ts';
import { TemplateError } from './expression.ts';
import type { Findings } from './findings.ts';
import { LoadNames, type Variables } from './names.ts';
import type { StepIndex } from './references.ts';
import { type RenderScope, renderText, type TemplateCompiler } from './templates.ts';
import type { TreeNode } from './tree.ts';

/** What rendering needs everywhere. */
export interface RenderTools {
  readonly compiler: TemplateCompiler;
  readonly budget: Budget;
  readonly index: StepIndex;
  readonly findings: Findings;
}

/** Renders the nodes of one step instance. */
export class Renderer {
  readonly #tools: RenderTools;
  readonly #variables: Variables;
  readonly #scope: RenderScope;
  /** Every reference met so far, in order. */
  readonly references: Reference[] = [];

  constructor(tools: RenderTools, variables: Variables, lenient = false) {
    this.#tools = tools;
    this.#variables = variables;
    const names = new LoadNames(variables, tools.index, this.references, lenient);
    this.#scope = { names, iter: variables.iter, references: this.references };
  }

  get findings(): Findings {
    return this.#tools.findings;
  }

  /** The same variables but an execution id, for `desc`. */
  withExecutionId(executionId: Json): Renderer {
    return new Renderer(this.#tools, { ...this.#variables, executionId });
  }

  /** A node's value. Undefined when a template failed; the findings say why. */
  value(node: TreeNode): Value | undefined {
    if (node.kind === 'scalar') return typeof node.value === 'string' ? this.#text(node.value, node) : node.value;
    if (node.kind === 'list') return this.#list(node.items);
    const members: Record<string, Value> = {};
    let complete = true;
    for (const [key, entry] of node.entries) {
      const value = this.value(entry.value);
      if (value === undefined) complete = false;
      else members[key] = value;
    }
    return complete ? members : undefined;
  }

  #list(items: readonly TreeNode[]): Value | undefined {
    const values = items.map((item) => this.value(item));
    return values.every((value) => value !== undefined) ? (values as readonly Value[]) : undefined;
  }

  #text(text: string, node: TreeNode): Value | undefined {
    try {
      return renderText(text, this.#tools.compiler, this.#scope, this.#tools.budget);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.findings.add(error.code, error.message, node, { hint: error.hint });
      return undefined;
    }
  }

  /** A value that must be known before anything runs. Undefined when it isn't or failed. */
  static(node: TreeNode, what: string): Json | undefined {
    const value = this.value(node);
    if (value === undefined) return undefined;
    if (isKnown(value)) return value as Json;
    const detail = `${what} can't wait for another step's result; it must be known before anything runs.`;
    this.findings.add('STATIC_REQUIRED', detail, node, { hint: 'use literals, workload and env' });
    return undefined;
  }
}
