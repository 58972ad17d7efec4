import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';

/** The file that an event log URL names. Throws DiagnosticError where it names something else. */
export function eventlogFile(url: string, base: string, mustWrite: boolean): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (url === '-') throw readOnly('stdin', mustWrite);
  if (scheme === 'http' || scheme === 'https') throw readOnly('a NoETL server', mustWrite);
  if (scheme === 'postgres' || scheme === 'postgresql') throw notAvailable('An event log in PostgreSQL');
  if (scheme === 'file') return fromFileUrl(url, base);
  // One letter is a drive of Windows.
  if (scheme !== undefined && scheme.length > 1 && /^[a-z0-9+.-]+:\/\//i.test(url)) {
    throw new DiagnosticError([
      diagnostic('USAGE', `--eventlog: ${scheme}:// is no kind of event log.`, { hint: 'a path, or a file: URL' }),
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

function readOnly(what: string, mustWrite: boolean): DiagnosticError {
  if (!mustWrite) return notAvailable(`Reading the event log from ${what}`);
  return new DiagnosticError([
    diagnostic('LOG_READ_ONLY', `An event log on ${what} can only be read, and this verb has to write.`),
  ]);
}

function notAvailable(what: string): DiagnosticError {
  return new DiagnosticError([
    diagnostic('NOT_AVAILABLE', `${what} is not part of this version.`, { hint: 'use a file' }),
  ]);
}
