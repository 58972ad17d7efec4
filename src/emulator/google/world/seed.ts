import type {
  BillingAccountSeed,
  EmulatorSeed,
  FolderSeed,
  OrganizationSeed,
  PolicySeed,
  ProjectSeed,
} from '../options.ts';
import { isObject, objectAt, objectsAt, stringAt, stringsAt } from '../wire/json.ts';
import type { Binding } from './state.ts';
import type { World } from './world.ts';

/** Adds what is missing; changes and removes nothing. */
export function applySeed(world: World, seed: EmulatorSeed): void {
  applyRoots(world, seed);
  for (const folder of seed.folders ?? []) addFolder(world, folder);
  for (const project of seed.projects ?? []) addProject(world, project);
  for (const policy of seed.policies ?? []) addPolicy(world, policy);
  for (const service of seed.knownServices ?? []) addKnownService(world, service);
}

/** The part of a seed that also extends a state file from an earlier run. */
export function applyRoots(world: World, seed: EmulatorSeed): void {
  for (const organization of seed.organizations ?? []) addOrganization(world, organization);
  for (const account of seed.billingAccounts ?? []) addBillingAccount(world, account);
}

function addOrganization(world: World, seed: OrganizationSeed): void {
  const name = `organizations/${seed.id}`;
  if (world.hasOrganization(name)) return;
  const time = world.now();
  world.state.organizations[name] = {
    name,
    displayName: seed.displayName,
    directoryCustomerId: seed.directoryCustomerId ?? `C0${seed.id.slice(0, 7)}`,
    createTime: time,
    updateTime: time,
    etag: world.nextEtag(),
  };
}

function addBillingAccount(world: World, seed: BillingAccountSeed): void {
  const name = `billingAccounts/${seed.id}`;
  if (Object.hasOwn(world.state.billingAccounts, name)) return;
  world.touch();
  world.state.billingAccounts[name] = {
    name,
    displayName: seed.displayName ?? 'My Billing Account',
    open: seed.open ?? true,
    parent: seed.parent ?? Object.keys(world.state.organizations)[0] ?? '',
    masterBillingAccount: seed.masterBillingAccount ?? '',
    ...(seed.projectCap === undefined ? {} : { projectCap: seed.projectCap }),
  };
}

function addFolder(world: World, seed: FolderSeed): void {
  const name = `folders/${seed.id}`;
  if (world.findFolder(name) !== undefined) return;
  const time = world.now();
  world.state.folders[name] = {
    name,
    parent: seed.parent,
    displayName: seed.displayName,
    state: seed.state ?? 'ACTIVE',
    createTime: time,
    updateTime: time,
    ...(seed.state === 'DELETE_REQUESTED' ? { deleteTime: time } : {}),
    etag: world.nextEtag(),
  };
}

function addProject(world: World, seed: ProjectSeed): void {
  if (world.findProject(seed.projectId) !== undefined) return;
  const time = world.now();
  const name = `projects/${seed.number ?? world.nextNumber()}`;
  world.state.projectIds[seed.projectId] = name;
  world.state.projects[name] = {
    name,
    projectId: seed.projectId,
    ...(seed.parent === undefined ? {} : { parent: seed.parent }),
    displayName: seed.displayName ?? seed.projectId,
    labels: { ...seed.labels },
    state: seed.state ?? 'ACTIVE',
    createTime: time,
    updateTime: time,
    ...(seed.state === 'DELETE_REQUESTED' ? { deleteTime: time } : {}),
    etag: world.nextEtag(),
    billingAccountName: seed.billingAccountName ?? '',
    services: Object.fromEntries((seed.services ?? []).map((service) => [service, { state: 'ENABLED' as const }])),
  };
}

function addPolicy(world: World, seed: PolicySeed): void {
  const name = canonicalName(world, seed.resource);
  if (Object.hasOwn(world.state.policies, name)) return;
  world.state.policies[name] = {
    bindings: objectsAt(seed.policy, 'bindings').map((entry): Binding => {
      const condition = objectAt(entry, 'condition');
      return {
        role: stringAt(entry, 'role') ?? '',
        members: stringsAt(entry, 'members'),
        ...(isObject(condition) ? { condition } : {}),
      };
    }),
    auditConfigs: objectsAt(seed.policy, 'auditConfigs'),
    micros: world.nextMicros(),
  };
}

function canonicalName(world: World, resource: string): string {
  if (!resource.startsWith('projects/')) return resource;
  return world.findProject(resource.slice('projects/'.length))?.name ?? resource;
}

function addKnownService(world: World, service: string): void {
  if (world.state.knownServices.includes(service)) return;
  world.touch();
  world.state.knownServices.push(service);
}
