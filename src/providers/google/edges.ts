import type { Draft } from './drafts.ts';

/** Short lists are kept free of doubles; longer ones are cleared of them when they are read. */
const SHORT = 8;

/** Which step needs which, by address. */
export class Edges {
  private readonly needed = new Map<string, string[]>();
  private readonly byAddress: ReadonlyMap<string, Draft>;
  private readonly reached = new Map<Draft, ReadonlySet<string>>();

  constructor(drafts: readonly Draft[]) {
    this.byAddress = new Map(drafts.map((draft) => [draft.address, draft]));
  }

  of(address: string): readonly string[] {
    const list = this.needed.get(address) ?? [];
    return list.length <= SHORT ? list : [...new Set(list)];
  }

  need(draft: Draft, other: Draft): void {
    if (draft === other) return;
    const list = this.needed.get(draft.address);
    if (list === undefined) this.needed.set(draft.address, [other.address]);
    else if (list.length > SHORT || !list.includes(other.address)) list.push(other.address);
  }

  /** Order that only the writing suggests yields to what the playbook says outright. */
  needUnlessContrary(draft: Draft, other: Draft): void {
    if (!this.reachedFrom(other).has(draft.address)) this.need(draft, other);
  }

  private reachedFrom(draft: Draft): ReadonlySet<string> {
    const known = this.reached.get(draft);
    if (known !== undefined) return known;
    const reached = new Set<string>();
    const queue = [draft.address];
    for (let address = queue.pop(); address !== undefined; address = queue.pop()) {
      const next = [...(this.byAddress.get(address)?.step.dependsOn ?? []), ...(this.needed.get(address) ?? [])];
      for (const needed of next) {
        if (!reached.has(needed)) queue.push(needed);
        reached.add(needed);
      }
    }
    this.reached.set(draft, reached);
    return reached;
  }
}

export function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
