import type { JsonObject } from '../core/json.ts';
import type { GuardSpec } from '../core/step.ts';
import type { ProjectDefaults } from '../playbook/load.ts';
import type { CallerCredential } from '../providers/google/credentials.ts';
import type { Host } from './host.ts';

/** What infra.yaml and the caller's own config.yaml say, flags and environment included. */
export interface Configuration {
  /** Full path of infra.yaml; null where there is none. */
  readonly file: string | null;
  readonly stack: string | null;
  readonly parallelism: number | null;
  /** A log named by a configuration, ready to be opened relative to `base`. */
  readonly eventlog: { readonly url: string; readonly base: string } | null;
  readonly project: ProjectDefaults | null;
  readonly credentials: Readonly<Record<string, CallerCredential>>;
  /** Environment variables that playbooks may see, with their values. */
  readonly env: JsonObject;
  readonly allowedEndpoints: readonly string[];
  /** The caller's own guard. */
  readonly guard: GuardSpec | null;
}

export interface ConfigurationRequest {
  readonly host: Host;
  /** `--config`. */
  readonly file: string | null;
  /** The folder from which infra.yaml is looked for upwards. */
  readonly from: string;
}

export async function readConfiguration(request: ConfigurationRequest): Promise<Configuration> {
  return {
    file: request.file,
    stack: null,
    parallelism: null,
    eventlog: null,
    project: null,
    credentials: {},
    env: {},
    allowedEndpoints: [],
    guard: null,
  };
}
