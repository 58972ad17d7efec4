import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { systemCode } from './problems.ts';

/** Time and chance, so that a test need not wait. */
export interface EhdbTiming {
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

export interface EhdbLimits {
  /** Milliseconds to connect, TLS included. */
  readonly connectMs: number;
  /** Milliseconds for one request as a whole. */
  readonly requestMs: number;
  /** Bytes of a page. */
  readonly bodyBytes: number;
  /** Rows asked for at once; the server gives 1000 at most. */
  readonly pageRows: number;
}

export const EHDB_LIMITS: EhdbLimits = {
  connectMs: 10_000,
  requestMs: 60_000,
  bodyBytes: 64 * 1024 * 1024,
  pageRows: 1000,
};
export const SYSTEM_TIMING: EhdbTiming = {
  sleep: (ms, signal) => pause(ms, undefined, { signal }).catch(() => undefined),
  random: Math.random,
};

export interface TransportOptions {
  /** Sent as bearer; null: none is sent. */
  readonly token: string | null;
  readonly userAgent: string;
  readonly limits: EhdbLimits;
  readonly timing: EhdbTiming;
  /** Gives up what is under way and what would come. */
  readonly signal: AbortSignal | undefined;
}

/** What one request came to. */
export type Exchange =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  /** No whole answer. `passing`: asking again may help. */
  | { readonly kind: 'lost'; readonly why: string; readonly passing: boolean };

const MAX_TRIES = 5;
const BASE_MS = 500;
const CAP_MS = 30_000;
const PASSING_STATUS: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** Sends GETs to one server. Redirects are not followed: the token goes nowhere else. */
export class EhdbTransport {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: TransportOptions;
  #agent: Promise<Dispatcher> | null = null;

  constructor(options: TransportOptions) {
    const { token, userAgent } = options;
    const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    this.#headers = { accept: 'application/json', 'user-agent': userAgent, ...authorization };
    this.#options = options;
  }

  /** Asks until there is an answer that stays, or no sense in asking again. */
  async get(url: URL): Promise<Exchange> {
    const { timing, signal } = this.#options;
    for (let tries = 1; ; tries += 1) {
      if (signal?.aborted === true) return interruptedBy(signal);
      const exchange = await this.#once(url);
      const passing = exchange.kind === 'lost' ? exchange.passing : PASSING_STATUS.has(exchange.status);
      if (!passing || tries === MAX_TRIES) return exchange;
      // Full jitter: between 0 and the exponential bound.
      const backoff = timing.random() * Math.min(CAP_MS, BASE_MS * 2 ** tries);
      await timing.sleep(Math.max(askedDelay(exchange), backoff), signal);
    }
  }

  async close(): Promise<void> {
    const agent = await this.#agent;
    this.#agent = null;
    await agent?.destroy();
  }

  async #once(url: URL): Promise<Exchange> {
    const { limits, signal: interrupt } = this.#options;
    this.#agent ??= openAgent(limits);
    const agent = await this.#agent;
    const deadline = AbortSignal.timeout(limits.requestMs);
    const signal = interrupt === undefined ? deadline : AbortSignal.any([deadline, interrupt]);
    try {
      const { origin, pathname, search } = url;
      const request = { origin, path: pathname + search, method: 'GET' as const, headers: this.#headers, signal };
      const { statusCode: status, headers, body } = await agent.request(request);
      const bytes = await readBounded(body, limits.bodyBytes);
      if (bytes !== null) return { kind: 'answered', status, headers, body: bytes };
      return lost(`the answer is longer than ${limits.bodyBytes} bytes`, false);
    } catch (error) {
      if (interrupt?.aborted === true) return interruptedBy(interrupt);
      return deadline.aborted ? lost(`no whole answer came within ${limits.requestMs} ms`, false) : troubleOf(error);
    }
  }
}

/** Loads undici only here: verbs that read a file don't pay for it. */
async function openAgent(limits: EhdbLimits): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  return new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: limits.connectMs, rejectUnauthorized: true },
  });
}

/** Null for a body that is longer; what is left of it is not read. */
async function readBounded(body: AsyncIterable<Buffer>, most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function interruptedBy({ reason }: AbortSignal): Exchange {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError';
  return lost(isLate ? 'the time given by --timeout is over' : 'the run was interrupted', false);
}

function lost(why: string, passing: boolean): Exchange {
  return { kind: 'lost', why, passing };
}

const CAUSES: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  UND_ERR_SOCKET: 'the connection was closed before the answer was whole',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'its name is not known (DNS)',
  EAI_AGAIN: 'its name could not be resolved (DNS)',
};
/** A name that does not exist and a certificate that does not hold stay that way. */
const LASTING = /^ENOTFOUND$|CERT|TLS|SSL|SIGNATURE|ALTNAME/;

/** Names the cause by its code alone: a library's message may carry what was sent. */
function troubleOf(error: unknown): Exchange {
  const code = systemCode(error instanceof AggregateError ? error.errors[0] : error) ?? '';
  const known = /^[A-Z0-9_]{1,64}$/.test(code) ? ` (${code})` : '';
  return lost(CAUSES[code] ?? `the connection failed${known}`, !LASTING.test(code));
}

/** Milliseconds that the server asks to wait, bounded. */
function askedDelay(exchange: Exchange): number {
  if (exchange.kind === 'lost') return 0;
  const asked = String(exchange.headers['retry-after'] ?? '');
  return /^\d{1,6}$/.test(asked) ? Math.min(Number(asked) * 1000, CAP_MS) : 0;
}
