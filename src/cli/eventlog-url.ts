import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';

/** Where an event log is. */
export type LogSource =
  | { readonly kind: 'file'; readonly path: string }
  /** Can only be read. */
  | { readonly kind: 'stdin' }
  /** A NoETL server: can only be read. */
  | { readonly kind: 'server'; readonly url: string };

/** What an event log URL names. Throws DiagnosticError where it is none, or can't be written and has to be. */
export function eventlogSource(url: string, base: string, mustWrite: boolean): LogSource {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (url === '-') return readOnly({ kind: 'stdin' }, 'stdin', mustWrite);
  if (scheme === 'http' || scheme === 'https') return readOnly({ kind: 'server', url }, 'a NoETL server', mustWrite);
  return { kind: 'file', path: filePath(url, scheme, base) };
}

function readOnly(source: LogSource, what: string, mustWrite: boolean): LogSource {
  if (!mustWrite) return source;
  throw new DiagnosticError([
    diagnostic('LOG_READ_ONLY', `An event log on ${what} can only be read, and this verb has to write.`),
  ]);
}

function filePath(url: string, scheme: string | undefined, base: string): string {
  if (scheme === 'postgres' || scheme === 'postgresql') throw notAvailable('An event log in PostgreSQL');
  if (scheme === 'file') return fromFileUrl(url, base);
  // One letter is a drive of Windows.
  if (scheme !== undefined && scheme.length > 1 && /^[a-z0-9+.-]+:\/\//i.test(url)) {
    throw new DiagnosticError([
      diagnostic('USAGE', `--eventlog: ${scheme}:// is no kind of event log.`, {
        hint: 'a path, a file: URL, - for stdin, or the http(s):// URL of a NoETL server',
      }),
    ]);
  }
  if (url === '') throw new DiagnosticError([diagnostic('USAGE', '--eventlog is empty.')]);
  return resolve(base, url);
}

function fromFileUrl(url: string, base: string): string {
  const path = url.slice('file:'.length);
  if (!path.startsWith('//')) return resolve(base, path);
  try {
    return fileURLToPath(url);
  } catch {
    throw new DiagnosticError([diagnostic('USAGE', '--eventlog: the file: URL names no file of this machine.')]);
  }
}

function notAvailable(what: string): DiagnosticError {
  return new DiagnosticError([
    diagnostic('NOT_AVAILABLE', `${what} is not part of this version.`, { hint: 'use a file' }),
  ]);
}
