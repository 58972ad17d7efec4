import { holds } from '../access.ts';
import { lockedAmong, startOperation } from '../operations.ts';
import { invalidArgument, precondition } from '../wire/errors.ts';
import { booleanAt, type Json, type JsonObject, stringAt, stringsAt } from '../wire/json.ts';
import { compareText } from '../wire/paging.ts';
import { list, message } from '../wire/request-decoder.ts';
import { type Call, param, type Route } from '../wire/route.ts';
import type { EnabledState, Project } from '../world/state.ts';
import { dependsOn, isKnownService, needsBilling, withDependencies } from './catalog.ts';
import {
  billingMissing,
  changeDenied,
  changeInProgress,
  hasDependents,
  hasUsage,
  notEnabled,
  projectNotFound,
  serviceNotFound,
} from './errors.ts';

const MOST_SERVICES = 20;
const RESPONSE = 'type.googleapis.com/google.api.serviceusage.v1';
const EMPTY_METADATA: JsonObject = { '@type': 'type.googleapis.com/google.protobuf.Empty', value: {} };

function numberOf(project: Project): string {
  return project.name.slice('projects/'.length);
}

/** Who cannot see the project learns no more than that it may be missing. */
function requireChangeable(call: Call, verb: 'enable' | 'disable', service: string): Project {
  const id = param(call, 'project');
  const project = call.world.findProject(id);
  const may = (permission: string) =>
    project !== undefined && holds(call.world, call.principal, project.name, permission);
  if (project === undefined || !(may(`serviceusage.services.${verb}`) || may('resourcemanager.projects.get')))
    throw projectNotFound(id);
  if (!may(`serviceusage.services.${verb}`)) throw changeDenied(verb, service, numberOf(project));
  if (project.state !== 'ACTIVE') throw precondition();
  return project;
}

function isEnabled(project: Project, service: string): boolean {
  return project.services[service]?.state === 'ENABLED';
}

function setState(call: Call, project: Project, service: string, state: EnabledState): void {
  const before = project.services[service];
  if (before?.state === state) return;
  const reads = call.world.knobs.serviceLagReads ?? 0;
  project.services[service] = { state, ...(reads > 0 ? { lag: { shown: before?.state, reads } } : {}) };
  call.world.touch();
}

function serviceState(project: Project, service: string, state: EnabledState): JsonObject {
  return { name: resourceOf(project, service), parent: project.name, state };
}

/** Nothing to change: an operation that is done and cannot be polled. */
function noop(response: JsonObject): Json {
  return { name: 'operations/noop.DONE_OPERATION', done: true, response };
}

function resourceOf(project: Project, service: string): string {
  return `${project.name}/services/${service}`;
}

function checkNotChanging(call: Call, project: Project, services: readonly string[]): void {
  const busy = lockedAmong(
    call.world,
    services.map((service) => resourceOf(project, service)),
  );
  if (busy.length > 0) throw changeInProgress(busy.map((resource) => resource.replace(/^.*\//, '')));
}

function checkBilling(call: Call, project: Project, services: readonly string[]): void {
  const billed = services.filter(needsBilling);
  const account = call.world.state.billingAccounts[project.billingAccountName];
  if (billed.length > 0 && account?.open !== true)
    throw billingMissing(numberOf(project), billed, account !== undefined);
}

/** Turns on the services and what they need, or nothing at all. */
function activate(call: Call, project: Project, services: readonly string[], response: JsonObject): Json {
  const unknown = services.filter((service) => !isKnownService(call.world, service));
  if (unknown.length > 0) throw serviceNotFound(unknown);
  const all = withDependencies(services);
  checkNotChanging(call, project, all);
  const missing = all.filter((service) => !isEnabled(project, service));
  if (missing.length === 0) return noop(response);
  checkBilling(call, project, missing);
  return startOperation(call, {
    name: `operations/acf.p2-${numberOf(project)}-${call.world.nextUuid()}`,
    service: 'serviceusage',
    doneMetadata: EMPTY_METADATA,
    quietStart: true,
    locks: missing.map((service) => resourceOf(project, service)),
    apply: () => {
      for (const service of missing) setState(call, project, service, 'ENABLED');
      return { response };
    },
  });
}

function enableService(call: Call): Json {
  const service = param(call, 'service');
  const project = requireChangeable(call, 'enable', service);
  return activate(call, project, [service], {
    '@type': `${RESPONSE}.EnableServiceResponse`,
    service: serviceState(project, service, 'ENABLED'),
  });
}

function batchEnableServices(call: Call): Json {
  const services = [...new Set(stringsAt(call.body, 'serviceIds'))];
  const project = requireChangeable(call, 'enable', services.join(','));
  if (services.length === 0) throw invalidArgument('Request must name at least one service.');
  if (services.length > MOST_SERVICES)
    throw invalidArgument(`A single request can enable at most ${MOST_SERVICES} services.`);
  if (services.length === 1 && call.world.knobs.rejectSingleBatchEnable === true) {
    throw invalidArgument('Batch requests must name more than one service.');
  }
  return activate(call, project, services, {
    '@type': `${RESPONSE}.BatchEnableServicesResponse`,
    services: services.map((service) => serviceState(project, service, 'ENABLED')),
  });
}

function disableService(call: Call): Json {
  const service = param(call, 'service');
  const project = requireChangeable(call, 'disable', service);
  const response = {
    '@type': `${RESPONSE}.DisableServiceResponse`,
    service: serviceState(project, service, 'DISABLED'),
  };
  if (!isKnownService(call.world, service) && project.services[service] === undefined) throw serviceNotFound([service]);
  checkNotChanging(call, project, [service]);
  if (!isEnabled(project, service)) {
    if (call.world.knobs.strictDisable === true) throw notEnabled(service);
    return noop(response);
  }
  const dependents = dependentsToDisable(call, project, service);
  checkNotChanging(call, project, dependents);
  const services = [service, ...dependents];
  checkUsage(call, project, service);
  return startOperation(call, {
    name: `operations/acat.p17-${numberOf(project)}-${call.world.nextUuid()}`,
    service: 'serviceusage',
    pendingMetadata: EMPTY_METADATA,
    doneMetadata: EMPTY_METADATA,
    locks: services.map((name) => resourceOf(project, name)),
    apply: () => {
      for (const name of services) setState(call, project, name, 'DISABLED');
      return { response };
    },
  });
}

function dependentsToDisable(call: Call, project: Project, service: string): readonly string[] {
  const dependents = Object.keys(project.services)
    .filter((other) => isEnabled(project, other) && dependsOn(other, service))
    .sort(compareText);
  if (dependents.length > 0 && !booleanAt(call.body, 'disableDependentServices'))
    throw hasDependents(service, dependents);
  return dependents;
}

function checkUsage(call: Call, project: Project, service: string): void {
  if (stringAt(call.body, 'checkIfServiceHasUsage') !== 'CHECK') return;
  const used = call.world.knobs.servicesInUse ?? [];
  if ([project.projectId, numberOf(project)].some((id) => used.includes(`projects/${id}/services/${service}`)))
    throw hasUsage(service);
}

const service = 'serviceusage' as const;
const rpc = 'google.api.serviceusage.v1.ServiceUsage';
const services = '/v1/projects/{project}/services';

export const serviceChangeRoutes: readonly Route[] = [
  {
    service,
    method: 'POST',
    path: `${services}/{service}:enable`,
    rpc: `${rpc}.EnableService`,
    body: message({}),
    handle: enableService,
  },
  {
    service,
    method: 'POST',
    path: `${services}/{service}:disable`,
    rpc: `${rpc}.DisableService`,
    body: message({ disableDependentServices: 'bool', checkIfServiceHasUsage: 'string' }),
    handle: disableService,
  },
  {
    service,
    method: 'POST',
    path: `${services}:batchEnable`,
    rpc: `${rpc}.BatchEnableServices`,
    body: message({ serviceIds: list('string') }),
    handle: batchEnableServices,
  },
];
