import { camelCase, invalidValue, unknownParameter } from './request-decoder.ts';

type ParameterType = 'string' | 'strings' | 'int32' | 'bool';
export type ParameterTypes = Readonly<Record<string, ParameterType>>;
export type Query = Readonly<Record<string, readonly string[]>>;

/** Accepted by every Google API beside the method's own parameters. */
const STANDARD = new Set([
  'alt',
  '$alt',
  '$.xgafv',
  'access_token',
  'callback',
  'fields',
  '$fields',
  'key',
  'oauth_token',
  'prettyPrint',
  '$prettyPrint',
  'quotaUser',
  '$userProject',
  'uploadType',
  'upload_protocol',
  '$httpMethod',
]);

export const PAGING: ParameterTypes = { pageSize: 'int32', pageToken: 'string' };

export function parseQuery(parameters: URLSearchParams): Query {
  const query: Record<string, string[]> = {};
  for (const [key, value] of parameters) query[key] = [...(query[key] ?? []), value];
  return query;
}

/** Checks names and types against the method; answers them under camel-case names. */
export function decodeQuery(types: ParameterTypes, query: Query): Query {
  const decoded: Record<string, readonly string[]> = {};
  for (const [key, values] of Object.entries(query)) {
    if (STANDARD.has(key)) continue;
    const name = camelCase(key);
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) throw unknownParameter(key);
    for (const value of values) checkType(name, type, value);
    decoded[name] = values;
  }
  return decoded;
}

function checkType(name: string, type: ParameterType, value: string): void {
  if (type === 'int32' && !/^-?\d{1,10}$/.test(value)) throw invalidValue(name, 'TYPE_INT32', value);
  if (type === 'bool' && value !== 'true' && value !== 'false') throw invalidValue(name, 'TYPE_BOOL', value);
}

/** The last value wins, as for any singular proto field. */
export function parameter(query: Query, name: string): string | undefined {
  return query[name]?.at(-1);
}
