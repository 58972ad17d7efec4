import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import type { Playbook } from '../core/step.ts';
import { type DeferredTemplate, knownAfterApply, type Reference, type ReferenceLookup } from '../core/value.ts';
import { Budget } from './budget.ts';
import { type Names, NeedsResult, type Operand } from './evaluator.ts';
import { TemplateError } from './expression.ts';
import { type Variables, variable } from './names.ts';
import { Missing, type Segment } from './own-path.ts';
import { formatPath } from './reference-path.ts';
import { renderTemplate, TemplateCompiler } from './templates.ts';

/** Evaluates a deferred template against what is known by now; undefined while it would decide on something unknown. */
export type DeferredEvaluator = (template: DeferredTemplate, lookup: ReferenceLookup) => Json | undefined;

/**
 * Makes the evaluator of a playbook's deferred templates. `lookup` gives undefined for what is not known yet, which leaves
 * the template undecided, and throws a DiagnosticError of TEMPLATE_UNDEFINED for what will never be, which `default` and
 * `is defined` can catch. The evaluator throws DiagnosticError where the template itself fails.
 */
export async function evaluatorFor(playbook: Pick<Playbook, 'scope'>): Promise<DeferredEvaluator> {
  const { parseExpression } = await import('./expression-parser.ts');
  const compiler = new TemplateCompiler(parseExpression);
  const budget = new Budget();
  return (template, lookup) => evaluateWith(template, playbook.scope, lookup, compiler, budget);
}

/** Evaluates one deferred template; see `evaluatorFor`. */
export async function evaluateTemplate(
  template: DeferredTemplate,
  scope: Playbook['scope'],
  lookup: ReferenceLookup,
): Promise<Json | undefined> {
  return (await evaluatorFor({ scope }))(template, lookup);
}

/** What to say where a template still has to decide on something unknown when its value is needed. */
export function decidesOnUnknown(template: DeferredTemplate, refs: readonly Reference[]): Diagnostic {
  const waiting = [...new Set(refs.map(knownAfterApply))].join(', ');
  const detail = `The template ${JSON.stringify(template.text)} decides on ${waiting}.`;
  return diagnostic('TEMPLATE_DECIDES', detail, {
    hint: 'pass the result on whole or inside a text, or take the value from workload',
  });
}

function evaluateWith(
  template: DeferredTemplate,
  scope: Playbook['scope'],
  lookup: ReferenceLookup,
  compiler: TemplateCompiler,
  budget: Budget,
): Json | undefined {
  budget.begin();
  try {
    const value = renderTemplate(compiler.compile(template.text), new ResultNames(template, scope, lookup), budget);
    return value as Json;
  } catch (error) {
    if (error instanceof NeedsResult) return undefined;
    if (!(error instanceof TemplateError)) throw error;
    throw new DiagnosticError([diagnostic(error.code, error.message, { hint: error.hint })]);
  }
}

function isUndefinedResult(error: unknown): boolean {
  return error instanceof DiagnosticError && error.diagnostics.some((item) => item.code === 'TEMPLATE_UNDEFINED');
}

/** The names of a template once results are there. */
class ResultNames implements Names {
  readonly #addresses: readonly string[];
  readonly #variables: Variables;
  readonly #lookup: ReferenceLookup;

  constructor(template: DeferredTemplate, scope: Playbook['scope'], lookup: ReferenceLookup) {
    this.#addresses = template.addresses ?? [];
    this.#lookup = lookup;
    const iter = isJsonObject(template.iter) ? template.iter : null;
    this.#variables = { workload: scope.workload, env: scope.env, iter, executionId: undefined };
  }

  isResult(name: string): boolean {
    return name === 'steps' || this.#addresses.some((address) => address === name || address.startsWith(`${name}[`));
  }

  result(name: string, path: readonly Segment[]): Operand {
    const { address, below } = this.#locate(name, path);
    try {
      const value = this.#lookup({ address, path: formatPath(below) });
      if (value !== undefined) return value;
    } catch (error) {
      if (!isUndefinedResult(error)) throw error;
      return new Missing(`the result of step ${address} has no ${JSON.stringify(formatPath(below))}`);
    }
    throw new NeedsResult();
  }

  /** The longest address that the path begins with: `steps.a['k']` is the instance where there is one. */
  #locate(name: string, path: readonly Segment[]): { address: string; below: readonly Segment[] } {
    const segments = name === 'steps' ? path : [name, ...path];
    const [first = '', second, third] = segments.map(String);
    const candidates = [`${first}[${second}][${third}]`, `${first}[${second}]`, first];
    const found = candidates.findIndex((candidate) => this.#addresses.includes(candidate));
    const used = found === -1 ? 1 : 3 - found;
    const below = segments.slice(used);
    return { address: candidates[3 - used] ?? first, below: name === 'steps' ? below : below.slice(1) };
  }

  variable(name: string): Operand {
    return variable(name, this.#variables, this.#addresses);
  }
}
