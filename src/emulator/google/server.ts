import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CONTROL_PREFIX, type ControlTargets, control } from './control.ts';
import { dispatch } from './dispatch.ts';
import { type DueFaults, Faults, type MainAction } from './faults.ts';
import type { EmulatorKnobs, EmulatorSeed, Fault, Principal, RecordedRequest, RpcStatus } from './options.ts';
import { RequestLog } from './request-log.ts';
import { ApiError, UnknownUrl } from './wire/errors.ts';
import { type Answer, htmlAnswer, jsonAnswer, notFoundPage, readBody, send, sendTruncated } from './wire/http.ts';
import type { Json } from './wire/json.ts';
import { parameter, parseQuery, type Query } from './wire/query-parameters.ts';
import { StoredWorld } from './world/stored-world.ts';
import { World } from './world/world.ts';

export interface GoogleEmulatorOptions {
  /** 0 or absent: any free port. The host is always 127.0.0.1. */
  readonly port?: number;
  /** Where the state outlives the process, and other processes share it: read before every request, replaced after every change. */
  readonly stateFile?: string;
  /** The first state; a state file that exists only gains the organisations and billing accounts it lacks. */
  readonly seed?: EmulatorSeed;
  /** Waited before every API request is handled. */
  readonly latencyMs?: number;
  /** GETs that an operation needs before it is done: 0 = done in the first answer; 1 when absent. */
  readonly operationPolls?: number;
  /** Caps every page of every list. */
  readonly pageSize?: number;
  readonly faults?: readonly Fault[];
  /** Bearer token to principal; when absent every token is an all-powerful one. */
  readonly tokens?: Readonly<Record<string, Principal>>;
  readonly knobs?: EmulatorKnobs;
}

export interface GoogleEmulator {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  snapshot(): unknown;
  close(): Promise<void>;
  addFault(fault: Fault): void;
  clearFaults(): void;
  resetRequests(): void;
}

export async function startGoogleEmulator(options: GoogleEmulatorOptions): Promise<GoogleEmulator> {
  const emulator = new Emulator(options);
  await emulator.listen(options.port ?? 0);
  return emulator;
}

const KEEP_ALIVE_MS = 240_000;

interface Received {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly query: Query;
  readonly bodyText: string | undefined;
  readonly headers: IncomingMessage['headers'];
}

class Emulator implements GoogleEmulator {
  url = '';
  private readonly options: GoogleEmulatorOptions;
  private readonly world: World;
  private readonly stored: StoredWorld;
  private readonly faults = new Faults();
  private readonly log = new RequestLog();
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly controlTargets: ControlTargets;

  constructor(options: GoogleEmulatorOptions) {
    this.options = options;
    this.world = new World({
      knobs: options.knobs ?? {},
      operationPolls: options.operationPolls ?? 1,
      forcedPageSize: options.pageSize,
    });
    this.stored = new StoredWorld(this.world, options.seed ?? {}, options.stateFile);
    for (const fault of options.faults ?? []) this.faults.add(fault);
    this.controlTargets = { world: this.world, faults: this.faults, log: this.log, reset: () => this.reset() };
    this.server = createServer((request, response) => void this.serve(request, response));
    // Like the real front ends, and so that no pooled connection dies under a client between two requests.
    this.server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.server.on('connection', (socket) => this.track(socket));
  }

  get requests(): readonly RecordedRequest[] {
    return this.log.entries;
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', () => {
        const address = this.server.address();
        if (address === null || typeof address === 'string') return reject(new Error('no TCP address'));
        this.url = `http://127.0.0.1:${address.port}`;
        resolve();
      });
    });
  }

  snapshot(): unknown {
    return structuredClone(this.world.state);
  }

  addFault(fault: Fault): void {
    this.faults.add(fault);
  }

  clearFaults(): void {
    this.faults.clear();
  }

  resetRequests(): void {
    this.log.clear();
  }

  close(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    return closed;
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  private reset(): void {
    this.stored.startAfresh();
    this.faults.clear();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request);
      if (body.kind === 'tooLarge')
        return send(
          response,
          htmlAnswer(413, 'Request Entity Too Large', 'Your client issued a request that was too large.'),
        );
      const received = receive(request, body.text);
      if (received.path.startsWith(CONTROL_PREFIX)) return this.serveControl(received, response);
      await this.serveApi(received, response);
    } catch {
      // The client went away while its request was read or held back: there is nobody to answer.
      response.destroy();
    }
  }

  private serveControl(received: Received, response: ServerResponse): void {
    const handle = () => control(received.method, received.path, received.bodyText, this.controlTargets);
    send(response, this.stored.exchange(received.method, handle));
  }

  private async serveApi(received: Received, response: ServerResponse): Promise<void> {
    const entry = this.log.add(received);
    const due: DueFaults = this.faults.next(received.method, received.url);
    await this.wait((this.options.latencyMs ?? 0) + due.delayMs);
    const action = due.main;
    if (action?.kind === 'hang') return;
    if (action?.kind === 'reset') return void response.destroy();
    const answer = action?.kind === 'respond' ? cannedAnswer(action) : this.answer(received, action);
    if (action?.kind === 'hangAfter') return;
    if (action?.kind === 'resetAfter') return void response.destroy();
    entry.status = answer.status;
    if (action?.kind === 'truncate') sendTruncated(response, answer);
    else send(response, answer);
  }

  /** Saved before anything is sent: what a client was told survives a kill. */
  private answer(received: Received, action: MainAction | undefined): Answer {
    const pretty =
      parameter(received.query, 'prettyPrint') !== 'false' && parameter(received.query, '$prettyPrint') !== 'false';
    const lroError: RpcStatus | undefined = action?.kind === 'lroError' ? action.error : undefined;
    const handle = () => dispatch(wireRequest(received), { world: this.world, tokens: this.options.tokens, lroError });
    try {
      return this.stored.exchange(received.method, () => answerOf(handle, received, pretty));
    } catch (error) {
      return refusal(error, pretty);
    }
  }

  private wait(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        resolve();
      }, milliseconds);
      this.timers.add(timer);
    });
  }
}

function answerOf(handle: () => Json, received: Received, pretty: boolean): Answer {
  try {
    return jsonAnswer(200, handle(), pretty);
  } catch (error) {
    return error instanceof UnknownUrl ? notFoundPage(received.path) : refusal(error, pretty);
  }
}

function refusal(error: unknown, pretty: boolean): Answer {
  const known =
    error instanceof ApiError ? error : new ApiError('INTERNAL', `Internal error encountered. ${String(error)}`);
  return jsonAnswer(known.httpStatus, known.toJson(), pretty);
}

function receive(request: IncomingMessage, bodyText: string | undefined): Received {
  const url = request.url ?? '/';
  const split = url.indexOf('?');
  const path = split < 0 ? url : url.slice(0, split);
  const query = parseQuery(new URLSearchParams(split < 0 ? '' : url.slice(split + 1)));
  return { method: request.method ?? 'GET', url, path, query, bodyText, headers: request.headers };
}

function wireRequest(received: Received) {
  const quotaProject = received.headers['x-goog-user-project'];
  return {
    method: received.method,
    path: received.path,
    query: received.query,
    authorization: received.headers.authorization,
    quotaProject: typeof quotaProject === 'string' ? quotaProject : undefined,
    bodyText: received.bodyText,
  };
}

function cannedAnswer(action: Extract<MainAction, { kind: 'respond' }>): Answer {
  const headers = action.headers ?? {};
  if (typeof action.body === 'string')
    return { status: action.status, contentType: 'text/html; charset=UTF-8', body: action.body, headers };
  const body = action.body === undefined ? '' : JSON.stringify(action.body);
  return { status: action.status, contentType: 'application/json; charset=UTF-8', body, headers };
}
