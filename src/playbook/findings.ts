import { type Code, diagnostic } from '../core/codes.ts';
import { byPlace, type Diagnostic, type DiagnosticFields } from '../core/diagnostics.ts';
import { type Origin, positionOf } from './tree.ts';

/** More than anyone reads; a hostile file must not fill the memory with complaints. */
const MAX_FINDINGS = 1000;

export interface Place {
  readonly origin: Origin;
  readonly offset: number;
}

/** Collects diagnostics; the same complaint about the same place (a loop, defaults under many steps) counts once. */
export class Findings {
  readonly #seen = new Set<string>();
  readonly #list: Diagnostic[] = [];
  #errors = 0;
  #complaints = 0;

  add(code: Code, detail: string, place: Place | null, fields: DiagnosticFields = {}): void {
    this.push(diagnostic(code, detail, { source: place === null ? null : positionOf(place), ...fields }));
  }

  push(item: Diagnostic): void {
    if (item.severity === 'error') this.#complaints += 1;
    const key = JSON.stringify([item.code, item.detail, item.source]);
    if (this.#seen.has(key)) return;
    if (item.severity === 'error') this.#errors += 1;
    if (this.#list.length >= MAX_FINDINGS) return;
    this.#seen.add(key);
    this.#list.push(item);
  }

  get failed(): boolean {
    return this.#errors > 0;
  }

  get errors(): number {
    return this.#errors;
  }

  /** Errors with their repetitions: what tells whether a piece is sound, wherever its fault was told first. */
  get complaints(): number {
    return this.#complaints;
  }

  /** Does what says nothing about the soundness of the piece at hand: what it adds is told all the same. */
  aside<T>(work: () => T): T {
    const before = this.#complaints;
    const result = work();
    this.#complaints = before;
    return result;
  }

  /** In the order of the file; what has no place first. */
  list(): readonly Diagnostic[] {
    return byPlace(this.#list);
  }
}
