import { lstat } from 'node:fs/promises';
import type { InspectableLog } from '../eventlog/inspectable-log.ts';
import { type JsonlLog, openJsonlLog } from '../eventlog/jsonl-file.ts';
import { failure, systemCode } from '../eventlog/problems.ts';
import type { StreamLog } from '../eventlog/stdin.ts';
import { cacheFolder } from './cache-folder.ts';
import { toOurs } from './catalogues.ts';
import type { LogSource } from './eventlog-url.ts';
import type { Place } from './place.ts';
import { AGENT, VERSION } from './version.ts';
import type { WorkflowCall } from './workflow-types.ts';

/** The logs of a verb. */
export interface OpenedLogs {
  /** What is folded from all of them. */
  readonly log: InspectableLog;
  /** Each by itself, the verb's own last. */
  readonly parts: readonly InspectableLog[];
  /** The verb's own, where it has a chain. */
  readonly chained: JsonlLog | StreamLog | null;
  close(): Promise<void>;
}

/** Opens the verb's own log and those that are folded beside it. */
export async function openLogs(call: WorkflowCall, place: Place): Promise<OpenedLogs> {
  await lookForNamed(call, place);
  const own = await openLog(call, place, place.eventlog);
  const others = await Promise.all(place.readEventlogs.map((source) => openLog(call, place, source)));
  const parts = [...others.map(({ log }) => log), own.log];
  const combined =
    others.length === 0
      ? own.log
      : (await import('../eventlog/combine-logs.ts')).combineInspectableLogs(own.log, parts.slice(0, -1));
  const close = async () => {
    for (const { chained } of [...others, own]) if (chained !== null && 'close' in chained) await chained.close();
  };
  return { log: combined, parts, chained: own.chained, close };
}

/** Verbs that begin a log where there is none yet. */
const STARTERS: ReadonlySet<string> = new Set(['plan', 'apply', 'adopt', 'destroy', 'exec']);

/** A log that was named and is missing: to read, a mistake that would pass for "nothing owned"; to write, a new log. */
async function lookForNamed({ command, output }: WorkflowCall, place: Place): Promise<void> {
  // The one that tells what is wrong goes on to do so.
  if (command === 'doctor') return;
  for (const source of place.readEventlogs) if (await isMissing(source, place)) throw missing(source);
  if (!(await isMissing(place.eventlog, place))) return;
  if (!STARTERS.has(command)) throw missing(place.eventlog);
  output.log.note(`There is no event log at ${pathOf(place.eventlog)} yet: a new log is started there.`);
}

/** The log in `.infra` may be missing: nothing was done yet. */
async function isMissing(source: LogSource, { folder }: Place): Promise<boolean> {
  if (source.kind !== 'file' || source.path === folder.eventlog) return false;
  return lstat(source.path).then(
    () => false,
    (error: unknown) => systemCode(error) === 'ENOENT',
  );
}

function missing(source: LogSource): Error {
  return failure('FILE_UNREADABLE', `There is no event log at ${pathOf(source)}.`);
}

function pathOf(source: LogSource): string {
  return source.kind === 'file' ? source.path : source.kind;
}

type OpenedLog = { readonly log: InspectableLog; readonly chained: JsonlLog | StreamLog | null };

async function openLog(call: WorkflowCall, { folder }: Place, source: LogSource): Promise<OpenedLog> {
  const { host, flags } = call;
  const common = { mapForeign: toOurs, skipInvalid: flags.skipInvalid };
  switch (source.kind) {
    case 'file': {
      const log = openJsonlLog({
        ...common,
        path: source.path,
        infraFolder: source.path.startsWith(`${folder.root}/`) ? folder.root : null,
        actor: { user: flags.actor ?? host.user, host: host.hostname },
        now: () => new Date(host.now()),
        cache: { folder: cacheFolder(host), version: VERSION },
      });
      return { log, chained: log };
    }
    case 'stdin': {
      const { openStreamLog } = await import('../eventlog/stdin.ts');
      const log = openStreamLog({ ...common, input: host.openStdin() });
      return { log, chained: log };
    }
    case 'server': {
      const { openEhdbLog } = await import('../eventlog/ehdb-http.ts');
      const token = host.env['INFRA_EVENTLOG_TOKEN'] || null;
      return {
        log: openEhdbLog({ ...common, url: source.url, token, userAgent: AGENT, signal: call.deadline }),
        chained: null,
      };
    }
  }
}
