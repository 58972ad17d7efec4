import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Everything below a folder: kind, mode and content of each path, by its path. Times are left out. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (path: string): void => {
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o7777).toString(8);
    const name = relative(folder, path);
    if (stats.isDirectory()) {
      if (name !== '') found[name] = `folder ${mode}`;
      for (const entry of readdirSync(path)) walk(join(path, entry));
    } else if (stats.isFile())
      found[name] = `file ${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    else found[name] = stats.isSymbolicLink() ? `link ${readlinkSync(path)}` : `other ${mode}`;
  };
  walk(folder);
  return found;
}

/** Paths that came, went or changed. */
export function changesBetween(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.filter((path) => before[path] !== after[path]);
}
