import { startCutoff } from './cutoff.ts';
import { eachPage, type PageSource } from './ehdb-pages.ts';
import { EHDB_LIMITS, type EhdbLimits, type EhdbTiming, EhdbTransport, SYSTEM_TIMING } from './ehdb-transport.ts';
import { type EhdbAddress, ehdbAddress } from './ehdb-url.ts';
import type { LogState } from './event-log.ts';
import { startLogFold } from './fold-log.ts';
import type { HistoryRow } from './history.ts';
import type { InspectableLog } from './inspectable-log.ts';
import type { LosslessJson } from './lossless.ts';
import { type Entry, type ForeignMap, parseRecord } from './parse-row.ts';
import { failure } from './problems.ts';
import { passedOver, SKIP_INVALID, skippedRows, whyBroken } from './read-log.ts';
import { refuseWriting } from './read-only.ts';
import { withoutSecrets } from './row-secrets.ts';

export interface EhdbLogOptions {
  /** `http(s)://server`, with `execution`, `tenant` and `namespace` as query where they are wanted. */
  readonly url: string;
  /** Sent as bearer to this server only; never printed. */
  readonly token: string | null;
  /** `infra/<version>`. */
  readonly userAgent: string;
  readonly mapForeign?: ForeignMap;
  readonly skipInvalid?: boolean;
  readonly timing?: EhdbTiming;
  readonly limits?: Partial<EhdbLimits>;
  /** Gives up reading. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The event log that a NoETL server serves. It can only be read, and it is asked again for every read. Throws
 * DiagnosticError (USAGE, AUTHENTICATION, CREDENTIAL_MISDIRECTED) where the URL or the token can't be used; sends
 * nothing before the first read.
 */
export function openEhdbLog(options: EhdbLogOptions): InspectableLog {
  return new EhdbLog(options);
}

type OnEntry = (entry: Entry, record: LosslessJson, number: number) => void;

class EhdbLog implements InspectableLog {
  readonly url: string;
  readonly writable = false;
  readonly #options: EhdbLogOptions;
  readonly #address: EhdbAddress;

  constructor(options: EhdbLogOptions) {
    this.#options = options;
    this.#address = ehdbAddress(options.url, options.token);
    this.url = this.#address.shown;
  }

  read(target: string): Promise<LogState> {
    return this.#fold(target, undefined);
  }

  readAt(target: string, at: Date): Promise<LogState> {
    return this.#fold(target, at.getTime());
  }

  async history(onRow: (row: HistoryRow) => void): Promise<void> {
    await this.#eachEntry((entry, record, line) => {
      onRow({
        line,
        json: withoutSecrets(record),
        entry,
      });
    });
  }

  /** The tier has no chain; whoever asks must not take silence for proof. */
  verify(): Promise<never> {
    const detail = `The event log ${this.url} is a server's: it has no hash chain that could be checked.`;
    return Promise.reject(failure('NOT_AVAILABLE', detail));
  }

  /** Null: without a chain there is no head. */
  head(): Promise<null> {
    return Promise.resolve(null);
  }

  lock(): Promise<never> {
    return refuseWriting(`The event log ${this.url}`);
  }

  append(): Promise<never> {
    return refuseWriting(`The event log ${this.url}`);
  }

  async #fold(target: string, until: number | undefined): Promise<LogState> {
    const fold = startLogFold(target, () => {
      throw new TypeError('no row of a server is deferred');
    });
    const cutoff = startCutoff(until);
    const skipped = await this.#eachEntry((entry) => {
      if (cutoff.isWithin(entry.recordedAt)) fold.add(entry);
    });
    const folded = fold.finish();
    const { model, marks, openIntents, targets } = folded;
    const named = { path: this.url };
    const diagnostics = [...skippedRows(skipped, named), ...passedOver(cutoff, folded, named)];
    return { model, marks, openIntents, targets, factsOf: () => [], head: null, diagnostics };
  }

  /** Returns how many broken rows were passed over. */
  async #eachEntry(onEntry: OnEntry): Promise<number> {
    const { token, userAgent, timing = SYSTEM_TIMING, signal } = this.#options;
    const limits = { ...EHDB_LIMITS, ...this.#options.limits };
    const transport = new EhdbTransport({ token, userAgent, limits, timing, signal });
    const source: PageSource = { address: this.#address, token, transport, limits };
    let number = 0;
    let skipped = 0;
    try {
      for await (const records of eachPage(source)) {
        for (const record of records) {
          number += 1;
          const entry = this.#parse(record, number);
          if (entry === null) skipped += 1;
          else onEntry(entry, record, number);
        }
      }
    } finally {
      await transport.close();
    }
    return skipped;
  }

  /** Null for a broken row that is to be passed over. */
  #parse(record: LosslessJson, number: number): Entry | null {
    const { mapForeign = (fact) => fact, skipInvalid = false } = this.#options;
    try {
      return parseRecord(record, mapForeign);
    } catch (error) {
      if (skipInvalid) return null;
      throw failure('LOG_INVALID', `Row ${number} of ${this.url} is broken: ${whyBroken(error)}.`, SKIP_INVALID);
    }
  }
}
