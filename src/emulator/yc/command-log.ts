import { appendFileSync, existsSync, fstatSync, readFileSync, statSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { FakeYcLogLine } from './options.ts';

export function commandLogOf(stateFile: string): string {
  return `${stateFile}.commands.jsonl`;
}

/** One write a line, so that lines of parallel commands never mix. */
export function appendLog(stateFile: string, line: FakeYcLogLine): void {
  appendFileSync(commandLogOf(stateFile), `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

export function readLog(stateFile: string): readonly FakeYcLogLine[] {
  const path = commandLogOf(stateFile);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): FakeYcLogLine => JSON.parse(line));
}

export type StdinKind = Extract<FakeYcLogLine, { event: 'start' }>['stdin'];

/** What the program was given to read from; the real one may ask there when it is a terminal. */
export function stdinKind(): StdinKind {
  try {
    const stat = fstatSync(0);
    if (stat.isFIFO() || stat.isSocket()) return 'pipe';
    if (stat.isFile()) return 'file';
    if (stat.isCharacterDevice() && stat.rdev === statSync('/dev/null').rdev) return 'null';
    return isatty(0) ? 'terminal' : 'other';
  } catch {
    return 'closed';
  }
}

/** The files that carry metadata, as they are while the command runs. */
export function metadataFiles(argv: readonly string[]): { readonly path: string; readonly mode: string }[] {
  const at = argv.indexOf('--metadata-from-file');
  if (at === -1) return [];
  return (argv[at + 1] ?? '').split(',').map((item) => {
    const path = item.slice(item.indexOf('=') + 1);
    return { path, mode: modeOf(path) };
  });
}

function modeOf(path: string): string {
  try {
    return (statSync(path).mode & 0o777).toString(8).padStart(4, '0');
  } catch {
    return 'none';
  }
}
