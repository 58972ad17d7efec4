import { type Code, diagnostic } from '../core/codes.ts';
import type { Diagnostic, DiagnosticFields } from '../core/diagnostics.ts';
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

  add(code: Code, detail: string, place: Place | null, fields: DiagnosticFields = {}): void {
    this.push(diagnostic(code, detail, { source: place === null ? null : positionOf(place), ...fields }));
  }

  push(item: Diagnostic): void {
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

  /** In the order of the file; what has no place first. */
  list(): readonly Diagnostic[] {
    return [...this.#list].sort(byPlace);
  }
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.source === null || b.source === null) return (a.source === null ? 0 : 1) - (b.source === null ? 0 : 1);
  if (a.source.file !== b.source.file) return a.source.file < b.source.file ? -1 : 1;
  return a.source.line - b.source.line || a.source.column - b.source.column;
}
