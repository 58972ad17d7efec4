import type { Diagnostic, Severity, SourcePosition } from '../../core/diagnostics.ts';
import { jsonEquals } from '../../core/json.ts';
import { block, count, escapeText, paragraph } from '../text.ts';
import { type HumanOptions, type Ink, type Paint, painter } from './style.ts';

const ORDER: readonly Severity[] = ['error', 'warning', 'note'];
const INKS: Readonly<Record<Severity, Ink>> = { error: 'error', warning: 'warning', note: 'info' };
/** More places of one and the same trouble than this are counted only. */
const PLACES_SHOWN = 3;

/** What a diagnostic need not repeat because it stands under its step. */
export interface DiagnosticFrame {
  readonly indent: string;
  readonly width: number;
  readonly paint: Paint;
  readonly address: string | null;
  readonly source: SourcePosition | null;
}

export function position(source: SourcePosition): string {
  return escapeText(`${source.file}:${source.line}:${source.column}`);
}

/** Errors first, then warnings and notes; within each by file, line and column, those without a position last. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || compareSources(a.source, b.source),
  );
}

function compareSources(a: SourcePosition | null, b: SourcePosition | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** The lines of one diagnostic: code and summary, place, what and why, what to do. */
export function diagnosticLines(
  item: Diagnostic,
  frame: DiagnosticFrame,
  more: readonly Diagnostic[] = [],
): readonly string[] {
  const { indent, width, paint } = frame;
  const inner = `${indent}  `;
  const lines = [
    `${indent}${paint(INKS[item.severity], `${item.severity}[${escapeText(item.code)}]`)}: ${escapeText(item.summary)}`,
  ];
  if (item.source !== null && !jsonEquals(item.source, frame.source))
    lines.push(`${inner}--> ${position(item.source)}`);
  lines.push(...morePlaces(more).map((text) => `${inner}${text}`));
  const subject = item.address ?? item.urn;
  if (subject !== null && subject !== frame.address) lines.push(`${inner}at ${escapeText(subject)}`);
  if (item.detail !== '') lines.push(...paragraph(item.detail, inner, width));
  if (item.operation !== null) lines.push(...paragraph(`operation: ${item.operation}`, inner, width));
  if (item.hint !== null) lines.push(...paragraph(`hint: ${item.hint}`, inner, width));
  if (item.retryable === true) lines.push(`${inner}It may work when tried again.`);
  return lines;
}

function morePlaces(more: readonly Diagnostic[]): readonly string[] {
  if (more.length === 0) return [];
  const places = more.map((item) =>
    item.source === null ? escapeText(item.address ?? item.urn ?? '?') : position(item.source),
  );
  const shown = places.slice(0, PLACES_SHOWN).join(', ');
  return [places.length > PLACES_SHOWN ? `and ${shown} and ${places.length - PLACES_SHOWN} more` : `and ${shown}`];
}

/** What two diagnostics share that differ at most in their place. */
export function diagnosticKey(item: Diagnostic): string {
  return JSON.stringify([item.code, item.severity, item.detail, item.hint, item.operation]);
}

/** One and the same trouble at several places is told once. */
function mergeEqual(diagnostics: readonly Diagnostic[]): readonly (readonly [Diagnostic, ...Diagnostic[]])[] {
  const merged = new Map<string, [Diagnostic, ...Diagnostic[]]>();
  for (const item of diagnostics) {
    const key = diagnosticKey(item);
    const before = merged.get(key);
    if (before === undefined) merged.set(key, [item]);
    else before.push(item);
  }
  return [...merged.values()];
}

function countLine(diagnostics: readonly Diagnostic[]): string {
  return ORDER.map((severity) => ({
    severity,
    number: diagnostics.filter((item) => item.severity === severity).length,
  }))
    .filter((entry) => entry.number > 0)
    .map((entry) => count(entry.number, entry.severity))
    .join(', ');
}

/** All diagnostics of a run, most severe first, with a line that counts them; the empty text when there are none. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  options: Pick<HumanOptions, 'color' | 'width'>,
): string {
  if (diagnostics.length === 0) return '';
  const frame = { indent: '', width: options.width, paint: painter(options.color), address: null, source: null };
  const merged = mergeEqual(sortDiagnostics(diagnostics));
  const lines = merged.flatMap(([first, ...more]) => [...diagnosticLines(first, frame, more), '']);
  return block([...lines, countLine(diagnostics)]);
}
