import { ClientFailure } from './failures.ts';

/** One `--rule`, `--network-interface`, ...: each property with all its values. */
export class Properties {
  private readonly values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.values = values;
  }

  get(name: string): string | undefined {
    return this.values.get(name)?.at(-1);
  }

  list(name: string): readonly string[] {
    return this.values.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** Docs write `auto-delete=yes`, scripts `true`. */
  bool(name: string): boolean | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (['yes', 'true', '1'].includes(value)) return true;
    if (['no', 'false', '0'].includes(value)) return false;
    throw new ClientFailure(`invalid value "${value}" of property "${name}"`);
  }
}

/** `a=b,c=[d,e],f={g=h}`; a value is never quoted, so a comma in it makes the text malformed. */
export function parseProperties(flag: string, text: string, known: readonly string[]): Properties {
  const values = new Map<string, string[]>();
  for (const segment of split(text, flag)) {
    const equals = segment.indexOf('=');
    if (equals < 1)
      throw new ClientFailure(`invalid property "${segment}" of --${flag}: must be formatted as key=value`);
    const name = segment.slice(0, equals);
    if (!known.includes(name)) throw new ClientFailure(`unknown property "${name}" of --${flag}`);
    values.set(name, [...(values.get(name) ?? []), ...items(segment.slice(equals + 1))]);
  }
  return new Properties(values);
}

function items(value: string): readonly string[] {
  if (!value.startsWith('[') || !value.endsWith(']')) return [value];
  return value
    .slice(1, -1)
    .split(',')
    .filter((item) => item !== '');
}

/** At the commas outside of brackets. */
function split(text: string, flag: string): readonly string[] {
  const segments: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if ('[{'.includes(sign)) depth += 1;
    if (']}'.includes(sign)) depth -= 1;
    if (depth < 0) break;
    if (sign === ',' && depth === 0) {
      segments.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (depth !== 0) throw new ClientFailure(`invalid value "${text}" of --${flag}: brackets do not match`);
  return [...segments, text.slice(start)];
}
