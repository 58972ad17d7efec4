import type { Json, JsonObject } from './json.ts';
import { isObject } from './json.ts';

export type Format = 'json' | 'yaml' | 'text';

export function isFormat(text: string): text is Format {
  return text === 'json' || text === 'yaml' || text === 'text';
}

/** JSON as the real program prints it: two blanks a level, and two line ends. */
export function renderJson(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n\n`;
}

export function renderObject(value: JsonObject, format: Format): string {
  return format === 'json' ? renderJson(value) : `${yaml(value, '').join('\n')}\n\n`;
}

export function renderList(rows: readonly JsonObject[], columns: readonly string[], format: Format): string {
  if (format === 'json') return renderJson(rows);
  if (format === 'yaml') return `${rows.length === 0 ? '[]' : yaml(rows, '').join('\n')}\n\n`;
  return `${table(rows, columns)}\n\n`;
}

function yaml(value: Json, indent: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => listItem(item, indent));
  if (isObject(value)) return Object.entries(value).flatMap(([key, member]) => yamlMember(key, member, indent));
  return [`${indent}${scalar(value)}`];
}

function listItem(item: Json, indent: string): readonly string[] {
  const [first = '', ...rest] = yaml(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function yamlMember(key: string, member: Json, indent: string): readonly string[] {
  if (Array.isArray(member)) return [`${indent}${key}:`, ...yaml(member, `${indent}  `)];
  if (!isObject(member)) return [`${indent}${key}: ${scalar(member)}`];
  if (Object.keys(member).length === 0) return [`${indent}${key}: {}`];
  return [`${indent}${key}:`, ...yaml(member, `${indent}  `)];
}

function scalar(value: Json): string {
  if (typeof value !== 'string') return String(value);
  // Text that YAML would read as a number, a date, or something else than a text is quoted.
  return /^[A-Za-z][-\w./ ]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value);
}

function table(rows: readonly JsonObject[], columns: readonly string[]): string {
  const cells = rows.map((row) => columns.map((column) => cell(row, column)));
  const heads = columns.map((column) => column.replaceAll('_', ' ').toUpperCase());
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const line = (texts: readonly string[]) =>
    `|${texts.map((text, at) => ` ${text.padEnd(widths[at] ?? 0)} `).join('|')}|`;
  return [rule, line(heads), rule, ...cells.map(line), ...(cells.length === 0 ? [] : [rule])].join('\n');
}

function cell(row: JsonObject, column: string): string {
  const value = row[column];
  return value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}
