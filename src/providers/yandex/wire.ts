import { isIPv4 } from 'node:net';
import * as z from 'zod/mini';
import { UNKNOWN_STATUS } from '../../core/inventory.ts';
import type { JsonObject } from '../../core/json.ts';
import type { KindName, Live } from './define-kind.ts';

/** Shapes of what `yc` prints. Members that are not named here are dropped: they never get any further. */
export const id = z.string().check(z.regex(/^[a-z0-9]{3,50}$/));
const label = z.string().check(z.regex(/^[-_./\\@0-9a-z]{0,63}$/));
const name = z.string().check(z.regex(/^([a-zA-Z]([-_a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)?$/));
/** 64-bit numbers come as text; what is beyond 2^53 is nothing that a resource has. */
export const int = z.pipe(
  z.union([z.string().check(z.regex(/^-?\d{1,16}$/)), z.int()]),
  z.transform((value) => Number(value)),
);
export const ipv4 = z.string().check(z.refine((value) => isIPv4(value)));
export const word = z.string().check(z.maxLength(100), z.regex(/^[\w./-]*$/));
/** Free text of people. */
export const words = z.string().check(z.maxLength(1024));

export const base = {
  id,
  folder_id: id,
  name: z._default(name, ''),
  description: z._default(words, ''),
  labels: z._default(z.record(label, label), {}),
};

export interface BaseRow {
  readonly id: string;
  readonly folder_id: string;
  readonly name: string;
  readonly description: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A status that is known, or UNKNOWN. */
export function statusOf(status: string | undefined, known: readonly string[]): string {
  return status !== undefined && known.includes(status) ? status : UNKNOWN_STATUS;
}

/** A live resource from the members that all kinds have and what the kind adds. */
export function liveOf(kind: KindName, row: BaseRow, more: Partial<Live> & { readonly fields: JsonObject }): Live {
  return {
    kind,
    id: row.id,
    name: row.name,
    status: UNKNOWN_STATUS,
    zoneId: null,
    labels: { ...row.labels },
    publicAddresses: [],
    uses: [],
    rules: [],
    isBuiltIn: false,
    undeclared: [],
    deletionObstacle: null,
    ...more,
  };
}

interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false };
}

/** A kind's `parse`: the schema, then what it means. */
export function parser<T extends BaseRow>(schema: Schema<T>, live: (row: T) => Live) {
  return (row: unknown): { readonly folderId: string; readonly live: Live } | null => {
    const parsed = schema.safeParse(row);
    return parsed.success ? { folderId: parsed.data.folder_id, live: live(parsed.data) } : null;
  };
}
