import type { Diagnostic } from '../../../src/core/diagnostics.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { newSignal } from './signal.ts';

export interface Box {
  readonly id: string;
  readonly name: string;
  readonly parent: string;
  readonly title: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly color: string | null;
  readonly secret: string | null;
  readonly state: 'ACTIVE' | 'DELETE_REQUESTED';
  readonly etag: number;
}

export interface Shelf {
  readonly id: string;
  readonly parent: string;
  readonly title: string;
  readonly note: string | null;
  readonly etag: number;
}

/** One call that reached the cloud, in order. */
export interface Call {
  readonly kind: 'resolve' | 'observe' | 'read' | 'guard' | 'write';
  /** URNs, or what was looked for. */
  readonly what: readonly string[];
}

/** What the next write of one resource meets. */
export type Mishap =
  | { readonly kind: 'fail'; readonly why: Diagnostic }
  /** The answer is lost; the write happened or not. */
  | { readonly kind: 'lose'; readonly applied: boolean; readonly operation?: string }
  /** A long-running operation that is not over within the poll's bound. */
  | { readonly kind: 'pending'; readonly operation: string }
  | { readonly kind: 'stale' }
  /** A bug in the provider. */
  | { readonly kind: 'throw' };

/** Stops a write before it takes effect until the test lets it go on. */
export interface Gate {
  /** Resolves once a write waits here. */
  readonly reached: Promise<void>;
  open(): void;
}

/** The world behind the in-memory provider, with the knobs that a test turns. */
export class MemoryCloud {
  readonly boxes = new Map<string, Box>();
  readonly shelves = new Map<string, Shelf>();
  readonly grants = new Set<string>();
  readonly calls: Call[] = [];
  /** Names of boxes (and `grants:<box>`) that this identity may not see: a 403 that may mean absent. */
  readonly hidden = new Set<string>();
  /** Names whose reads fail with something that says nothing about existence. */
  readonly unreadable = new Map<string, Diagnostic>();
  readonly blockers = new Map<string, Diagnostic>();
  readonly organizations = new Map<string, string>([['organizations/1', 'acme.example']]);
  readonly creations: string[] = [];
  readonly nonces: string[] = [];
  /** Called with the URN of every look at a resource. */
  onObserve: (urn: string) => void = () => undefined;
  /** Deleted boxes stay as DELETE_REQUESTED. */
  retention = false;
  writesAtOnce = 0;
  mostWritesAtOnce = 0;
  #next = 100;
  readonly #mishaps = new Map<string, Mishap[]>();
  readonly #gates = new Map<string, { readonly pass: Promise<void>; reach(): void }>();
  readonly #operations = new Map<string, { done: boolean; readonly effect: () => void }>();

  nextId(): string {
    this.#next += 1;
    return `folders/${this.#next}`;
  }

  /** Puts a box into the world as if someone else had made it. */
  addBox(name: string, box: Partial<Box> = {}): Box {
    const made: Box = {
      id: box.id ?? this.nextId(),
      name,
      parent: 'organizations/1',
      title: null,
      labels: {},
      color: null,
      secret: null,
      state: 'ACTIVE',
      etag: 1,
      ...box,
    };
    this.boxes.set(name, made);
    return made;
  }

  addShelf(parent: string, title: string, note: string | null = null): Shelf {
    const made: Shelf = { id: this.nextId(), parent, title, note, etag: 1 };
    this.shelves.set(made.id, made);
    return made;
  }

  /** Changes a box out of band. */
  changeBox(name: string, change: Partial<Box>): void {
    const box = this.boxes.get(name);
    if (box === undefined) throw new Error(`no box ${name}`);
    this.boxes.set(name, { ...box, ...change, etag: box.etag + 1 });
  }

  /** Removes a box with all that lies in it. */
  removeBox(box: Box): void {
    this.boxes.delete(box.name);
    for (const grant of [...this.grants])
      if (grant.startsWith(`mem:store:grant:${box.name}/`)) this.grants.delete(grant);
    for (const shelf of [...this.shelves.values()]) if (shelf.parent === box.id) this.shelves.delete(shelf.id);
    for (const inner of [...this.boxes.values()]) if (inner.parent === box.id) this.removeBox(inner);
  }

  /** The writes that arrived, each as the URNs that went out together. */
  get writes(): readonly (readonly string[])[] {
    return this.calls.filter((call) => call.kind === 'write').map((call) => call.what);
  }

  /** The URNs of all writes, in order. */
  get written(): readonly string[] {
    return this.writes.flat();
  }

  forgetCalls(): void {
    this.calls.length = 0;
  }

  /** What the next write of a URN meets; several queue up. */
  mishap(urn: string, mishap: Mishap): void {
    this.#mishaps.set(urn, [...(this.#mishaps.get(urn) ?? []), mishap]);
  }

  takeMishap(urn: string): Mishap | null {
    const [first, ...rest] = this.#mishaps.get(urn) ?? [];
    this.#mishaps.set(urn, rest);
    return first ?? null;
  }

  /** Holds the next write of a URN. */
  hold(urn: string): Gate {
    const reached = newSignal();
    const opened = newSignal();
    this.#gates.set(urn, { pass: opened.reached, reach: reached.fire });
    return { reached: reached.reached, open: opened.fire };
  }

  /** Waits at the gates of a batch. */
  async pass(urns: readonly string[]): Promise<void> {
    for (const urn of urns) {
      const held = this.#gates.get(urn);
      if (held === undefined) continue;
      this.#gates.delete(urn);
      held.reach();
      await held.pass;
    }
  }

  startOperation(operation: string, effect: () => void): void {
    this.#operations.set(operation, { done: false, effect });
  }

  finishOperation(operation: string): void {
    const found = this.#operations.get(operation);
    if (found === undefined) throw new Error(`no operation ${operation}`);
    if (!found.done) found.effect();
    found.done = true;
  }

  isOperationDone(operation: string): boolean {
    return this.#operations.get(operation)?.done === true;
  }

  boxById(id: string): Box | null {
    return [...this.boxes.values()].find((box) => box.id === id) ?? null;
  }

  /** Everything that is live, for comparisons. */
  snapshot(): JsonObject {
    return {
      boxes: [...this.boxes.values()].map(({ etag: _etag, ...box }) => box).sort((a, b) => (a.name < b.name ? -1 : 1)),
      shelves: [...this.shelves.values()].map(({ etag: _etag, ...shelf }) => shelf),
      grants: [...this.grants].sort(),
    };
  }
}
