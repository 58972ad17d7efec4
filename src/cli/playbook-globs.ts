import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';

/** No repository of playbooks comes near this. */
const MOST_FOLDERS = 20_000;

/**
 * The files that globs of infra.yaml name, sorted, as paths from its folder: `*` and `?` within a name, `**` for any
 * folders. Nothing outside of the folder, nothing through a symbolic link, nothing whose name begins with a dot unless
 * the glob says the dot. Throws DiagnosticError (CONFIG_INVALID).
 */
export async function expandGlobs(folder: string, globs: readonly string[]): Promise<readonly string[]> {
  const walk = { found: new Set<string>(), seen: new Set<string>() };
  for (const glob of globs) await expand(folder, '', segmentsOf(glob), walk);
  return [...walk.found].sort();
}

interface Walk {
  readonly found: Set<string>;
  /** Folder and rest of a glob: a glob of many `**` comes by the same ones over and over. */
  readonly seen: Set<string>;
}

function segmentsOf(glob: string): readonly string[] {
  const segments = glob.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (!glob.startsWith('/') && segments.length > 0 && !segments.includes('..')) return segments;
  const detail = `playbooks: ${JSON.stringify(glob)} must name files inside the folder of infra.yaml.`;
  throw new DiagnosticError([diagnostic('CONFIG_INVALID', detail)]);
}

async function expand(folder: string, at: string, segments: readonly string[], walk: Walk): Promise<void> {
  const [segment, ...rest] = segments;
  const key = `${at}\0${segments.join('/')}`;
  if (segment === undefined || walk.seen.has(key)) return;
  walk.seen.add(key);
  if (walk.seen.size > MOST_FOLDERS)
    throw new DiagnosticError([
      diagnostic('CONFIG_INVALID', `playbooks: the globs lead through more than ${MOST_FOLDERS} folders.`),
    ]);
  if (segment === '**') await expand(folder, at, rest, walk);
  const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    const hidden = entry.name.startsWith('.') && !segment.startsWith('.');
    if (hidden || (segment === '**' ? entry.name === 'node_modules' : !matches(segment, entry.name))) continue;
    if (entry.isDirectory()) await expand(folder, path, segment === '**' ? segments : rest, walk);
    else if (entry.isFile() && segment !== '**' && rest.length === 0) walk.found.add(path);
  }
}

/** Linear in the product of the lengths, whatever the pattern. */
function matches(pattern: string, name: string): boolean {
  let reached = new Set([0]);
  const closed = (places: Iterable<number>): Set<number> => {
    const all = new Set(places);
    for (const place of all) if (pattern[place] === '*') all.add(place + 1);
    return all;
  };
  reached = closed(reached);
  for (const character of name) {
    const next: number[] = [];
    for (const place of reached) {
      if (pattern[place] === '*') next.push(place);
      else if (pattern[place] === '?' || pattern[place] === character) next.push(place + 1);
    }
    reached = closed(next);
  }
  return reached.has(pattern.length);
}
