import { open } from 'node:fs/promises';
import type { ProviderFact } from '../../../src/core/facts.ts';
import { encodeRow, FIRST_PREV } from '../../../src/eventlog/encode-row.ts';
import type { RowContext } from '../../../src/eventlog/event-log.ts';

/** A log to measure with: the same options give the same bytes. */
export interface LogShape {
  readonly facts: number;
  /** Resources that are owned throughout; a tenth as many more come and go. */
  readonly owned: number;
  /** Bytes a row, at least; a row needs about 820. */
  readonly bytesPerRow: number;
  readonly seed: number;
}

export const MILLION_FACTS: LogShape = { facts: 1_000_000, owned: 10_000, bytesPerRow: 850, seed: 1 };

export interface GeneratedLog {
  readonly bytes: number;
  readonly owned: number;
}

const ROWS_A_RUN = 100;
/** As a run mints it: 16 digits. */
const FIRST_RUN = 1_796_036_497_065_466;
const FLUSH_ROWS = 2000;
const FIRST_TIME = Date.UTC(2026, 0, 1);

/** Writes a log as infra writes it, chain and all. */
export async function generateLog(path: string, shape: LogShape): Promise<GeneratedLog> {
  const file = await open(path, 'w', 0o600);
  const owned = new Set<string>();
  const random = mulberry32(shape.seed);
  let prev = FIRST_PREV;
  let bytes = 0;
  let lines: string[] = [];
  try {
    for (let index = 0; index < shape.facts; index += 1) {
      const fact = factAt(index, shape, random, owned);
      const recordedAt = new Date(FIRST_TIME + index * 1000).toISOString();
      const body = { type: 'provider.fact', provider_fact: fact } as const;
      const { line, row } = encodeRow(contextAt(index), body, { sequence: index + 1, prev, recordedAt });
      prev = row.hash;
      lines.push(line);
      if (lines.length < FLUSH_ROWS && index + 1 < shape.facts) continue;
      bytes += (await file.write(Buffer.from(lines.join('')))).bytesWritten;
      lines = [];
    }
  } finally {
    await file.close();
  }
  return { bytes, owned: owned.size };
}

function contextAt(index: number): RowContext {
  return {
    execution_id: FIRST_RUN + Math.floor(index / ROWS_A_RUN),
    actor: { user: 'bench', host: 'bench.example' },
    infra: '0.1.0',
    target: 'cloud',
  };
}

function factAt(index: number, shape: LogShape, random: () => number, owned: Set<string>): ProviderFact {
  const passing = index >= shape.owned && index % 50 === 0;
  const pool = passing ? Math.max(1, Math.floor(shape.owned / 10)) : shape.owned;
  const number = index < shape.owned ? index : Math.floor(random() * pool);
  const project = `${passing ? 'passing' : 'project'}-${number}`;
  const urn = `google:cloudresourcemanager:project:${project}`;
  const gone = passing && owned.has(urn);
  if (gone) owned.delete(urn);
  else owned.add(urn);
  return {
    urn,
    provider: 'google',
    service: 'cloudresourcemanager',
    resource_type: 'project',
    verb: gone ? 'delete' : 'ensure',
    outcome: gone ? 'deleted' : index % 3 === 0 ? 'noop' : 'changed',
    stack: `stack-${number % 10}`,
    execution_id: FIRST_RUN + Math.floor(index / ROWS_A_RUN),
    resource_id: `projects/${100_000_000_000 + number}`,
    origin: 'created',
    step: `ensure_project[${project}]`,
    digest: digestAt(Math.floor(index / ROWS_A_RUN)),
    desired: { project_id: project, parent: `folders/${number % 100}`, labels: { note: filler(shape, index) } },
  };
}

const ROW_WITHOUT_FILLER = 844;

function filler({ bytesPerRow }: LogShape, index: number): string {
  return `${index}-`.padEnd(Math.max(0, bytesPerRow - ROW_WITHOUT_FILLER), 'x');
}

function digestAt(run: number): string {
  return run.toString(16).padStart(64, '0');
}

/** A small generator of numbers in [0, 1), the same everywhere for a seed. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
