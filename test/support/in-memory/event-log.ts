import { diagnostic } from '../../../src/core/codes.ts';
import { DiagnosticError } from '../../../src/core/diagnostics.ts';
import type { ProviderFact } from '../../../src/core/facts.ts';
import { startFold } from '../../../src/core/fold.ts';
import { sha256Hex } from '../../../src/core/json.ts';
import type {
  EventLog,
  HeldLocks,
  IntentBody,
  LogRow,
  LogState,
  OutcomeBody,
  RowBody,
  RowContext,
} from '../../../src/eventlog/event-log.ts';
import { startOpenIntents } from '../../../src/eventlog/open-intents.ts';

export type StoredRow = LogRow & RowContext & RowBody;

/** An event log in memory: rows with a chain, locks, and appends that a test can make fail. */
export class MemoryLog implements EventLog {
  readonly url = 'memory:';
  writable = true;
  /** Set to make `verify` refuse. */
  broken = false;
  readonly rows: StoredRow[] = [];
  /** Stacks whose locks are held, and every lock and release in order. */
  readonly held = new Set<string>();
  readonly lockings: string[] = [];
  /** How many appends were tried. */
  appends = 0;
  readonly #failing = new Set<number>();

  /** Makes the n-th append from now on fail, 1 being the next; nothing of it is stored. */
  failAppend(nth: number): void {
    this.#failing.add(this.appends + nth);
  }

  get facts(): readonly ProviderFact[] {
    return this.rows.flatMap((row) => (row.type === 'provider.fact' ? [row.provider_fact] : []));
  }

  get intents(): readonly (StoredRow & IntentBody)[] {
    return this.rows.filter((row): row is StoredRow & IntentBody => row.type === 'provider.intent');
  }

  get outcomes(): readonly (StoredRow & OutcomeBody)[] {
    return this.rows.filter((row): row is StoredRow & OutcomeBody => row.type === 'provider.outcome');
  }

  /** Records a fact as an earlier run would have. */
  remember(...facts: readonly ProviderFact[]): void {
    this.#store(
      EARLIER,
      facts.map((fact) => ({ type: 'provider.fact', provider_fact: fact })),
    );
  }

  async read(target: string): Promise<LogState> {
    const fold = startFold();
    const open = startOpenIntents();
    for (const row of this.rows) {
      if (row.target !== target) continue;
      if (row.type === 'provider.intent') open.intent(row.global_sequence, row, target);
      if (row.type === 'provider.outcome') open.outcome(row);
      if (row.type !== 'provider.fact') continue;
      open.fact(row.provider_fact.urn);
      fold.add(row.provider_fact);
    }
    const facts = this.facts;
    return {
      model: fold.model,
      openIntents: open.list(),
      targets: [...new Set(this.rows.map((row) => row.target))].sort(),
      factsOf: (digest) => facts.filter((fact) => fact.digest === digest),
      head: await this.head(),
      diagnostics: [],
    };
  }

  async verify(): Promise<void> {
    if (this.broken) throw new DiagnosticError([diagnostic('CHAIN_BROKEN', 'row 1 does not fit the chain.')]);
  }

  async lock(stacks: readonly string[], _timeoutMs: number): Promise<HeldLocks> {
    const taken = stacks.find((stack) => this.held.has(stack));
    if (taken !== undefined) throw new DiagnosticError([diagnostic('LOCK_HELD', `stack ${taken} is locked.`)]);
    for (const stack of stacks) this.held.add(stack);
    this.lockings.push(`lock ${stacks.join(' ')}`);
    return {
      release: async () => {
        for (const stack of stacks) this.held.delete(stack);
        this.lockings.push(`release ${stacks.join(' ')}`);
      },
    };
  }

  async append(context: RowContext, rows: readonly RowBody[]): Promise<readonly LogRow[]> {
    this.appends += 1;
    if (this.#failing.has(this.appends))
      throw new DiagnosticError([diagnostic('LOG_WRITE', 'no space left on the device.')]);
    return this.#store(context, rows);
  }

  #store(context: RowContext, rows: readonly RowBody[]): readonly LogRow[] {
    return rows.map((body) => {
      const copy = JSON.parse(JSON.stringify({ ...context, ...asWritten(body) })) as RowContext & RowBody;
      const prev = this.rows.at(-1)?.hash ?? '0'.repeat(64);
      const position = { global_sequence: this.rows.length + 1, recorded_at: '2026-01-01T00:00:00Z', prev };
      const row: StoredRow = { ...copy, ...position, hash: sha256Hex(JSON.stringify([position, copy])) };
      this.rows.push(row);
      return row;
    });
  }

  async head(): Promise<string | null> {
    const last = this.rows.at(-1);
    return last === undefined ? null : `${last.global_sequence}:${last.hash}`;
  }
}

const EARLIER: RowContext = {
  execution_id: 1,
  actor: { user: 'earlier', host: 'testhost' },
  infra: '0.0.0',
  target: 'cloud',
};

/** As the stores do: an intent's fact is one that is only planned. */
function asWritten(body: RowBody): RowBody {
  if (body.type !== 'provider.intent') return body;
  return { ...body, provider_fact: { ...body.provider_fact, outcome: 'planned' } };
}
