import type { Diagnostic } from '../../src/core/diagnostics.ts';
import type { ActionSpec } from '../../src/core/resource.ts';
import type { Step } from '../../src/core/step.ts';
import type { ValueObject } from '../../src/core/value.ts';
import type { ActionCatalogue } from '../../src/playbook/actions.ts';
import { type LoadRequest, type LoadResult, loadPlaybook } from '../../src/playbook/load.ts';
import { loadRequest } from '../support/load-request.ts';

function action(name: string, kind: ActionSpec['kind'], inputKeys: readonly string[]): ActionSpec {
  const [provider = '', service = ''] = name.split('.');
  return { name, provider, kind, service, resourceType: 'thing', converge: 'single', inputKeys };
}

const GOOGLE = [
  action('google.cloudresourcemanager.folders.list', 'read', ['parent']),
  action('google.cloudresourcemanager.folders.ensure', 'ensure', ['parent', 'display_name', 'organization']),
  action('google.cloudresourcemanager.projects.ensure', 'ensure', [
    'project_id',
    'display_name',
    'parent',
    'labels',
    'count',
    'flag',
    'note',
  ]),
  action('google.cloudbilling.projects.link', 'ensure', ['project_id', 'billing_account']),
  action('google.serviceusage.services.enable', 'ensure', ['project_id', 'services', 'service_name']),
  action('google.serviceusage.services.list_enabled', 'read', ['project_id']),
  action('google.cloudresourcemanager.organizations.iam.ensure_binding', 'ensure', ['organization', 'role', 'member']),
];
const YANDEX = [
  action('yandex.vpc.network.ensure', 'ensure', ['name', 'description']),
  action('yandex.vpc.subnet.ensure', 'ensure', ['name', 'zone_id', 'ipv4_cidr', 'network_dependency']),
];

/** A catalogue that knows names and the list of services, as the loader needs them. */
function catalogue(provider: string, actions: readonly ActionSpec[]): ActionCatalogue {
  return {
    provider,
    findAction: (name, service) => {
      const full = service === null ? name : `${provider}.${service.split('.')[0]}.${name}`;
      return actions.find((known) => known.name === name || known.name === full) ?? null;
    },
    actionNames: () => actions.map((known) => known.name),
    expandInput: (spec, input) => expandServices(spec, input),
  };
}

function expandServices(
  spec: ActionSpec,
  input: ValueObject,
): readonly { readonly key: string; readonly input: ValueObject }[] | null {
  const { services, ...rest } = input;
  if (!spec.name.endsWith('services.enable') || !Array.isArray(services)) return null;
  return services.map((service) => ({ key: String(service), input: { ...rest, service_name: service } }));
}

export const CATALOGUES: ReadonlyMap<string, ActionCatalogue> = new Map([
  ['google', catalogue('google', GOOGLE)],
  ['yandex', catalogue('yandex', YANDEX)],
]);

export function request(text: string, changes: Partial<LoadRequest> = {}): LoadRequest {
  return loadRequest('playbook.yaml', text, CATALOGUES, changes);
}

export function load(text: string, changes: Partial<LoadRequest> = {}): Promise<LoadResult> {
  return loadPlaybook(request(text, changes));
}

/** A playbook of the given workflow text (indented by nothing) with a workload in flow style. */
export function playbook(workflow: string, workload = '{}', more = ''): string {
  return `apiVersion: infra/v1\nmetadata: { name: test }\nworkload: ${workload}\n${more}workflow:\n${workflow}`;
}

/** One provider step that ensures a project with the given input in flow style. */
export function projectStep(input: string, name = 'project', more = ''): string {
  return `  - step: ${name}\n    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.projects.ensure, input: ${input}${more} }\n`;
}

/** The steps of a playbook that must load. */
export async function steps(text: string, changes: Partial<LoadRequest> = {}): Promise<readonly Step[]> {
  const result = await load(text, changes);
  if (result.playbook === null) throw new Error(result.diagnostics.map(brief).join('\n'));
  return result.playbook.steps;
}

/** The first step's input; the playbook must load. */
export async function inputOf(text: string, changes: Partial<LoadRequest> = {}): Promise<ValueObject> {
  const [first] = (await steps(text, changes)).filter((step) => step.skip === null);
  if (first === undefined) throw new Error('no step');
  return first.input;
}

export function brief(item: Diagnostic): string {
  const at = item.source === null ? '' : `${item.source.line}:${item.source.column} `;
  return `${at}${item.code}: ${item.detail}${item.hint === null ? '' : ` (${item.hint})`}`;
}

/** The errors of a playbook that must not load, as `line:column CODE`. */
export async function errors(text: string, changes: Partial<LoadRequest> = {}): Promise<readonly string[]> {
  const result = await load(text, changes);
  if (result.playbook !== null) throw new Error('the playbook loads');
  return result.diagnostics.filter((item) => item.severity === 'error').map(brief);
}

/** The only error's code and text. */
export async function error(text: string, changes: Partial<LoadRequest> = {}): Promise<string> {
  const all = await errors(text, changes);
  if (all.length !== 1 || all[0] === undefined) throw new Error(`not one error but:\n${all.join('\n')}`);
  return all[0];
}
