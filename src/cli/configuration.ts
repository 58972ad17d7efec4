import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../core/diagnostics.ts';
import type { JsonObject } from '../core/json.ts';
import type { GuardSpec } from '../core/step.ts';
import { type CallerConfig, loadCallerConfig, NO_CALLER_CONFIG } from '../playbook/caller-config.ts';
import type { ProjectDefaults } from '../playbook/load.ts';
import { type DriftIgnore, loadProjectConfig, type ProjectConfig } from '../playbook/project-config.ts';
import type { Host } from './host.ts';

/** What infra.yaml and the caller's own config.yaml and environment say. */
export interface Configuration {
  /** Full path of infra.yaml; null where there is none. */
  readonly file: string | null;
  readonly stack: string | null;
  readonly parallelism: number | null;
  readonly eventlog: string | null;
  readonly project: ProjectDefaults | null;
  readonly credentials: CallerConfig['credentials'];
  /** Environment variables that playbooks may see, with their values. */
  readonly env: JsonObject;
  readonly allowedEndpoints: readonly string[];
  /** The caller's own guard. */
  readonly guard: GuardSpec | null;
  /** Whose authority and which settings verbs without a playbook use, by stack. */
  readonly stacks: CallerConfig['stacks'];
  /** Globs, relative to the folder of infra.yaml. */
  readonly playbooks: readonly string[];
  readonly ignore: readonly DriftIgnore[];
  readonly notices: readonly Diagnostic[];
}

export interface ConfigurationRequest {
  readonly host: Host;
  /** `--config`. */
  readonly file: string | null;
  /** The playbook beside or above which infra.yaml lies; null: the current folder. */
  readonly playbook: string | null;
}

/** Reads both configurations. Throws DiagnosticError with all that is wrong in them. */
export async function readConfiguration({ host, file, playbook }: ConfigurationRequest): Promise<Configuration> {
  const [project, caller] = await Promise.all([
    loadProjectConfig({ cwd: host.cwd, playbook, override: file }),
    loadCallerConfig({ env: host.env, home: host.home, uid: host.uid }),
  ]);
  const notices = [...project.diagnostics, ...caller.diagnostics];
  if (hasErrors(notices)) throw new DiagnosticError(notices);
  return combine(host, project.config, caller.config ?? NO_CALLER_CONFIG, notices);
}

function combine(
  host: Host,
  project: ProjectConfig | null,
  caller: CallerConfig,
  notices: readonly Diagnostic[],
): Configuration {
  return {
    file: project?.path ?? null,
    stack: project?.stack ?? null,
    parallelism: project?.parallelism ?? null,
    // The caller's own word comes before that of a file which lies beside a playbook.
    eventlog: caller.eventlog ?? project?.eventlog ?? null,
    project,
    credentials: caller.credentials,
    env: Object.fromEntries(
      caller.exposeEnv.flatMap((name) => {
        const value = host.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    allowedEndpoints: [...caller.allowEndpoints, ...endpointsOf(host.env)],
    guard: caller.guard,
    stacks: caller.stacks,
    playbooks: project?.playbooks ?? [],
    ignore: project?.ignore ?? [],
    notices,
  };
}

function endpointsOf(env: Host['env']): readonly string[] {
  return (env['INFRA_ALLOW_ENDPOINT'] ?? '')
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word) => endpointOrigin(word, 'INFRA_ALLOW_ENDPOINT'));
}

/** The origin that a caller allows. Throws DiagnosticError (USAGE) where it is none. */
export function endpointOrigin(word: string, where: string): string {
  const url = URL.canParse(word) ? new URL(word) : null;
  const bare =
    url !== null &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'http:' || url.protocol === 'https:');
  if (url !== null && bare) return url.origin;
  throw new DiagnosticError([
    diagnostic('USAGE', `${where}: an origin is written like http://127.0.0.1:8089, without user and password.`),
  ]);
}
