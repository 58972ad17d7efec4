import type { ActionSpec } from '../../core/resource.ts';
import type { ActionDefinition, ReadDefinition, ResourceDefinition } from './define-resource.ts';
import { billingAccountBinding } from './resources/billing-account-binding.ts';
import { billingLink } from './resources/billing-link.ts';
import { folder } from './resources/folder.ts';
import { folderBinding } from './resources/folder-binding.ts';
import { organization } from './resources/organization.ts';
import { organizationBinding } from './resources/organization-binding.ts';
import { project } from './resources/project.ts';
import { projectBinding } from './resources/project-binding.ts';
import { service } from './resources/service.ts';

/** Every resource type that is written. A new type is one file in resources/ and one entry here. */
export const RESOURCES: readonly ResourceDefinition[] = [
  folder,
  project,
  billingLink,
  service,
  organizationBinding,
  folderBinding,
  projectBinding,
  billingAccountBinding,
];
const READS: readonly ReadDefinition[] = [organization];

/** An action with what defines it. */
export interface GoogleAction {
  readonly spec: ActionSpec;
  readonly action: ActionDefinition;
  readonly definition: ReadDefinition | ResourceDefinition;
}

export function isResource(definition: ReadDefinition | ResourceDefinition): definition is ResourceDefinition {
  return 'observe' in definition;
}

function actionOf(definition: ReadDefinition | ResourceDefinition, action: ActionDefinition): GoogleAction {
  const spelt = action.input.flatMap((field) => [field.key, ...field.aliases]);
  const inputKeys = action.expand === undefined ? spelt : [...spelt, action.expand.list];
  const { kind, converge } = action;
  const spec: ActionSpec = {
    name: `google.${action.name}`,
    provider: 'google',
    kind,
    service: definition.service,
    resourceType: definition.type,
    converge,
    inputKeys,
  };
  return { spec, action, definition };
}

/** By full name. */
export const ACTIONS: ReadonlyMap<string, GoogleAction> = new Map(
  [...RESOURCES, ...READS].flatMap((definition) =>
    definition.actions.map((action) => [`google.${action.name}`, actionOf(definition, action)] as const),
  ),
);

const SERVICES = ['cloudresourcemanager', 'cloudbilling', 'serviceusage'];
const DOMAIN = '.googleapis.com';

function shortService(service: string): string | null {
  const name = service.endsWith(DOMAIN) ? service.slice(0, -DOMAIN.length) : service;
  return SERVICES.includes(name) ? name : null;
}

/** Full form, or the short one with a known service; null: no such action. */
export function findAction(action: string, service: string | null): GoogleAction | null {
  if (action.startsWith('google.')) return ACTIONS.get(action) ?? null;
  const known = service === null ? null : shortService(service);
  if (known === null) return null;
  return (
    ACTIONS.get(`google.${known}.${action}`) ??
    (action.startsWith(`${known}.`) ? (ACTIONS.get(`google.${action}`) ?? null) : null)
  );
}

/** The definition behind a fact; grants are told apart by where they stand. */
export function definitionOf(resourceType: string, urn: string): ResourceDefinition | null {
  const kinds: Readonly<Record<string, ResourceDefinition>> = {
    organizations: organizationBinding,
    folders: folderBinding,
    projects: projectBinding,
    billingAccounts: billingAccountBinding,
  };
  if (resourceType !== 'binding') return RESOURCES.find((definition) => definition.type === resourceType) ?? null;
  const holder =
    /^google:iam:binding:(?:https?:\/\/[^/]+\/(?:[^/]+\/)*?)?(organizations|folders|projects|billingAccounts)\//.exec(
      urn,
    )?.[1];
  return kinds[holder ?? ''] ?? null;
}

export function ensureAction(definition: ResourceDefinition): GoogleAction | null {
  const action = definition.actions.find((item) => item.kind === 'ensure');
  return action === undefined ? null : (ACTIONS.get(`google.${action.name}`) ?? null);
}
