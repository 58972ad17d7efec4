import type { Json, JsonObject } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { type Reference, unknownOf } from '../core/value.ts';
import type { Names, Operand } from './evaluator.ts';
import { TemplateError } from './expression.ts';
import type { Segment } from './own-path.ts';
import { RESERVED_NAMES, type StepIndex } from './references.ts';

/** The variables of a template. */
export interface Variables {
  readonly workload: Json;
  readonly env: JsonObject;
  /** The loop's variables; null outside of a loop. */
  readonly iter: JsonObject | null;
  /** Undefined: not in scope. */
  readonly executionId: Json | undefined;
}

/** Looks a root name up among the variables. Throws TemplateError for a name that is none. */
export function variable(name: string, variables: Variables, steps: Iterable<string>): Operand {
  switch (name) {
    case 'workload':
      return variables.workload;
    case 'env':
      return variables.env;
    case 'iter':
      if (variables.iter !== null) return variables.iter;
      throw new TemplateError('TEMPLATE_UNDEFINED', '`iter` is only there in a step with a loop.');
    case 'execution_id':
      if (variables.executionId !== undefined) return variables.executionId;
      throw new TemplateError(
        'TEMPLATE_UNDEFINED',
        '`execution_id` is only there under `infra exec` and in `desc`.',
        'a plan is made before there is an execution',
      );
    default:
      throw unknownVariable(name, steps);
  }
}

function unknownVariable(name: string, steps: Iterable<string>): TemplateError {
  const near = nearest(name, [...RESERVED_NAMES, ...steps]);
  const hint =
    near === null
      ? 'variables: workload.<key>, iter.<iterator>, env.<NAME>, steps.<step>.<path>'
      : `did you mean "${near}"?`;
  return new TemplateError('TEMPLATE_UNDEFINED', `There is no variable "${name}".`, hint);
}

/** The names of a template while a playbook is loaded: results are unknown, references are noted. */
export class LoadNames implements Names {
  readonly #variables: Variables;
  readonly #index: StepIndex;
  readonly #references: Reference[];
  readonly #lenient: boolean;

  /** `lenient`: instances are not all known yet, so references are noted without a check. */
  constructor(variables: Variables, index: StepIndex, references: Reference[], lenient: boolean) {
    this.#variables = variables;
    this.#index = index;
    this.#references = references;
    this.#lenient = lenient;
  }

  isResult(name: string): boolean {
    return this.#index.isResult(name);
  }

  result(name: string, path: readonly Segment[]): Operand {
    const reference = this.#lenient ? { address: name, path: path.join('.') } : this.#index.resolve(name, path);
    this.#references.push(reference);
    return unknownOf([reference]);
  }

  variable(name: string): Operand {
    return variable(name, this.#variables, this.#index.names());
  }
}
