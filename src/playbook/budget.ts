import type { Value } from '../core/value.ts';
import { TemplateError } from './expression.ts';

/** Steps of one expression: nodes evaluated, list items touched. */
const MAX_STEPS = 200_000;
/** Characters that one expression may produce. */
const MAX_OUTPUT = 1 << 20;
/** The whole playbook's: some seconds of work at most, however many steps a loop makes. */
const MAX_TOTAL_STEPS = 20_000_000;
const MAX_TOTAL_OUTPUT = 1 << 28;

/** Bounds what templates may cost, so that a playbook can be refused but can't hang. */
export class Budget {
  #totalSteps = 0;
  #totalOutput = 0;
  #steps = 0;
  #output = 0;
  readonly #sizes = new WeakMap<object, number>();

  /** A new expression begins. */
  begin(): void {
    this.#steps = 0;
    this.#output = 0;
  }

  steps(count: number): void {
    this.#steps += count;
    this.#totalSteps += count;
    if (this.#steps > MAX_STEPS)
      throw new TemplateError('TEMPLATE_LIMIT', `An expression takes more than ${MAX_STEPS} steps.`);
    if (this.#totalSteps > MAX_TOTAL_STEPS)
      throw new TemplateError('TEMPLATE_LIMIT', `The playbook's templates take more than ${MAX_TOTAL_STEPS} steps.`);
  }

  output(characters: number): void {
    this.#output += characters;
    this.#totalOutput += characters;
    if (this.#output > MAX_OUTPUT)
      throw new TemplateError('TEMPLATE_LIMIT', `An expression makes more than ${MAX_OUTPUT} characters.`);
    if (this.#totalOutput > MAX_TOTAL_OUTPUT)
      throw new TemplateError(
        'TEMPLATE_LIMIT',
        `The playbook's templates make more than ${MAX_TOTAL_OUTPUT} characters.`,
      );
  }

  /** A value is handed on as a whole: later work on it counts as if it were written out. */
  handOn(value: Value): void {
    const size = this.#sizeOf(value);
    this.#totalSteps += size;
    if (this.#totalSteps > MAX_TOTAL_STEPS)
      throw new TemplateError(
        'TEMPLATE_LIMIT',
        `The playbook's templates hand on more than ${MAX_TOTAL_STEPS} values.`,
      );
  }

  #sizeOf(value: Value): number {
    if (typeof value !== 'object' || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const size = Object.values(value).reduce<number>((sum, item) => sum + this.#sizeOf(item as Value), 1);
    this.#sizes.set(value, size);
    return size;
  }
}
