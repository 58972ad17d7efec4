import { stringify } from 'yaml';

/** A step as a playbook has it. */
export interface Step {
  readonly step: string;
  readonly [key: string]: unknown;
}

type Keys = Readonly<Record<string, unknown>>;

/** A Google step: its action without `google.`, its input, and whatever else its tool says. */
export function google(step: string, action: string, input: Keys, tool: Keys = {}, beside: Keys = {}): Step {
  return {
    step,
    ...beside,
    tool: { kind: 'provider', provider: 'google', action: `google.${action}`, input, ...tool },
  };
}

export const folder = (step: string, input: Keys, tool: Keys = {}, beside: Keys = {}): Step =>
  google(step, 'cloudresourcemanager.folders.ensure', input, tool, beside);

export const project = (step: string, input: Keys, tool: Keys = {}, beside: Keys = {}): Step =>
  google(step, 'cloudresourcemanager.projects.ensure', input, tool, beside);

export const link = (step: string, input: Keys, tool: Keys = {}): Step =>
  google(step, 'cloudbilling.projects.link', input, tool);

export const enable = (step: string, input: Keys, tool: Keys = {}): Step =>
  google(step, 'serviceusage.services.enable', input, tool);

/** A grant on the organisation, a folder or a project, by which of them the input names. */
export function grant(step: string, input: Keys, tool: Keys = {}): Step {
  const holder = 'folder' in input ? 'folders' : 'project_id' in input ? 'projects' : 'organizations';
  return google(step, `cloudresourcemanager.${holder}.iam.ensure_binding`, input, tool);
}

export interface PlaybookParts {
  readonly steps: readonly Step[];
  readonly workload?: Keys;
  readonly defaults?: Keys;
}

export function playbookText({ steps, workload = {}, defaults = {} }: PlaybookParts): string {
  return stringify({
    apiVersion: 'infra/v1',
    kind: 'Playbook',
    metadata: { name: 'test' },
    workload,
    defaults,
    workflow: steps,
  });
}
