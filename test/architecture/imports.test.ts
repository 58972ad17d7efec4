import { expect, test } from 'vitest';
import { closureOf } from '../../src/core/graph.ts';
import { type ImportSite, type SourceFile, sourceFiles } from './source-files.ts';

const FILES = sourceFiles();
const KNOWN = new Set(FILES.map((file) => file.path));
const IMPORTS = FILES.flatMap((file) => file.imports);

/** What each layer may import beside itself; what is not named here may import nothing of ours. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  cli: ['engine', 'views', 'emulator', 'playbook', 'providers', 'eventlog', 'core'],
  engine: ['playbook', 'providers', 'eventlog', 'core'],
  playbook: ['core'],
  providers: ['core'],
  eventlog: ['core'],
  views: ['core'],
  core: [],
  emulator: [],
};

/** The only files that name concrete providers and stores. */
const COMPOSITION = [
  'src/cli/catalogues.ts',
  'src/cli/composition.ts',
  'src/cli/compose-google.ts',
  'src/cli/compose-logs.ts',
  'src/cli/compose-yandex.ts',
];

function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function isOurs({ target }: ImportSite): boolean {
  return target.startsWith('src/');
}

/** The sites that break a rule, as a person looks for them. */
function offending(breaks: (site: ImportSite) => boolean, sites: readonly ImportSite[] = IMPORTS): readonly string[] {
  return sites.filter(breaks).map(({ place, target }) => `${place} imports ${target}`);
}

test('every layer is one that the rules know', () => {
  expect([...new Set(FILES.map((file) => layerOf(file.path)))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test('imports run one way', () => {
  const breaks = (site: ImportSite) => {
    const [from, to] = [layerOf(site.file), layerOf(site.target)];
    return isOurs(site) && from !== to && MAY_IMPORT[from]?.includes(to) !== true;
  };
  expect(offending(breaks)).toEqual([]);
});

test('every import of ours leads to a file, with its suffix', () => {
  expect(offending((site) => isOurs(site) && !KNOWN.has(site.target))).toEqual([]);
});

/** Cycles that wait to be cut. May only shrink. */
const KNOWN_CYCLES: ReadonlySet<string> = new Set(['src/playbook/filters.ts <-> src/playbook/list-filters.ts']);

/** Files that lead back to themselves, those of one circle together. */
function cycles(): readonly string[] {
  const edges = new Map(
    FILES.map((file) => [file.path, file.imports.map((site) => site.target).filter((target) => KNOWN.has(target))]),
  );
  const reach = new Map([...edges].map(([path, targets]) => [path, closureOf(targets, edges)] as const));
  const circle = (path: string) =>
    [...edges.keys()].filter((other) => reach.get(path)?.has(other) && reach.get(other)?.has(path));
  const found = [...edges.keys()]
    .filter((path) => reach.get(path)?.has(path))
    .map((path) => circle(path).join(' <-> '));
  return [...new Set(found)];
}

test('there is no cycle, of values or of types', () => {
  const found = cycles();
  expect(found.filter((cycle) => !KNOWN_CYCLES.has(cycle))).toEqual([]);
  expect([...KNOWN_CYCLES].filter((cycle) => !found.includes(cycle))).toEqual([]);
});

test('the composition alone names concrete providers', () => {
  const breaks = ({ file, target }: ImportSite) =>
    /^src\/providers\/[^/]+\//.test(target) && !file.startsWith('src/providers/') && !COMPOSITION.includes(file);
  expect(offending(breaks)).toEqual([]);
});

test('the composition alone opens a store', () => {
  const stores = /^src\/eventlog\/(jsonl-file|ehdb-http|postgres)\.ts$/;
  const breaks = ({ file, target }: ImportSite) =>
    stores.test(target) && !file.startsWith('src/eventlog/') && !COMPOSITION.includes(file);
  expect(offending(breaks)).toEqual([]);
});

test('providers know nothing of each other', () => {
  const familyOf = (path: string) => /^src\/providers\/([^/]+)\//.exec(path)?.[1] ?? null;
  const breaks = ({ file, target }: ImportSite) => {
    const [from, to] = [familyOf(file), familyOf(target)];
    return from !== null && to !== null && from !== to;
  };
  expect(offending(breaks)).toEqual([]);
});

test('core and views do no I/O: of node they know only its hash, and no package', () => {
  const breaks = ({ file, target }: ImportSite) =>
    ['core', 'views'].includes(layerOf(file)) && !target.startsWith('src/') && target !== 'node:crypto';
  expect(offending(breaks)).toEqual([]);
});

test('there are no barrel files and no default exports', () => {
  expect(offending((site) => site.reExport)).toEqual([]);
  expect(FILES.flatMap((file) => file.defaultExports)).toEqual([]);
});

/** What a lock says about its process can't be handed in; the rest waits to be. May only shrink. */
const AMBIENT_OUTSIDE_CLI: ReadonlySet<string> = new Set([
  'src/eventlog/checkpoint-file.ts process.getuid',
  'src/eventlog/folder.ts process.env',
  'src/eventlog/folder.ts process.getuid',
  'src/eventlog/lock-holder.ts process.kill',
  'src/eventlog/lock-holder.ts process.pid',
]);

function ambientOf(file: SourceFile): readonly { readonly place: string; readonly known: string }[] {
  if (['cli', 'emulator'].includes(layerOf(file.path))) return [];
  return file.ambient.map(({ place, name }) => ({ place: `${place} uses ${name}`, known: `${file.path} ${name}` }));
}

test('the process and the console belong to the command line', () => {
  const found = FILES.flatMap(ambientOf);
  expect(found.filter(({ known }) => !AMBIENT_OUTSIDE_CLI.has(known)).map(({ place }) => place)).toEqual([]);
  const used = new Set(found.map(({ known }) => known));
  expect([...AMBIENT_OUTSIDE_CLI].filter((known) => !used.has(known))).toEqual([]);
});
