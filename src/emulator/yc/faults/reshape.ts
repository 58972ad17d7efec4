import { isObject, type Json, type JsonObject } from '../cli/json.ts';
import type { FakeYcFaultAction } from '../options.ts';
import type { Output } from '../resources/command.ts';

type Shape = Extract<FakeYcFaultAction, { kind: 'reshape' }>['as'];

const SHAPES: Readonly<Record<Shape, (text: string) => string>> = {
  two_documents: (text) => text + text,
  bom: (text) => `\uFEFF${text}`,
  truncated: (text) => text.slice(0, text.length / 2),
  empty: () => '',
  garbage: () => 'Welcome to Yandex Cloud! <html>{"id": \n',
  crlf: (text) => text.replaceAll('\n', '\r\n'),
};

export function reshape(text: string, shape: Shape): string {
  return SHAPES[shape](text);
}

/** The answer with the members set as asked; null takes one away. */
export function patch(output: Output, set: JsonObject): Output {
  if (output.kind === 'object') return { ...output, value: merge(output.value, set) };
  if (output.kind === 'list') return { ...output, rows: output.rows.map((row) => merge(row, set)) };
  return output;
}

function merge(target: JsonObject, set: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...target };
  for (const [key, value] of Object.entries(set)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isObject(value) && isObject(before) ? merge(before, value) : value;
  }
  return merged;
}
