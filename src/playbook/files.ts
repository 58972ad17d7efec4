import { createReadStream, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { Findings } from './findings.ts';

/** The largest text that is read. */
export const MAX_BYTES = 64 * 1024 * 1024;

export type FileResult =
  | { readonly kind: 'text'; readonly path: string; readonly bytes: Uint8Array; readonly text: string }
  | { readonly kind: 'unreadable'; readonly why: Diagnostic };

/** Reads a playbook, a workload file or a configuration: UTF-8 text of at most 64 MiB. */
export async function readPlaybookFile(path: string): Promise<FileResult> {
  const result = await readTextFile(path);
  return result.kind === 'text' && result.text.trim() === '' ? unreadable(path, 'is empty') : result;
}

/** The same, but a file may be empty. */
export async function readTextFile(path: string): Promise<FileResult> {
  try {
    const info = await stat(path);
    if (info.isDirectory()) return unreadable(path, 'is a folder');
    if (!info.isFile() && !isHandedOver(path)) return unreadable(path, `is a ${kindOf(info)}, no file`);
    if (info.size > MAX_BYTES) return tooLarge(path);
    const bytes = info.isFile() ? await readFile(path) : await readEndless(path);
    return bytes === null ? tooLarge(path) : decoded(path, bytes);
  } catch (error) {
    return unreadable(path, reasonOf(error));
  }
}

/** What the caller's shell has opened already: `<(...)` and /dev/stdin. Another pipe may have nobody who writes to it. */
function isHandedOver(path: string): boolean {
  return /^\/dev\/(stdin|fd\/\d+)$|^\/proc\/(self|\d+)\/fd\/\d+$/.test(path);
}

function kindOf(info: Stats): string {
  return info.isFIFO() ? 'named pipe' : info.isSocket() ? 'socket' : 'device';
}

/** A pipe has no size and no end that could be trusted: `<(...)` and /dev/stdin are read up to the bound; null beyond it. */
async function readEndless(path: string): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(path: string): FileResult {
  return unreadable(path, `is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
}

function decoded(path: string, bytes: Uint8Array): FileResult {
  const decodedText = decode(bytes);
  return typeof decodedText === 'string'
    ? { kind: 'text', path, bytes, text: decodedText }
    : unreadable(path, decodedText.problem);
}

function unreadable(path: string, reason: string): FileResult {
  return { kind: 'unreadable', why: diagnostic('FILE_UNREADABLE', `${path} ${reason}.`) };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read (permission denied)',
  EPERM: 'may not be read (permission denied)',
  EISDIR: 'is a folder',
  ELOOP: 'is a circle of symbolic links',
  ENAMETOOLONG: 'has a name that is too long',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? `could not be read (${code === '' ? 'unknown reason' : code})`;
}

/** Whether a configuration says nothing at all: blank lines and comments. */
export function saysNothing(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#|$)/.test(line));
}

/** Bytes as text without a byte order mark, or what is wrong with them. */
function decode(bytes: Uint8Array): string | { readonly problem: string } {
  if (bytes.length > MAX_BYTES) return { problem: `is larger than ${MAX_BYTES / 1024 / 1024} MiB` };
  if (bytes.includes(0)) return { problem: 'is binary, not text' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'is not UTF-8 text' };
  }
}

/** The text of a playbook that is already in memory; null when it is none. */
export function decodeText(text: string | Uint8Array, path: string, findings: Findings): string | null {
  const result = typeof text === 'string' ? decodeString(text) : decode(text);
  if (typeof result === 'string' && result.trim() !== '') return result;
  const problem = typeof result === 'string' ? 'is empty' : result.problem;
  findings.push(diagnostic('FILE_UNREADABLE', `${path} ${problem}.`));
  return null;
}

function decodeString(text: string): string | { readonly problem: string } {
  if (Buffer.byteLength(text) > MAX_BYTES) return { problem: `is larger than ${MAX_BYTES / 1024 / 1024} MiB` };
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
