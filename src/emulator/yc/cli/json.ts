export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a member may be before {@link message} has left out what proto3 leaves out. */
export type Draft = Json | undefined;

/**
 * A proto3 message as JSON: members with the default value of their type are left out. An empty message that is set
 * stays (`"requirements": {}`), so empty maps have to come as undefined; see {@link mapOrNothing}.
 */
export function message(members: Readonly<Record<string, Draft>>): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(members)) {
    if (value !== undefined && !isDefault(value)) kept[key] = value;
  }
  return kept;
}

export function mapOrNothing(map: Readonly<Record<string, string>>): JsonObject | undefined {
  return Object.keys(map).length === 0 ? undefined : { ...map };
}

/** int64: a string; zero is the default and so left out. */
export function int64(value: number): string | undefined {
  return value === 0 ? undefined : String(value);
}

function isDefault(value: Json): boolean {
  return value === null || value === false || value === '' || value === 0 || (Array.isArray(value) && !value.length);
}
