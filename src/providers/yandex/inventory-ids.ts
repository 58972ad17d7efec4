import { sha256Hex } from '../../core/json.ts';
import type { Live } from './define-kind.ts';
import { isLogicalId } from './logical-id.ts';
import { RESOURCE_LABEL } from './ownership.ts';

const LONGEST = 63;
const HASH_DIGITS = 8;

export type GivenId = { readonly kind: 'ok'; readonly id: string } | { readonly kind: 'none'; readonly why: string };

/**
 * A logical id for each of some resources, unique among them: the one in its labels, else its name, with its kind where
 * others have that name too. It depends on names and labels alone, so that another import gives the same ones.
 */
export class LogicalIds {
  private readonly labelled: ReadonlyMap<string, number>;
  private readonly names: ReadonlyMap<string, number>;

  constructor(lives: readonly Live[]) {
    this.labelled = counts(lives.flatMap(({ labels }) => labels[RESOURCE_LABEL] ?? []));
    this.names = counts(lives.filter(({ labels }) => labels[RESOURCE_LABEL] === undefined).map(({ name }) => name));
  }

  of({ id, kind, name, labels }: Live): GivenId {
    const own = labels[RESOURCE_LABEL];
    if (own === undefined) return { kind: 'ok', id: this.made(id, kind.replaceAll('_', '-'), name) };
    if (!isLogicalId(own)) return { kind: 'none', why: 'what has a label infra-resource that is no logical id' };
    return this.labelled.get(own) === 1
      ? { kind: 'ok', id: own }
      : { kind: 'none', why: 'what has the same label infra-resource as another' };
  }

  private made(id: string, kind: string, name: string): string {
    if (this.isFree(name)) return name;
    const longer = `${name}-${kind}`;
    if (longer.length <= LONGEST && this.isFree(longer, 0)) return longer;
    const end = `-${sha256Hex(id).slice(0, HASH_DIGITS)}`;
    return `${name.slice(0, LONGEST - end.length)}${end}`;
  }

  /** Whether no label has it, and so many names at most. */
  private isFree(text: string, most = 1): boolean {
    return !this.labelled.has(text) && (this.names.get(text) ?? 0) <= most;
  }
}

function counts(texts: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const text of texts) found.set(text, (found.get(text) ?? 0) + 1);
  return found;
}
