import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Met {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (met: Met, response: ServerResponse) => void;

/** A server that answers as it is told, and remembers everything that came, connections without a request included. */
export interface HostileServer {
  readonly url: string;
  readonly requests: readonly Met[];
  readonly connections: number;
  close(): Promise<void>;
}

export async function hostileServer(answer: Answer): Promise<HostileServer> {
  const requests: Met[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => response.destroy());
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const met = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(met);
      answer(met, response);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((closed) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => closed());
      }),
  };
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_met, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_met, response) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=UTF-8', ...headers });
    response.end(body);
  };
}

/** An error of the API that repeats the credential wherever text is allowed. */
export function echoing(status: number, rpc: string): Answer {
  return (met, response) => {
    const credential = met.headers.authorization ?? 'none';
    const text = `you sent ${credential}, that is ${credential.replace(/^Bearer /, '')}`;
    const details = [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: credential,
        domain: credential,
        metadata: { service: credential, [credential]: text, permission: text, consumer: text },
      },
      {
        '@type': 'type.googleapis.com/google.rpc.PreconditionFailure',
        violations: [{ type: credential, subject: text, description: text }],
      },
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ subject: credential, description: text }],
      },
      {
        '@type': 'type.googleapis.com/google.rpc.Help',
        links: [{ description: text, url: `https://example.com/?t=${encodeURIComponent(credential)}` }],
      },
      { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en', message: text },
      { '@type': text, anything: text },
    ];
    response.writeHead(status, {
      'content-type': 'application/json',
      'www-authenticate': credential,
      'x-echo': credential,
      'retry-after': '0',
    });
    response.end(JSON.stringify({ error: { code: status, status: rpc, message: text, details } }));
  };
}
