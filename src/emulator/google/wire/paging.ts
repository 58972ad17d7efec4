import { createHash } from 'node:crypto';
import { invalidArgument } from './errors.ts';

export interface PageRequest {
  /** What the token is bound to: the method and every other parameter. */
  readonly scope: readonly (string | undefined)[];
  readonly pageSize: number;
  readonly pageToken: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string | undefined;
}

/**
 * A page of `items`, which are in the order of `keyOf`. The token holds the last key sent, not an
 * offset, so that what is created or deleted between two pages neither repeats nor hides an item.
 */
export function page<T>(items: readonly T[], keyOf: (item: T) => string, request: PageRequest): Page<T> {
  const after = request.pageToken ? readToken(request.pageToken, request.scope) : undefined;
  const rest = after === undefined ? items : items.filter((item) => compareText(keyOf(item), after) > 0);
  const selected = rest.slice(0, request.pageSize);
  const last = selected.at(-1);
  const more = rest.length > selected.length && last !== undefined;
  return { items: selected, nextPageToken: more ? writeToken(keyOf(last), request.scope) : undefined };
}

export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function scopeDigest(scope: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 12);
}

function writeToken(key: string, scope: readonly (string | undefined)[]): string {
  return Buffer.from(scopeDigest(scope) + key).toString('base64url');
}

function readToken(token: string, scope: readonly (string | undefined)[]): string {
  const text = Buffer.from(token, 'base64url').toString();
  if (!text.startsWith(scopeDigest(scope))) throw invalidArgument('The page token is invalid for this request.');
  return text.slice(12);
}
