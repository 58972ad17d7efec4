import { FakeFailure, FlagFailure } from './failures.ts';

/** `list` splits at commas and may be repeated; `repeat` is taken as it is; `missing` is a real flag that this fake lacks. */
export type FlagType = 'string' | 'bool' | 'int' | 'list' | 'repeat' | 'map' | 'missing';

export type FlagTypes = Readonly<Record<string, FlagType>>;

/** The flags of one call, as they were given. */
export class Flags {
  private readonly given: ReadonlyMap<string, readonly string[]>;

  constructor(given: ReadonlyMap<string, readonly string[]>) {
    this.given = given;
  }

  has(name: string): boolean {
    return this.given.has(name);
  }

  /** Of a flag given twice the last one counts. */
  text(name: string): string | undefined {
    return this.given.get(name)?.at(-1);
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : Number(text);
  }

  bool(name: string): boolean {
    return TRUE.has(this.text(name) ?? 'false');
  }

  texts(name: string): readonly string[] {
    return this.given.get(name) ?? [];
  }

  list(name: string): readonly string[] {
    return this.texts(name)
      .flatMap((text) => text.split(','))
      .filter((item) => item !== '');
  }

  /** `k=v,k2=v2`, split at the first `=`; undefined when the flag was not given, empty for `--labels ""`. */
  map(name: string): Record<string, string> | undefined {
    if (!this.has(name)) return undefined;
    return Object.fromEntries(this.list(name).map((item) => pair(item, name)));
  }
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);
const SHORTHANDS: Readonly<Record<string, string>> = { h: 'help', v: 'version' };

export interface ParsedArguments {
  readonly flags: Flags;
  readonly operands: readonly string[];
}

/** Parses as Go's pflag does: flags anywhere, a value after `=` or as the next argument, switches only with `=`. */
export function parseFlags(argv: readonly string[], types: FlagTypes): ParsedArguments {
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') {
      operands.push(...argv.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    const flag = readFlag(word, types);
    const type = typeOf(flag.name, types, word);
    let { value } = flag;
    if (value === undefined && type === 'bool') value = 'true';
    if (value === undefined) {
      at += 1;
      value = argv[at];
      if (value === undefined) throw new FlagFailure(`flag needs an argument: ${word}`);
    }
    check(flag.name, type, value);
    given.set(flag.name, [...(given.get(flag.name) ?? []), value]);
  }
  return { flags: new Flags(given), operands };
}

function readFlag(word: string, types: FlagTypes): { readonly name: string; readonly value: string | undefined } {
  if (!word.startsWith('--')) {
    const name = SHORTHANDS[word.slice(1)];
    if (name === undefined || types[name] === undefined)
      throw new FlagFailure(`unknown shorthand flag: '${word[1]}' in ${word}`);
    return { name, value: undefined };
  }
  const equals = word.indexOf('=');
  return equals === -1
    ? { name: word.slice(2), value: undefined }
    : { name: word.slice(2, equals), value: word.slice(equals + 1) };
}

function typeOf(name: string, types: FlagTypes, word: string): FlagType {
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined) throw new FlagFailure(`unknown flag: ${word.split('=')[0]}`);
  if (type === 'missing') throw new FakeFailure(`--${name} is a flag of yc's that this fake lacks`);
  return type;
}

function check(name: string, type: FlagType, value: string): void {
  if (type === 'bool' && !TRUE.has(value) && !FALSE.has(value)) throw syntax(name, value, 'ParseBool');
  if (type === 'int' && !/^[-+]?\d+$/.test(value)) throw syntax(name, value, 'ParseInt');
  if (type === 'map') for (const item of value.split(',')) if (item !== '') pair(item, name);
}

function syntax(name: string, value: string, parser: string): FlagFailure {
  return new FlagFailure(
    `invalid argument "${value}" for "--${name}" flag: strconv.${parser}: parsing "${value}": invalid syntax`,
  );
}

function pair(item: string, name: string): readonly [string, string] {
  const equals = item.indexOf('=');
  if (equals === -1)
    throw new FlagFailure(`invalid argument "${item}" for "--${name}" flag: ${item} must be formatted as key=value`);
  return [item.slice(0, equals), item.slice(equals + 1)];
}
