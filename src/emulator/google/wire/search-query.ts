import { invalidArgument } from './errors.ts';

/** The values of a field of the searched thing; undefined when there is no such field. */
export type FieldReader = (field: string) => readonly string[] | undefined;
export type Matcher = (read: FieldReader) => boolean;

type Join = 'AND' | 'OR';

/** `state=ACTIVE AND (displayName="A b" OR displayName:dev*)`; `implicit` joins terms with nothing between them. */
export function parseSearchQuery(text: string, implicit: Join): Matcher {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[()]|(?:[^\s()"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  if (tokens.length === 0) return () => true;
  const parser = new Parser(tokens, implicit, text);
  return parser.parse();
}

class Parser {
  private position = 0;
  private readonly tokens: readonly string[];
  private readonly implicit: Join;
  private readonly text: string;

  constructor(tokens: readonly string[], implicit: Join, text: string) {
    this.tokens = tokens;
    this.implicit = implicit;
    this.text = text;
  }

  parse(): Matcher {
    const matcher = this.disjunction();
    if (this.position < this.tokens.length) throw this.malformed();
    return matcher;
  }

  private disjunction(): Matcher {
    let left = this.conjunction();
    while (this.joins('OR')) {
      const first = left;
      const second = this.conjunction();
      left = (read) => first(read) || second(read);
    }
    return left;
  }

  private conjunction(): Matcher {
    let left = this.negation();
    while (this.joins('AND')) {
      const first = left;
      const second = this.negation();
      left = (read) => first(read) && second(read);
    }
    return left;
  }

  private negation(): Matcher {
    if (this.keyword() === 'NOT') {
      this.position++;
      const inner = this.negation();
      return (read) => !inner(read);
    }
    return this.primary();
  }

  private primary(): Matcher {
    const token = this.tokens[this.position++];
    if (token === undefined || token === ')') throw this.malformed();
    if (token !== '(') return this.term(token);
    const inner = this.disjunction();
    if (this.tokens[this.position++] !== ')') throw this.malformed();
    return inner;
  }

  private term(token: string): Matcher {
    const parts = /^(-?)([\w.-]+)(!=|=|:)(.*)$/s.exec(token);
    if (parts === null) throw this.malformed();
    const [, minus = '', field = '', operator = ''] = parts;
    // `name: value` and `name:"a b"` both occur; a value may stand in the next token.
    const value = parts[4] || this.tokens[this.position++];
    if (value === undefined) throw this.malformed();
    const wanted = unquote(value).toLowerCase();
    const negated = minus === '-' || operator === '!=';
    return (read) => {
      const values = read(field);
      if (values === undefined) throw invalidArgument(`Invalid query: unknown field ${field}.`);
      return values.some((candidate) => matches(candidate.toLowerCase(), wanted, operator)) !== negated;
    };
  }

  private keyword(): string | undefined {
    return this.tokens[this.position]?.toUpperCase();
  }

  /** Steps over a join of this kind, written or implied. */
  private joins(join: Join): boolean {
    const next = this.keyword();
    if (next === undefined || next === ')') return false;
    if (next === join) {
      this.position++;
      return true;
    }
    return next !== 'AND' && next !== 'OR' && this.implicit === join;
  }

  private malformed() {
    return invalidArgument(`Invalid query: ${this.text}`);
  }
}

function matches(candidate: string, wanted: string, operator: string): boolean {
  if (wanted === '*') return true;
  if (wanted.endsWith('*')) return candidate.startsWith(wanted.slice(0, -1));
  return candidate === wanted || (operator === ':' && candidate.split(/\s+/).includes(wanted));
}

function unquote(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replace(/\\(.)/gs, '$1');
}
