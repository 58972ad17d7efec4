import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type Configuration, endpointOrigin, readConfiguration } from './configuration.ts';
import { eventlogSource, type LogSource } from './eventlog-url.ts';
import type { Host } from './host.ts';
import { type InfraFolder, infraFolder } from './infra-folder.ts';
import type { WorkflowFlags } from './workflow-flags.ts';

/** Where a verb keeps and finds its things. */
export interface Place {
  readonly config: Configuration;
  readonly folder: InfraFolder;
  readonly eventlog: LogSource;
  /** Logs that are folded beside it, the first one first. */
  readonly readEventlogs: readonly LogSource[];
}

type LogFlags = Pick<WorkflowFlags, 'eventlog' | 'emulator' | 'readEventlogs' | 'allowEndpoints' | 'endpoint'>;

/** The place that a configuration, the environment and the flags make. Throws DiagnosticError. */
export function placeOf(host: Host, flags: LogFlags, config: Configuration, mustWrite: boolean): Place {
  const folder = infraFolder(host.cwd, config.file, flags.emulator);
  const allowed = flags.allowEndpoints.map((word) => endpointOrigin(word, '--allow-endpoint'));
  // An endpoint that the caller gives is allowed by that.
  const given = flags.endpoint === null ? [] : [endpointOrigin(flags.endpoint, '--endpoint')];
  return {
    config: { ...config, allowedEndpoints: [...config.allowedEndpoints, ...allowed, ...given] },
    folder,
    eventlog: eventlogOf(host, flags, config, folder, mustWrite),
    readEventlogs: flags.readEventlogs.map((url) => eventlogSource(url, host.cwd, false)),
  };
}

/** The place of a verb that is given no playbook: infra.yaml of the current folder. */
export async function locate(
  host: Host,
  flags: LogFlags & Pick<WorkflowFlags, 'config'>,
  mustWrite: boolean,
): Promise<Place> {
  return placeOf(host, flags, await readConfiguration({ host, file: flags.config, playbook: null }), mustWrite);
}

/** The log: the emulator's own, the flag's, the environment's, a configuration's, or the one in `.infra`. */
function eventlogOf(
  { cwd, env }: Host,
  flags: Pick<WorkflowFlags, 'eventlog' | 'emulator'>,
  config: Configuration,
  folder: InfraFolder,
  mustWrite: boolean,
): LogSource {
  const own: LogSource = { kind: 'file', path: folder.eventlog };
  if (flags.eventlog !== null) return eventlogSource(flags.eventlog, cwd, mustWrite);
  if (flags.emulator) return own;
  const named = env['INFRA_EVENTLOG'] ?? '';
  if (named !== '') return eventlogSource(named, cwd, mustWrite);
  return config.eventlog === null ? own : eventlogSource(config.eventlog, cwd, mustWrite);
}

/** Whether facts would go to where a CI job leaves nothing behind. */
export function keptNotice({ env }: Host, { eventlog, folder }: Place, emulator: boolean): readonly Diagnostic[] {
  const isDefault = eventlog.kind === 'file' && eventlog.path === folder.eventlog;
  if (emulator || env['CI'] !== 'true' || !isDefault) return [];
  return [
    diagnostic(
      'LOG_NOT_KEPT',
      `Facts go to ${folder.eventlog}, and CI is set: where this folder is thrown away, so is the record of what is owned.`,
      { hint: 'give --eventlog or INFRA_EVENTLOG a place that is kept' },
    ),
  ];
}
