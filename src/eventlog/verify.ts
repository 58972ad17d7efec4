import type { FileHandle } from 'node:fs/promises';
import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { sha256Hex } from '../core/json.ts';
import { FIRST_PREV, sealedHash, sealOf } from './encode-row.ts';
import { eachLine, type Line } from './lines.ts';
import { isLosslessObject, parseLossless } from './lossless.ts';
import { sequenceOf } from './parse-row.ts';
import { isWhole, startsOurs } from './tail.ts';

/** What walking the chain found. */
export interface ChainReport {
  readonly rows: number;
  /** Those among them that carry no seal: whether they are as they were written can't be told. */
  readonly unsealed: number;
  /** Bytes of an unfinished last line, which is no row. */
  readonly torn: number;
  /** The first row that does not fit: its line and, where it can still be read, its sequence. */
  readonly firstBad: { readonly line: number; readonly sequence: number | null; readonly why: string } | null;
  /** Whether a row with the head asked for is there; null when none was asked for. */
  readonly headFound: boolean | null;
}

/** Walks a log's chain from its first row; lines of others, without a hash, are links too. `head` is `<sequence>:<hash>`. */
export async function walkChain(handle: FileHandle, size: number, head: string | null = null): Promise<ChainReport> {
  const wanted = head === null ? null : { sequence: head.split(':')[0] ?? '', hash: head.slice(head.indexOf(':') + 1) };
  let rows = 0;
  let torn = 0;
  let unsealed = 0;
  let prev = FIRST_PREV;
  /** The line before, where that is no JSON: what follows such a one shows whether it was there from the start. */
  let noJson: number | null = null;
  let firstBad: ChainReport['firstBad'] = null;
  let headFound = head === null ? null : false;
  await eachLine(handle, size, (line) => {
    if (firstBad !== null) return;
    if (!line.terminated && !isWhole(line.bytes)) {
      torn = line.bytes.length;
      if (rows === 0 && !startsOurs(line)) firstBad = { line: line.number, sequence: null, why: 'it is no whole row' };
      return;
    }
    const seal = sealOf(line.bytes);
    const why = seal === null ? lostSeal(line.bytes) : misfit(line.bytes, seal, prev);
    if (why === DOES_NOT_FOLLOW && noJson !== null) firstBad = { line: noJson, sequence: null, why: 'it is not JSON' };
    else if (why !== null) firstBad = { line: line.number, sequence: sequenceIn(line), why };
    noJson = seal === null && !isWhole(line.bytes) ? line.number : null;
    rows += 1;
    if (seal === null) unsealed += 1;
    prev = seal?.hash ?? sha256Hex(line.bytes);
    if (prev === wanted?.hash && wanted.sequence === String(sequenceIn(line) ?? wanted.sequence)) headFound = true;
  });
  return { rows, unsealed, torn, firstBad, headFound };
}

/** Throws DiagnosticError (CHAIN_BROKEN) naming the first row that does not fit. */
export function refuseBroken({ firstBad }: ChainReport, log: string): void {
  if (firstBad !== null) throw new DiagnosticError([brokenChain(firstBad, log)]);
}

/** The row that does not fit, and what to do. */
export function brokenChain(bad: NonNullable<ChainReport['firstBad']>, log: string): Diagnostic {
  const row = bad.sequence === null ? '' : ` (row ${bad.sequence})`;
  return diagnostic('CHAIN_BROKEN', `Line ${bad.line}${row} of ${log} does not fit: ${bad.why}.`, { hint: RESTORE });
}

const RESTORE =
  'Put the log back from a copy: `infra log verify --head <sequence>:<hash>` shows whether one is whole, by the head that an apply printed last.';

const DOES_NOT_FOLLOW = 'it does not follow the row before it';

/** How a row of ours begins, and nobody else's. */
const OURS = /^\{"global_sequence":\d+,"type":"[a-z.]+","recorded_at":"[^"]*","execution_id":\d+,"actor":\{/;
const HEAD_BYTES = 256;

/** Others write rows without a seal; a row of ours has lost it. */
function lostSeal(bytes: Buffer): string | null {
  return OURS.test(bytes.toString('latin1', 0, HEAD_BYTES)) ? 'its seal is damaged' : null;
}

function misfit(bytes: Buffer, seal: { readonly prev: string; readonly hash: string }, prev: string): string | null {
  if (seal.prev !== prev) return DOES_NOT_FOLLOW;
  return sealedHash(bytes) === seal.hash ? null : 'its content does not match its hash';
}

function sequenceIn(line: Line): number | null {
  try {
    const value = parseLossless(line.bytes.toString('utf8'));
    return isLosslessObject(value) ? sequenceOf(value) : null;
  } catch {
    return null;
  }
}
