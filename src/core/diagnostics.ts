/** A place in a file; lines and columns count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export type Severity = 'error' | 'warning' | 'note';

/** Expected trouble, as data. The summary holds no user data; the detail says what, why and what to do. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly detail: string;
  readonly address: string | null;
  readonly urn: string | null;
  readonly source: SourcePosition | null;
  readonly hint: string | null;
  readonly operation: string | null;
  readonly retryable: boolean | null;
}

/** What a failure means for the exit code (design: exit codes). */
export type Fault = 'usage' | 'auth' | 'refused' | 'provider' | 'uncertain' | 'bug';

export interface CodeEntry {
  readonly summary: string;
  readonly fault: Fault;
  readonly severity: Severity;
  /** What `infra explain` and docs/errors.md say. */
  readonly explanation: string;
}

export type DiagnosticFields = Partial<Omit<Diagnostic, 'code' | 'summary' | 'detail'>>;

export function isError(diagnostic: Diagnostic): boolean {
  return diagnostic.severity === 'error';
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(isError);
}

/** In the order of the file; what has no place first. */
export function byPlace(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort(comparePlaces);
}

function comparePlaces(a: Diagnostic, b: Diagnostic): number {
  if (a.source === null || b.source === null) return (a.source === null ? 0 : 1) - (b.source === null ? 0 : 1);
  if (a.source.file !== b.source.file) return a.source.file < b.source.file ? -1 : 1;
  return a.source.line - b.source.line || a.source.column - b.source.column;
}

/** Carries a diagnostic through code that can't go on; caught where the verb starts, never shown as a stack. */
export class DiagnosticError extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((item) => `${item.code}: ${item.detail}`).join('\n'));
    this.name = 'DiagnosticError';
    this.diagnostics = diagnostics;
  }
}
