import type { Budget } from './budget.ts';
import { chain, type Names, type Of } from './evaluator.ts';
import type { Expression } from './expression.ts';

/** The paths into results that an expression names, whether or not they would be evaluated. */
export function resultPaths(expression: Expression, names: Names, budget: Budget): void {
  if (expression.kind === 'name') {
    if (names.isResult(expression.name)) names.result(expression.name, []);
    return;
  }
  if (expression.kind === 'member') chainPaths(expression, names, budget);
  else for (const part of partsOf(expression)) resultPaths(part, names, budget);
}

function chainPaths(expression: Of<'member'>, names: Names, budget: Budget): void {
  let current: Expression = expression;
  while (current.kind === 'member') current = current.object;
  if (current.kind === 'name' && names.isResult(current.name)) {
    names.result(current.name, chain(expression, names, budget).path);
  } else resultPaths(current, names, budget);
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.flat();
    case 'unary':
    case 'test':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'filter':
      return [expression.operand, ...expression.args.positional, ...expression.args.named.values()];
    case 'conditional':
      return [expression.condition, expression.then, ...(expression.otherwise === null ? [] : [expression.otherwise])];
    default:
      return [];
  }
}
