import { invalidArgument } from './errors.ts';
import { isList, isObject, type Json } from './json.ts';

/** A partial response (`fields=services(name,state),nextPageToken`): member name to the mask below it. */
type Mask = Map<string, Mask>;

export function applyFields(fields: string, value: Json): Json {
  return select(parse(fields), value);
}

function select(mask: Mask, value: Json): Json {
  if (mask.size === 0 || mask.has('*')) return value;
  if (isList(value)) return value.map((item) => select(mask, item));
  if (!isObject(value)) return value;
  const kept: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    const below = mask.get(key);
    if (below !== undefined && member !== undefined) kept[key] = select(below, member);
  }
  return kept;
}

function parse(fields: string): Mask {
  const tokens = fields.match(/[^(),/\s]+|[(),/]/g) ?? [];
  let position = 0;
  const readList = (): Mask => {
    const mask: Mask = new Map();
    do readPath(mask);
    while (tokens[position] === ',' && ++position);
    return mask;
  };
  const readPath = (mask: Mask): void => {
    const name = tokens[position++];
    if (name === undefined || /[(),/]/.test(name)) throw invalidArgument(`Invalid field selection ${fields}`);
    const below = mask.get(name) ?? new Map();
    mask.set(name, below);
    if (tokens[position] === '/') {
      position++;
      readPath(below);
    } else if (tokens[position] === '(') {
      position++;
      for (const [key, member] of readList()) below.set(key, member);
      if (tokens[position++] !== ')') throw invalidArgument(`Invalid field selection ${fields}`);
    }
  };
  const mask = readList();
  if (position < tokens.length) throw invalidArgument(`Invalid field selection ${fields}`);
  return mask;
}
