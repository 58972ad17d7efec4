import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** What stopped an exchange, in words without user data. */
export interface Trouble {
  readonly kind: 'connection' | 'timeout' | 'interrupted' | 'invalid';
  readonly text: string;
}

export type Exchange =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  /** No byte of the request left this machine. */
  | { readonly kind: 'unsent'; readonly trouble: Trouble }
  /** The request left, wholly or in part; there is no whole answer. */
  | { readonly kind: 'lost'; readonly trouble: Trouble };

export interface WireRequest {
  readonly url: URL;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal | undefined;
}

export interface Limits {
  /** Milliseconds to connect, TLS included. */
  readonly connectMs: number;
  /** Milliseconds for one exchange as a whole. */
  readonly requestMs: number;
  /** Bytes of an answer's body. */
  readonly bodyBytes: number;
  /** Connections to one host. */
  readonly connections: number;
}

export const DEFAULT_LIMITS: Limits = {
  connectMs: 10_000,
  requestMs: 60_000,
  bodyBytes: 64 * 1024 * 1024,
  connections: 32,
};

/** One request on its way; it knows whether a byte of it may have left. */
class Collector implements Dispatcher.DispatchHandler {
  readonly #settle: (exchange: Exchange) => void;
  readonly #bodyBytes: number;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #size = 0;
  #settled = false;

  constructor(bodyBytes: number, settle: (exchange: Exchange) => void) {
    this.#bodyBytes = bodyBytes;
    this.#settle = settle;
  }

  /** undici calls this right before it writes to a socket; aborted here, nothing is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('given up before sending'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= this.#bodyBytes) this.#chunks.push(chunk);
    else this.giveUp({ kind: 'invalid', text: `the answer is longer than ${this.#bodyBytes} bytes` });
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks);
    this.#finish({ kind: 'answered', status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#stop(troubleOf(error));
  }

  giveUp(trouble: Trouble): void {
    this.#stop(trouble);
    this.#controller?.abort(new Error(trouble.text));
  }

  #stop(trouble: Trouble): void {
    this.#finish({ kind: this.#controller === null ? 'unsent' : 'lost', trouble });
  }

  #finish(exchange: Exchange): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle(exchange);
  }
}

const KNOWN_CAUSES: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the bound',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is not known (DNS)',
  EAI_AGAIN: 'the host name could not be resolved (DNS)',
  UND_ERR_SOCKET: 'the connection was closed before the answer was whole',
  EPIPE: 'the connection was closed while sending',
};

/** Names the cause by its code alone: a library's message may carry what was sent. */
function troubleOf(error: Error): Trouble {
  const code = codeOf(error);
  const text = KNOWN_CAUSES[code] ?? (code === '' ? 'the connection failed' : `the connection failed (${code})`);
  return { kind: code.endsWith('_TIMEOUT') ? 'timeout' : 'connection', text };
}

function codeOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code)) return code;
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  return first instanceof Error ? codeOf(first) : '';
}

/** A keep-alive pool. Redirects are not followed, certificates are verified whatever the environment says. */
export class Transport {
  readonly #limits: Limits;
  #agent: Promise<Dispatcher> | null = null;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  async send(request: WireRequest): Promise<Exchange> {
    if (request.signal?.aborted === true) return { kind: 'unsent', trouble: INTERRUPTED };
    this.#agent ??= openAgent(this.#limits);
    return exchange(await this.#agent, request, this.#limits);
  }

  /** Cuts what is still under way. */
  async close(): Promise<void> {
    const agent = await this.#agent;
    this.#agent = null;
    await agent?.destroy();
  }
}

const INTERRUPTED: Trouble = { kind: 'interrupted', text: 'the run was interrupted' };
const TIME_UP: Trouble = { kind: 'interrupted', text: 'the time given by --timeout was over' };

/** Whether the run ends because its time is over, and not because anybody interrupted it. */
export function isTimeUp(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
}

/** Loads undici only here: verbs that send nothing don't pay for it. */
async function openAgent(limits: Limits): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  return new Agent({
    connections: limits.connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: limits.connectMs, rejectUnauthorized: true },
  });
}

function exchange(agent: Dispatcher, request: WireRequest, limits: Limits): Promise<Exchange> {
  return new Promise((resolve) => {
    const collector = new Collector(limits.bodyBytes, (result) => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', interrupt);
      resolve(result);
    });
    const interrupt = () => collector.giveUp(isTimeUp(request.signal) ? TIME_UP : INTERRUPTED);
    const expire = () => collector.giveUp({ kind: 'timeout', text: `no answer within ${limits.requestMs} ms` });
    const timer = setTimeout(expire, limits.requestMs);
    request.signal?.addEventListener('abort', interrupt, { once: true });
    const { url, method, headers, body } = request;
    agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, collector);
  });
}
