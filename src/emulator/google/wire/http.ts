import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from './json.ts';

const LARGEST_BODY = 10 * 1024 * 1024;

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export type BodyText = { readonly kind: 'text'; readonly text: string | undefined } | { readonly kind: 'tooLarge' };

/** The whole request body; beyond the limit the rest is read and dropped, so that the refusal can be sent. */
export async function readBody(request: IncomingMessage): Promise<BodyText> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size <= LARGEST_BODY) chunks.push(chunk);
  }
  if (size > LARGEST_BODY) return { kind: 'tooLarge' };
  return { kind: 'text', text: size === 0 ? undefined : Buffer.concat(chunks).toString('utf8') };
}

export function jsonAnswer(status: number, value: Json, pretty: boolean): Answer {
  const body = pretty ? `${JSON.stringify(value, null, 2)}\n` : JSON.stringify(value);
  return { status, contentType: 'application/json; charset=UTF-8', body };
}

/** The front end's own pages: unknown URLs, oversize bodies, gateway trouble. */
export function htmlAnswer(status: number, title: string, text: string): Answer {
  const body =
    `<!DOCTYPE html>\n<html lang=en>\n  <meta charset=utf-8>\n  <title>Error ${status} (${title})!!1</title>\n` +
    `  <p><b>${status}.</b> <ins>That’s an error.</ins>\n  <p>${text}  <ins>That’s all we know.</ins>\n`;
  return { status, contentType: 'text/html; charset=UTF-8', body };
}

export function notFoundPage(path: string): Answer {
  const shown = path.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return htmlAnswer(404, 'Not Found', `The requested URL <code>${shown}</code> was not found on this server.`);
}

function writeHead(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, {
    'Content-Type': answer.contentType,
    Vary: ['Origin', 'X-Origin', 'Referer'],
    Server: 'ESF',
    'Cache-Control': 'private',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'SAMEORIGIN',
    'X-XSS-Protection': '0',
    'Content-Length': String(Buffer.byteLength(answer.body)),
    ...answer.headers,
  });
}

export function send(response: ServerResponse, answer: Answer): void {
  writeHead(response, answer);
  response.end(answer.body);
}

/** Announces the whole body, sends half of it and cuts the connection. */
export function sendTruncated(response: ServerResponse, answer: Answer): void {
  writeHead(response, answer);
  const bytes = Buffer.from(answer.body);
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}
