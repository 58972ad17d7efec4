import type { Json } from '../core/json.ts';
import { type DeferredTemplate, deferred, type Reference, type Value } from '../core/value.ts';
import type { Budget } from './budget.ts';
import { concatenate, evaluate, type Names, NeedsResult, present } from './evaluator.ts';
import { type Expression, parsePath, TemplateError } from './expression.ts';
import { resultPaths } from './result-paths.ts';
import { isTemplate, splitTemplate } from './template-text.ts';

/** The full grammar's parser; null while it is not loaded. */
export type ExpressionParser = (text: string) => Expression;

/** Thrown when an expression is no plain path and the full parser is not loaded yet. */
export class ParserNeeded extends Error {}

export interface CompiledTemplate {
  readonly parts: readonly (string | Expression)[];
  readonly whole: boolean;
}

/** Compiles each distinct text once: a loop's template is read once, not once an instance. */
export class TemplateCompiler {
  readonly #parse: ExpressionParser | null;
  readonly #compiled = new Map<string, CompiledTemplate | TemplateError>();

  constructor(parse: ExpressionParser | null) {
    this.#parse = parse;
  }

  /** Throws TemplateError, or ParserNeeded. */
  compile(text: string): CompiledTemplate {
    const known = this.#compiled.get(text) ?? this.#fresh(text);
    if (known instanceof TemplateError) throw known;
    return known;
  }

  #fresh(text: string): CompiledTemplate | TemplateError {
    const result = this.#attempt(text);
    this.#compiled.set(text, result);
    return result;
  }

  #attempt(text: string): CompiledTemplate | TemplateError {
    try {
      const { parts, whole } = splitTemplate(text);
      return {
        whole,
        parts: parts.map((part) => (typeof part === 'string' ? part : this.#expression(part.expression))),
      };
    } catch (error) {
      if (error instanceof TemplateError) return error;
      throw error;
    }
  }

  #expression(text: string): Expression {
    const path = parsePath(text);
    if (path !== null) return path;
    if (this.#parse === null) throw new ParserNeeded();
    return this.#parse(text);
  }
}

/** What a template is rendered in: names, and the references that were met. */
export interface RenderScope {
  readonly names: Names;
  readonly iter: Json;
  /** Filled by `names.result`. */
  readonly references: Reference[];
}

/** Renders a text; what waits for results stays unknown. Throws TemplateError, or ParserNeeded. */
export function renderText(text: string, compiler: TemplateCompiler, scope: RenderScope, budget: Budget): Value {
  if (!isTemplate(text)) return text;
  const template = compiler.compile(text);
  budget.begin();
  try {
    return renderTemplate(template, scope.names, budget);
  } catch (error) {
    if (!(error instanceof NeedsResult)) throw error;
    return deferredTemplate(text, template, scope, budget);
  }
}

/** Throws NeedsResult where the template decides on something unknown. */
export function renderTemplate(template: CompiledTemplate, names: Names, budget: Budget): Value {
  const [only] = template.parts;
  if (template.whole && typeof only === 'object') {
    const value = present(evaluate(only, names, budget));
    budget.handOn(value);
    return value;
  }
  return concatenate(
    template.parts.map((part) => (typeof part === 'string' ? part : present(evaluate(part, names, budget)))),
    budget,
  );
}

function deferredTemplate(text: string, template: CompiledTemplate, scope: RenderScope, budget: Budget): Value {
  const from = scope.references.length;
  try {
    for (const part of template.parts) if (typeof part === 'object') resultPaths(part, scope.names, budget);
  } catch (error) {
    if (!(error instanceof NeedsResult)) throw error;
    throw new TemplateError('TEMPLATE_INVALID', "A reference to a result can't depend on another result.");
  }
  const refs = scope.references.slice(from);
  const waiting: DeferredTemplate = { text, iter: scope.iter, addresses: [...new Set(refs.map((ref) => ref.address))] };
  return deferred(waiting, refs);
}
