import { isJsonObject, type Json, type JsonObject, jsonEquals } from '../../core/json.ts';
import type { FieldDiff, PlanStep } from '../../core/plan.ts';
import { escapeText, truncate } from '../text.ts';

const BARE = /^[A-Za-z][\w./:@-]*$/;
const SCALAR_WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'yes', 'no']);
const KNOWN_LATER = /^\(known after apply: .*\)$/;
/** Columns of one value; longer ones are cut and say so, the JSON has them whole. */
const VALUE_WIDTH = 400;

/** One value on one line: plain words bare, other texts quoted, lists and maps inline. */
export function valueText(value: Json): string {
  const text = rawText(value);
  const cut = truncate(text, VALUE_WIDTH);
  return cut === text ? text : `${cut} (${text.length} characters, whole in the JSON)`;
}

function rawText(value: Json): string {
  if (typeof value === 'string') return stringText(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => rawText(item)).join(', ')}]`;
  if (isJsonObject(value) && Object.keys(value).length === 0) return '{}';
  if (isJsonObject(value))
    return `{ ${Object.entries(value)
      .map(([key, item]) => `${escapeText(key)}: ${rawText(item)}`)
      .join(', ')} }`;
  return JSON.stringify(value);
}

function stringText(value: string): string {
  if (KNOWN_LATER.test(value)) return escapeText(value);
  if (BARE.test(value) && !SCALAR_WORDS.has(value)) return value;
  return `"${escapeText(value.replace(/["\\]/g, '\\$&'))}"`;
}

/** `field: value` lines of a map, without the fields that are told elsewhere. */
export function fieldTexts(
  fields: Readonly<Record<string, Json>> | null,
  told: ReadonlySet<string>,
): readonly string[] {
  return Object.entries(fields ?? {})
    .filter(([field, value]) => !told.has(field) && value !== null)
    .map(([field, value]) => `${escapeText(field)}: ${valueText(value)}`);
}

/** How the two sides of a difference are told: as a change to be made, or as two accounts of one thing. */
export type DiffTelling = 'change' | 'compare';

/** One line a field that differs, maps by key. */
export function diffTexts(diff: PlanStep['diff'], telling: DiffTelling): readonly string[] {
  return Object.entries(diff)
    .flatMap(([field, sides]) => splitMap(field, sides))
    .map(([field, sides]) => `${escapeText(field)}: ${sidesText(sides, telling)}`);
}

function splitMap(field: string, sides: FieldDiff): readonly (readonly [string, FieldDiff])[] {
  const { desired, actual } = sides;
  if (!isMapOrNull(desired) || !isMapOrNull(actual) || (desired === null && actual === null)) return [[field, sides]];
  const keys = [...new Set([...Object.keys(actual ?? {}), ...Object.keys(desired ?? {})])];
  const split = keys.map(
    (key) => [`${field}.${key}`, { desired: ownValue(desired, key), actual: ownValue(actual, key) }] as const,
  );
  const differing = split.filter(([, side]) => !jsonEquals(side.desired, side.actual));
  return differing.length === 0 ? [[field, sides]] : differing;
}

// A key may be `constructor`: only what the map itself has counts.
function ownValue(map: JsonObject | null, key: string): Json {
  return map !== null && Object.hasOwn(map, key) ? (map[key] ?? null) : null;
}

function isMapOrNull(value: Json): value is JsonObject | null {
  return value === null || isJsonObject(value);
}

function sidesText({ desired, actual }: FieldDiff, telling: DiffTelling): string {
  if (telling === 'compare')
    return `declared ${desired === null ? 'nothing' : valueText(desired)}, live ${actual === null ? 'nothing' : valueText(actual)}`;
  return `${actual === null ? '(not set)' : valueText(actual)} → ${desired === null ? '(removed)' : valueText(desired)}`;
}
