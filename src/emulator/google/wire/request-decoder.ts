import { ApiError, badRequest } from './errors.ts';
import { isList, isObject, type Json, type JsonObject } from './json.ts';

/** What a request message accepts, in proto3 JSON terms. */
export type Shape = 'string' | 'bool' | 'int32' | 'bytes' | 'stringMap' | 'ignored' | MessageShape | ListShape;
export interface MessageShape {
  readonly kind: 'message';
  readonly fields: Readonly<Record<string, Shape>>;
}
export interface ListShape {
  readonly kind: 'list';
  readonly of: Shape;
}

export function message(fields: Readonly<Record<string, Shape>>): MessageShape {
  return { kind: 'message', fields };
}

export function list(of: Shape): ListShape {
  return { kind: 'list', of };
}

/** The request as the service sees it: camel-case names, nulls dropped. Throws E24 at the first misfit. */
export function decodeMessage(shape: MessageShape, value: JsonObject, path: string): JsonObject {
  const decoded: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    const name = camelCase(key);
    const memberShape = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    if (memberShape === undefined) throw unknownField(key, path);
    if (member === null || member === undefined) continue;
    decoded[name] = decodeValue(memberShape, member, path === '' ? snakeCase(name) : `${path}.${snakeCase(name)}`);
  }
  return decoded;
}

function decodeValue(shape: Shape, value: Json, path: string): Json {
  if (shape === 'ignored') return value;
  if (typeof shape === 'string') return decodeScalar(shape, value, path);
  if (shape.kind === 'list') {
    if (!isList(value)) throw invalidValue(path, 'LIST', value);
    return value.map((item, index) => decodeValue(shape.of, item, `${path}[${index}]`));
  }
  if (!isObject(value)) throw invalidValue(path, 'MESSAGE', value);
  return decodeMessage(shape, value, path);
}

function decodeScalar(shape: 'string' | 'bool' | 'int32' | 'bytes' | 'stringMap', value: Json, path: string): Json {
  switch (shape) {
    case 'string':
      if (typeof value !== 'string') throw invalidValue(path, 'TYPE_STRING', value);
      return value;
    case 'bool':
      if (typeof value !== 'boolean') throw invalidValue(path, 'TYPE_BOOL', value);
      return value;
    case 'int32':
      return decodeInteger(value, path);
    case 'bytes':
      if (typeof value !== 'string' || !isBase64(value))
        throw invalidValue(path, 'TYPE_BYTES', value, 'Base64 decoding failed');
      return value;
    case 'stringMap':
      return decodeStringMap(value, path);
  }
}

function decodeInteger(value: Json, path: string): number {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw invalidValue(path, 'TYPE_INT32', value);
  return number;
}

function decodeStringMap(value: Json, path: string): JsonObject {
  if (!isObject(value)) throw invalidValue(path, 'MAP', value);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'string') throw invalidValue(`${path}[${key}]`, 'TYPE_STRING', member ?? null);
  }
  return value;
}

/** Both alphabets, with or without padding: clients send either. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
}

function unknownField(key: string, path: string): ApiError {
  const where = path === '' ? '' : ` at '${path}'`;
  const text = `Invalid JSON payload received. Unknown name "${key}"${where}: Cannot find field.`;
  return new ApiError('INVALID_ARGUMENT', text, [badRequest(path, text)]);
}

export function unknownParameter(key: string): ApiError {
  const text =
    `Invalid JSON payload received. Unknown name "${key}": Cannot bind query parameter. ` +
    `Field '${key}' could not be found in request message.`;
  return new ApiError('INVALID_ARGUMENT', text, [badRequest('', text)]);
}

export function invalidValue(path: string, type: string, value: Json, reason?: string): ApiError {
  const text = `Invalid value at '${path}' (${type}), ${reason === undefined ? '' : `${reason} for `}${JSON.stringify(value)}`;
  return new ApiError('INVALID_ARGUMENT', text, [badRequest(path, text)]);
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
