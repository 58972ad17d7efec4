import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { fixedToken } from '../../../../src/providers/google/auth.ts';
import type { ApiCall, GoogleClient } from '../../../../src/providers/google/client.ts';
import type { GoogleClientOptions } from '../../../../src/providers/google/http-client.ts';
import { createGoogleClient } from '../../../../src/providers/google/http-client.ts';
import type { Timing } from '../../../../src/providers/google/timing.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What the server does with one request. */
export type Act = (request: SeenRequest, response: ServerResponse) => void;

export interface Loopback {
  readonly origin: string;
  readonly seen: SeenRequest[];
  /** Closes the port; connections are refused from then on. */
  stop(): Promise<void>;
}

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

export function atEnd(close: () => Promise<void>): void {
  closers.push(close);
}

/** A server on loopback that answers by the script, request by request; the last act is repeated. */
export async function serve(...script: readonly Act[]): Promise<Loopback> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const entry = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      seen.push(entry);
      script[Math.min(seen.length, script.length) - 1]?.(entry, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  atEnd(stop);
  return { origin: `http://127.0.0.1:${port}`, seen, stop };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Act {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function raw(status: number, body: string, headers: Record<string, string> = {}): Act {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(body);
  };
}

/** Cuts the connection instead of answering. */
export const reset: Act = (_request, response) => {
  response.destroy();
};

/** Never answers. */
export const silence: Act = () => {};

export interface ErrorDetail {
  readonly [key: string]: unknown;
}

export function errorBody(code: number, status: string, message: string, ...details: readonly ErrorDetail[]) {
  return { error: { code, message, status, ...(details.length === 0 ? {} : { details }) } };
}

export function refuse(code: number, status: string, message: string, ...details: readonly ErrorDetail[]): Act {
  return json(code, errorBody(code, status, message, ...details));
}

export function errorInfo(reason: string, metadata: Record<string, string> = {}): ErrorDetail {
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com', metadata };
}

export function precondition(type: string, subject = '', description = ''): ErrorDetail {
  return {
    '@type': 'type.googleapis.com/google.rpc.PreconditionFailure',
    violations: [{ type, subject, description }],
  };
}

export const ok = json(200, { name: 'projects/1' });

/** A clock that moves only when somebody sleeps; every sleep is written down. */
export interface FakeTiming extends Timing {
  readonly slept: number[];
  advance(ms: number): void;
}

/** `random` is constant: 1 gives the upper bound of every jitter. */
export function fakeTiming(random = 1): FakeTiming {
  const slept: number[] = [];
  let now = 1_000_000;
  return {
    slept,
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    random: () => random,
    sleep: async (ms, signal) => {
      if (ms <= 0 || signal?.aborted === true) return;
      slept.push(Math.round(ms));
      now += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

export const TOKEN = 'canary-token-0123456789abcdef';

export function clientFor(server: Loopback, options: Partial<GoogleClientOptions> = {}): GoogleClient {
  const client = createGoogleClient({
    endpoints: { crm: `${server.origin}/v3`, billing: `${server.origin}/v1`, serviceusage: `${server.origin}/v1` },
    credential: fixedToken('anywhere', 'test token', TOKEN),
    quotaProject: null,
    userAgent: 'infra/0.0.0',
    timing: fakeTiming(),
    ...options,
  });
  atEnd(() => client.close());
  return client;
}

export const READ: ApiCall = { service: 'crm', method: 'GET', path: 'projects/p1', repeatability: 'read' };
export const ENABLE: ApiCall = {
  service: 'serviceusage',
  method: 'POST',
  path: 'projects/p1/services/run.googleapis.com:enable',
  body: {},
  repeatability: 'idempotent',
};
export const CREATE: ApiCall = {
  service: 'crm',
  method: 'POST',
  path: 'projects',
  body: { projectId: 'p1' },
  repeatability: 'once',
};
export const MOVE: ApiCall = {
  service: 'crm',
  method: 'POST',
  path: 'projects/p1:move',
  body: { destinationParent: 'folders/2' },
  repeatability: 'once',
};
