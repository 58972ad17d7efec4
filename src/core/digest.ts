import { canonicalJson, type Json, sha256Hex } from './json.ts';

/** One step as it enters the digest: nothing but what would make this another plan than the one reviewed. */
export interface DigestEntry {
  readonly address: string;
  readonly [key: string]: unknown;
}

export interface DigestInput {
  /** plan and apply share one verb, `apply`. */
  readonly verb: string;
  readonly target: string;
  readonly stacks: readonly string[];
  /** In topological order, ties by address. */
  readonly steps: readonly DigestEntry[];
}

/** Lower-case hex SHA-256 over the RFC 8785 canonical JSON of `{v: 1, verb, target, stacks, steps}`. */
export function planDigest(input: DigestInput): string {
  return sha256Hex(canonicalJson({ v: 1, ...input }));
}

/** What a destroy or adopt step confirms under `infra exec`: no address, dry_run, confirm or auth. */
export interface StepDigestInput {
  readonly action: string;
  readonly urn: string | null;
  readonly change: string;
  readonly present: boolean | 'unknown';
  readonly id: string | null;
  readonly etag: string | null;
  readonly state: string | null;
  readonly actual: Json;
  readonly requests: readonly Json[];
}

export function stepDigest(input: StepDigestInput): string {
  return sha256Hex(canonicalJson({ v: 1, ...input }));
}
