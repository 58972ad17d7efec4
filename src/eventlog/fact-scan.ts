import { hashIn, SEAL_BYTES } from './encode-row.ts';
import type { Line } from './lines.ts';

/**
 * A fact row in exactly the shape that encode-row writes, seen without parsing it: one that makes its stack the owner,
 * says how that came, and says nothing about protection or renaming. Such a row is needed only if no later one of its URN replaces it.
 */
export interface ScannedFact {
  readonly sequence: number;
  /** Its hash. */
  readonly key: string;
  readonly target: string;
  readonly recordedAt: string;
  readonly urn: string;
  readonly stack: string;
  /** Which of the fields that a later fact inherits it has, a bit each. */
  readonly fields: number;
  /** Where its line stands in the file, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** The same as a line number, from 1. */
  readonly line: number;
}

const CLOSING_BRACE = 0x7d;

// Texts without quote, escape and non-ASCII characters: what needs decoding goes the long way.
const TEXT = '"[ !#-\\[\\]-~]*"';
const CAPTURED = '"([ !#-\\[\\]-~]*)"';
/** What we mint: below 2^53, so of 16 digits none that begins with a nine. */
const EXECUTION_ID = '(?:\\d{1,15}|[1-8]\\d{15})';
const OWN_FACT = new RegExp(
  `\\{"global_sequence":(\\d{1,15}),"type":"provider\\.fact","recorded_at":${CAPTURED},"execution_id":${EXECUTION_ID},` +
    `"actor":\\{"user":${TEXT},"host":${TEXT}\\},"infra":${TEXT},"target":${CAPTURED},` +
    `"provider_fact":\\{"urn":${CAPTURED},"provider":${TEXT},"service":${TEXT},"resource_type":${TEXT},` +
    '"verb":"(?:ensure","outcome":"(?:changed|noop)|adopt","outcome":"adopted)",' +
    `"stack":${CAPTURED},"execution_id":${EXECUTION_ID}(,"resource_id":${TEXT})?,"origin":"(?:created|adopted|found)"` +
    `(?:,"step":${TEXT})?(?:,"digest":${TEXT})?(,"credential":${TEXT})?,"desired":`,
  'y',
);

/** Null for every other line: parse it. Its texts keep memory that a copy would not. */
export function scanFact({ within, start, end, length, offset, number }: Line): ScannedFact | null {
  OWN_FACT.lastIndex = start;
  const found = OWN_FACT.exec(within);
  if (found === null) return null;
  const key = hashIn(within, start, end);
  const [, sequence, recordedAt, target, urn, stack, resourceId, credential] = found;
  if (
    key === null ||
    within.charCodeAt(end - SEAL_BYTES - 1) !== CLOSING_BRACE ||
    recordedAt === undefined ||
    target === undefined ||
    urn === undefined ||
    stack === undefined
  )
    return null;
  const fields = (resourceId === undefined ? 0 : 1) | (credential === undefined ? 0 : 2);
  return {
    sequence: Number(sequence),
    key,
    target,
    recordedAt,
    urn,
    stack,
    fields,
    offset,
    length,
    line: number,
  };
}
