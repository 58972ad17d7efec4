import type { InspectableLog } from '../eventlog/inspectable-log.ts';
import { type JsonlLog, openJsonlLog } from '../eventlog/jsonl-file.ts';
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
      return { log: openEhdbLog({ ...common, url: source.url, token, userAgent: AGENT }), chained: null };
    }
  }
}
