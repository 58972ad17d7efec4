import type { Json } from '../core/json.ts';

export type BinaryOperator =
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '//'
  | '%'
  | '~'
  | 'and'
  | 'or'
  | 'in'
  | 'not in';

/** An expression as the evaluator knows it: nothing that is not here can be written in a template. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly object: Expression; readonly property: Expression }
  | { readonly kind: 'unary'; readonly operator: '+' | '-' | 'not'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'filter'; readonly name: string; readonly operand: Expression; readonly args: FilterArguments }
  | { readonly kind: 'test'; readonly test: 'defined' | 'none'; readonly negate: boolean; readonly operand: Expression }
  | {
      readonly kind: 'conditional';
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression | null;
    };

export interface FilterArguments {
  readonly positional: readonly Expression[];
  readonly named: ReadonlyMap<string, Expression>;
}

/** What is wrong with a template; carried to where its position is known. */
export class TemplateError extends Error {
  readonly code: 'TEMPLATE_INVALID' | 'TEMPLATE_UNDEFINED' | 'TEMPLATE_LIMIT' | 'UNKNOWN_STEP';
  readonly hint: string | null;
  constructor(code: TemplateError['code'], detail: string, hint: string | null = null) {
    super(detail);
    this.name = 'TemplateError';
    this.code = code;
    this.hint = hint;
  }
}

/** Words that the full grammar does not read as a name where an expression starts. */
const WORDS = new Set(['true', 'false', 'none', 'True', 'False', 'None', 'not', 'and', 'or', 'in', 'is', 'if', 'else']);
const PATH = /^\s*[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*\s*$/;

/**
 * Reads `a.b.c`, which is what nearly every expression is, without the full parser (whose loading costs as much as
 * reading a small playbook). Null: not such a path. A test holds both to the same result.
 */
export function parsePath(text: string): Expression | null {
  if (!PATH.test(text)) return null;
  const [root, ...rest] = text.trim().split('.');
  if (root === undefined || WORDS.has(root)) return null;
  return rest.reduce<Expression>(
    (object, name) => ({ kind: 'member', object, property: { kind: 'literal', value: name } }),
    { kind: 'name', name: root },
  );
}
