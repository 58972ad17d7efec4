import { didYouMean } from '../core/nearest.ts';
import type { Findings } from './findings.ts';
import type { WrittenStep } from './workflow.ts';

/** Edges that a playbook may give by depends_on and next; between two loops it is the product of their lengths. */
export const MAX_EDGES = 5_000_000;

/** Addresses of steps that run, by step name; names of steps that don't run are not in it. */
export type AddressesByName = ReadonlyMap<string, readonly string[]>;

/** Complains about names in depends_on that are neither a step nor an instance. */
export function checkDependencies(steps: readonly WrittenStep[], addresses: AddressesByName, findings: Findings): void {
  const names = new Set(steps.map((step) => step.name));
  const instances = new Set([...addresses.values()].flat());
  for (const step of steps) {
    for (const { name, node } of step.dependsOn) {
      if (names.has(name) || instances.has(name)) continue;
      findings.add('UNKNOWN_STEP', `depends_on of "${step.name}" names a step "${name}" that is not there.`, node, {
        address: step.name,
        hint: didYouMean(name, [...names, ...instances]),
      });
    }
  }
}

/**
 * What each step waits for by depends_on and next, as addresses of steps that run. A step that isn't run (routing, shell,
 * unreachable) hands on what it would have waited for itself, so order survives it.
 */
export class Order {
  readonly #before = new Map<string, Set<string>>();
  readonly #addresses: AddressesByName;
  readonly #instances: ReadonlySet<string>;
  readonly #resolved = new Map<string, readonly string[]>();

  constructor(steps: readonly WrittenStep[], addresses: AddressesByName) {
    this.#addresses = addresses;
    this.#instances = new Set([...addresses.values()].flat());
    for (const step of steps) {
      for (const { name } of step.dependsOn) this.#add(step.name, name);
      for (const { to } of step.routes) this.#add(to, step.name);
    }
  }

  #add(later: string, earlier: string): void {
    const known = this.#before.get(later);
    if (known === undefined) this.#before.set(later, new Set([earlier]));
    else known.add(earlier);
  }

  /** The addresses that every instance of a step waits for; the same array for all of them. */
  before(name: string): readonly string[] {
    const known = this.#resolved.get(name);
    if (known !== undefined) return known;
    const result = [...this.#collect(name)];
    this.#resolved.set(name, result);
    return result;
  }

  /** Walks through steps that aren't run, each once: `next` may lead in circles. */
  #collect(name: string): ReadonlySet<string> {
    const found = new Set<string>();
    const passed = new Set<string>();
    const open = [...(this.#before.get(name) ?? [])];
    for (let earlier = open.pop(); earlier !== undefined; earlier = open.pop()) {
      if (passed.has(earlier)) continue;
      passed.add(earlier);
      const addresses = this.#addresses.get(earlier) ?? (this.#instances.has(earlier) ? [earlier] : null);
      if (addresses === null) open.push(...(this.#before.get(earlier) ?? []));
      else for (const address of addresses) found.add(address);
    }
    return found;
  }
}
