import { holds } from '../access.ts';
import { type ApiError, errorInfo, invalidArgument } from '../wire/errors.ts';
import type { Json, JsonObject } from '../wire/json.ts';
import { compareText, page } from '../wire/paging.ts';
import { PAGING, parameter } from '../wire/query-parameters.ts';
import { type Call, pageSizeOf, param, type Route } from '../wire/route.ts';
import type { EnabledState, Project } from '../world/state.ts';
import { isKnownService, knownServices, titleOf } from './catalog.ts';
import { getDenied, listDenied, serviceNotFound } from './errors.ts';

const PAGE_SIZES = { usual: 50, most: 200 };
const MOST_NAMES = 30;
const GET = 'serviceusage.services.get';
const LIST = 'serviceusage.services.list';

/** A project, or a folder or organisation, where a service has no state of its own. */
type Consumer = { readonly name: string; readonly project: Project | undefined };

function requireConsumer(call: Call, permission: string, refusal: (container: string) => ApiError): Consumer {
  const asked = `${param(call, 'collection')}/${param(call, 'consumer')}`;
  const project = asked.startsWith('projects/') ? call.world.findProject(param(call, 'consumer')) : undefined;
  const name = project?.name ?? asked;
  const known = project !== undefined || call.world.hasOrganization(name) || call.world.findFolder(name) !== undefined;
  if (!known || !holds(call.world, call.principal, name, permission)) throw refusal(asked);
  return { name, project };
}

/** What a read shows: while a change is still spreading, the state before it. */
function shownState(call: Call, project: Project, service: string): EnabledState | undefined {
  const known = project.services[service];
  if (known?.lag === undefined) return known?.state;
  const { shown } = known.lag;
  known.lag.reads -= 1;
  if (known.lag.reads <= 0) delete known.lag;
  call.world.touch();
  return shown;
}

/** A service never enabled has no `parent`. */
function serviceJson(call: Call, consumer: Consumer, service: string): JsonObject {
  const name = `${consumer.name}/services/${service}`;
  const config = { name: service, title: titleOf(service) };
  if (consumer.project === undefined) return { name, config };
  const state = shownState(call, consumer.project, service);
  return { name, ...(state === undefined ? {} : { parent: consumer.name }), config, state: state ?? 'DISABLED' };
}

function isThere(call: Call, consumer: Consumer, service: string): boolean {
  return isKnownService(call.world, service) || consumer.project?.services[service] !== undefined;
}

function getService(call: Call): Json {
  const service = param(call, 'service');
  const consumer = requireConsumer(call, GET, (container) => getDenied(service, container));
  if (!isThere(call, consumer, service)) throw serviceNotFound([service]);
  return serviceJson(call, consumer, service);
}

function stateFilter(call: Call): string | undefined {
  const filter = parameter(call.query, 'filter');
  if (filter === undefined || filter === '') return undefined;
  const state = /^state:(ENABLED|DISABLED)$/.exec(filter)?.[1];
  if (state === undefined)
    throw invalidArgument(`Invalid filter: ${filter}. Only state:ENABLED and state:DISABLED are supported.`);
  return state;
}

function listServices(call: Call): Json {
  const consumer = requireConsumer(call, LIST, listDenied);
  const wanted = stateFilter(call);
  const asked = Number(parameter(call.query, 'pageSize') ?? 0);
  if (asked > PAGE_SIZES.most) throw invalidArgument(`page_size cannot exceed ${PAGE_SIZES.most}.`);
  const touched = Object.keys(consumer.project?.services ?? {});
  // What the project never touched is not enabled.
  const names = new Set(wanted === 'ENABLED' ? touched : [...knownServices(call.world), ...touched]);
  const services = [...names]
    .sort(compareText)
    .map((service) => serviceJson(call, consumer, service))
    .filter((service) => wanted === undefined || service['state'] === wanted);
  const { items, nextPageToken } = page(services, (service) => String(service['name']), {
    scope: ['services', consumer.name, wanted],
    pageSize: pageSizeOf(call, asked, PAGE_SIZES),
    pageToken: parameter(call.query, 'pageToken'),
  });
  return { ...(items.length > 0 ? { services: items } : {}), nextPageToken };
}

function batchGetServices(call: Call): Json {
  const consumer = requireConsumer(call, GET, listDenied);
  const names = call.query['names'] ?? [];
  if (names.length === 0) {
    throw invalidArgument('Request must name at least one service.', [
      errorInfo('SU_MISSING_NAMES', 'serviceusage.googleapis.com', {}),
    ]);
  }
  if (names.length > MOST_NAMES) throw invalidArgument(`A single request can get at most ${MOST_NAMES} services.`);
  const services = names.map((name) => batchMember(call, consumer, name));
  const unknown = services.filter((service) => !isThere(call, consumer, service));
  if (unknown.length > 0) throw serviceNotFound(unknown);
  return { services: services.map((service) => serviceJson(call, consumer, service)) };
}

/** The service of `projects/X/services/Y`, which must be below the request's parent by either of its names. */
function batchMember(call: Call, consumer: Consumer, name: string): string {
  const [collection, id, , service] = name.split('/');
  const parent = collection === 'projects' ? (call.world.findProject(id ?? '')?.name ?? '') : `${collection}/${id}`;
  if (!/^\w+\/[^/]+\/services\/[^/]+$/.test(name) || service === undefined || parent !== consumer.name) {
    throw invalidArgument(`Service name ${name} does not match the parent of the request.`);
  }
  return service;
}

const rpc = 'google.api.serviceusage.v1.ServiceUsage';
const service = 'serviceusage' as const;

function readRoutes(collection: string): readonly Route[] {
  const services = `/v1/{collection}/{consumer}/services`.replace('{collection}', `(?<collection>${collection})`);
  return [
    { service, method: 'GET', path: `${services}/{service}`, rpc: `${rpc}.GetService`, handle: getService },
    {
      service,
      method: 'GET',
      path: services,
      rpc: `${rpc}.ListServices`,
      query: { filter: 'string', ...PAGING },
      handle: listServices,
    },
    {
      service,
      method: 'GET',
      path: `${services}:batchGet`,
      rpc: `${rpc}.BatchGetServices`,
      query: { names: 'strings' },
      handle: batchGetServices,
    },
  ];
}

export const serviceReadRoutes: readonly Route[] = ['projects', 'folders', 'organizations'].flatMap(readRoutes);
