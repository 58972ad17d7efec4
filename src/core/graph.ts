/** What depends on what, by address. Every mentioned address is a node. */
export type Edges = ReadonlyMap<string, readonly string[]>;

export type Ordering =
  | { readonly kind: 'ordered'; readonly order: readonly string[] }
  /** Circles that have no node in common, as many as are worth telling; first and last node of each are the same. */
  | { readonly kind: 'cycles'; readonly cycles: readonly (readonly string[])[] };

const MAX_CYCLES = 20;

/** Dependencies first; ties by address (UTF-16 order), so that the order is the same everywhere. */
export function topologicalOrder(edges: Edges): Ordering {
  const order = orderedPart(edges);
  if (order.length === edges.size) return { kind: 'ordered', order };
  const cycles: (readonly string[])[] = [];
  let left = without(edges, order);
  while (left.size > 0 && cycles.length < MAX_CYCLES) {
    const cycle = findCycle(left);
    cycles.push(cycle);
    left = without(left, cycle);
    left = without(left, orderedPart(left));
  }
  return { kind: 'cycles', cycles };
}

function without(edges: Edges, nodes: readonly string[]): Edges {
  const gone = new Set(nodes);
  const left = [...edges].filter(([node]) => !gone.has(node));
  return new Map(left.map(([node, needs]) => [node, needs.filter((need) => !gone.has(need))]));
}

/** What is in no circle and needs none. */
function orderedPart(edges: Edges): readonly string[] {
  const missing = new Map<string, number>();
  const dependants = new Map<string, string[]>();
  for (const [node, needs] of edges) {
    const distinct = new Set(needs);
    missing.set(node, distinct.size);
    for (const need of distinct) {
      const list = dependants.get(need);
      if (list === undefined) dependants.set(need, [node]);
      else list.push(node);
    }
  }
  return layersInOrder(missing, dependants);
}

/** Kahn's algorithm in layers: each layer sorted by address. */
function layersInOrder(
  missing: Map<string, number>,
  dependants: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const order: string[] = [];
  let layer = [...missing].filter(([, count]) => count === 0).map(([node]) => node);
  while (layer.length > 0) {
    layer.sort(compareText);
    const next: string[] = [];
    for (const node of layer) {
      order.push(node);
      for (const dependant of dependants.get(node) ?? []) {
        const left = (missing.get(dependant) ?? 0) - 1;
        missing.set(dependant, left);
        if (left === 0) next.push(dependant);
      }
    }
    layer = next;
  }
  return order;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Of edges in which every node needs another one. */
function findCycle(edges: Edges): readonly string[] {
  const path: string[] = [];
  const seen = new Map<string, number>();
  let [node] = [...edges.keys()].sort(compareText);
  // So this walk must meet itself.
  while (node !== undefined && !seen.has(node)) {
    seen.set(node, path.length);
    path.push(node);
    node = edges.get(node)?.[0];
  }
  return node === undefined ? path : [...path.slice(seen.get(node)), node];
}

/** The given nodes with everything they depend on, directly or not. */
export function closureOf(nodes: Iterable<string>, edges: Edges): ReadonlySet<string> {
  const reached = new Set<string>(nodes);
  const open = [...reached];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const need of edges.get(node) ?? []) {
      if (reached.has(need)) continue;
      reached.add(need);
      open.push(need);
    }
  }
  return reached;
}

/** The same nodes with every dependency the other way round. */
export function reversed(edges: Edges): Edges {
  const turned = new Map<string, string[]>([...edges.keys()].map((node) => [node, []]));
  for (const [node, needs] of edges) for (const need of needs) turned.get(need)?.push(node);
  return turned;
}
