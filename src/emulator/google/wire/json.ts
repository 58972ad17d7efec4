/** JSON as the emulator reads and writes it; an undefined member is left out on the wire. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

export function stringAt(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === 'number' ? value : undefined;
}

export function booleanAt(object: JsonObject, key: string): boolean {
  return object[key] === true;
}

export function objectAt(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key];
  return isObject(value) ? value : undefined;
}

export function stringsAt(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return isList(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return isList(value) ? value.filter(isObject) : [];
}

export function stringMapAt(object: JsonObject, key: string): Readonly<Record<string, string>> | undefined {
  const value = objectAt(object, key);
  if (value === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
