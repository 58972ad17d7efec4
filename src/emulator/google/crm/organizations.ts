import { holds, requirePermission } from '../access.ts';
import { type Json, numberAt, stringAt } from '../wire/json.ts';
import { compareText } from '../wire/paging.ts';
import { PAGING, parameter } from '../wire/query-parameters.ts';
import { message } from '../wire/request-decoder.ts';
import { type Call, param, type Route } from '../wire/route.ts';
import { type FieldReader, parseSearchQuery } from '../wire/search-query.ts';
import type { Organization } from '../world/state.ts';
import { crmPage, pagingOf } from './collection.ts';
import { checkNumber } from './validation.ts';

const GET = 'resourcemanager.organizations.get';
const RPC = 'google.cloud.resourcemanager.v3.Organizations';
const RPC_V1 = 'google.cloudresourcemanager.v1.Organizations';

function organizationV3(organization: Organization): Json {
  return { ...organization, state: 'ACTIVE' };
}

function organizationV1(organization: Organization): Json {
  const { name, displayName, directoryCustomerId, createTime } = organization;
  return { name, displayName, owner: { directoryCustomerId }, creationTime: createTime, lifecycleState: 'ACTIVE' };
}

function getOrganization(call: Call): Json {
  const name = `organizations/${checkNumber(param(call, 'organization'))}`;
  requirePermission(call, name, GET);
  const organization = call.world.state.organizations[name];
  if (organization === undefined) throw new Error(`${name} passed its permission check but is missing`);
  return call.version === 'v1' ? organizationV1(organization) : organizationV3(organization);
}

function fieldsOf(organization: Organization): FieldReader {
  return (field) => {
    switch (field) {
      case 'domain':
      case 'displayName':
        return [organization.displayName];
      case 'directoryCustomerId':
      case 'directorycustomerid':
      case 'owner.directoryCustomerId':
        return [organization.directoryCustomerId];
      case 'lifecycleState':
      case 'state':
        return ['ACTIVE'];
      default:
        return undefined;
    }
  };
}

function search(
  call: Call,
  query: string,
  paging: { pageSize: number | undefined; pageToken: string | undefined },
  toJson: (organization: Organization) => Json,
): Json {
  const matches = parseSearchQuery(query, 'AND');
  const found = Object.values(call.world.state.organizations)
    .filter(
      (organization) => holds(call.world, call.principal, organization.name, GET) && matches(fieldsOf(organization)),
    )
    .sort((left, right) => compareText(left.name, right.name));
  return crmPage(call, found, {
    member: 'organizations',
    keyOf: (item) => item.name,
    toJson,
    scope: [query],
    ...paging,
  });
}

function searchV3(call: Call): Json {
  return search(call, parameter(call.query, 'query') ?? '', pagingOf(call), organizationV3);
}

function searchV1(call: Call): Json {
  const paging = { pageSize: numberAt(call.body, 'pageSize'), pageToken: stringAt(call.body, 'pageToken') };
  return search(call, stringAt(call.body, 'filter') ?? '', paging, organizationV1);
}

export const organizationRoutes: readonly Route[] = [
  {
    service: 'cloudresourcemanager',
    method: 'GET',
    path: '/v3/organizations/{organization}',
    rpc: `${RPC}.GetOrganization`,
    handle: getOrganization,
  },
  {
    service: 'cloudresourcemanager',
    method: 'GET',
    path: '/v3/organizations:search',
    rpc: `${RPC}.SearchOrganizations`,
    query: { query: 'string', ...PAGING },
    handle: searchV3,
  },
  {
    service: 'cloudresourcemanager',
    method: 'GET',
    path: '/v1/organizations/{organization}',
    rpc: `${RPC_V1}.GetOrganization`,
    handle: getOrganization,
  },
  {
    service: 'cloudresourcemanager',
    method: 'POST',
    path: '/v1/organizations:search',
    rpc: `${RPC_V1}.SearchOrganizations`,
    body: message({ filter: 'string', pageSize: 'int32', pageToken: 'string' }),
    handle: searchV1,
  },
];
