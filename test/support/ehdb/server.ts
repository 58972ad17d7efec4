import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A row of the raw eventlog tier, as the wire has it. */
export interface TierRow {
  readonly global_sequence: number;
  readonly execution_id: string;
  readonly transaction_id: string;
  readonly byte_len: number;
  /** The whole event body as JSON text. */
  readonly payload: string;
}

/** What the server saw of a request. */
export interface SeenRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
}

/** Answers instead of the server, for one request. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

export interface EhdbServer {
  readonly origin: string;
  readonly requests: readonly SeenRequest[];
  /** Rows in global order; a test may add to them. */
  readonly rows: TierRow[];
  /** The next requests are answered by these, one each, then by the server again. */
  readonly faults: Fault[];
}

export interface EhdbServerOptions {
  readonly rows?: readonly TierRow[];
  /** Where the records stand: `result.records`, or `records` as older servers have them. */
  readonly shape?: 'result' | 'top';
  /** The most rows in a page. */
  readonly maxLimit?: number;
}

const TIER_PATH = '/api/ehdb/tiers/eventlog';

/** A NoETL server's raw eventlog tier on loopback; it ends with the test. */
export async function startEhdbServer(options: EhdbServerOptions = {}): Promise<EhdbServer> {
  const requests: SeenRequest[] = [];
  const rows = [...(options.rows ?? [])];
  const faults: Fault[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://server');
    requests.push({ path: url.pathname, query: url.searchParams, authorization: request.headers.authorization });
    const fault = faults.shift();
    if (fault !== undefined) fault(request, response);
    else if (url.pathname.endsWith(TIER_PATH)) sendJson(response, 200, page(rows, url.searchParams, options));
    else sendJson(response, 404, '{}');
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, rows, faults };
}

export function sendJson(response: ServerResponse, status: number, body: string, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

function page(rows: readonly TierRow[], query: URLSearchParams, { shape, maxLimit = 1000 }: EhdbServerOptions): string {
  const after = Number(query.get('after') ?? 0);
  const limit = Math.min(maxLimit, Math.max(1, Number(query.get('limit') ?? 100)));
  const execution = query.get('execution');
  const found = rows
    .filter((row) => row.global_sequence > after && (execution === null || row.execution_id === execution))
    .sort((a, b) => a.global_sequence - b.global_sequence)
    .slice(0, limit);
  return reply(
    found.map((row) => JSON.stringify(row)),
    shape,
  );
}

/** A whole reply around records that are JSON texts already. */
export function reply(records: readonly string[], shape: 'result' | 'top' = 'result'): string {
  const head = '"action":"ehdb.tier.query","tier":"eventlog","outcome":"served","tier_query_source":"service"';
  const list = `"records":[${records.join(',')}]`;
  if (shape === 'top') return `{${head},${list}}`;
  return `{${head},"serve_state":"served_primary","result":{"action":"eventlog-scan","exists":true,"record_count":${records.length},"returned":${records.length},${list}}}`;
}

/** A row whose payload is this text; `transaction` tells it from another with the same sequence number. */
export function tierRow(sequence: number, payload: string, transaction = `t${sequence}`): TierRow {
  return {
    global_sequence: sequence,
    execution_id: '1152921504606846977',
    transaction_id: transaction,
    byte_len: Buffer.byteLength(payload),
    payload,
  };
}
