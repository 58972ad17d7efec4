import { denied, exists, holds, isHidden, requirePermission, requireProject } from '../access.ts';
import { invalidArgument, precondition } from '../wire/errors.ts';
import { type Json, numberAt, objectAt, stringAt, stringsAt } from '../wire/json.ts';
import { parameter } from '../wire/query-parameters.ts';
import { list, type MessageShape, message } from '../wire/request-decoder.ts';
import { type ApiService, type Call, param, type Route } from '../wire/route.ts';
import { readPolicy, writePolicy } from './policy.ts';

/** A collection whose members carry a policy. */
interface PolicyHolder {
  readonly service: ApiService;
  readonly version: 'v1' | 'v2' | 'v3';
  readonly collection: 'organizations' | 'folders' | 'projects' | 'billingAccounts';
  /** `resourcemanager.folders` */
  readonly permissionPrefix: string;
  readonly rpcPrefix: string;
  /** Billing reads its policies with GET. */
  readonly readByGet?: boolean;
}

const CRM_V1 = 'google.cloudresourcemanager.v1';
const CRM_V3 = 'google.cloud.resourcemanager.v3';

const HOLDERS: readonly PolicyHolder[] = [
  crmHolder('v3', 'organizations', `${CRM_V3}.Organizations`),
  crmHolder('v3', 'folders', `${CRM_V3}.Folders`),
  crmHolder('v3', 'projects', `${CRM_V3}.Projects`),
  crmHolder('v2', 'folders', 'google.cloud.resourcemanager.v2.Folders'),
  crmHolder('v1', 'organizations', `${CRM_V1}.Organizations`),
  crmHolder('v1', 'projects', `${CRM_V1}.Projects`),
  {
    service: 'cloudbilling',
    version: 'v1',
    collection: 'billingAccounts',
    permissionPrefix: 'billing.accounts',
    rpcPrefix: 'google.cloud.billing.v1.CloudBilling',
    readByGet: true,
  },
];

function crmHolder(
  version: 'v1' | 'v2' | 'v3',
  collection: 'organizations' | 'folders' | 'projects',
  rpcPrefix: string,
): PolicyHolder {
  return {
    service: 'cloudresourcemanager',
    version,
    collection,
    permissionPrefix: `resourcemanager.${collection}`,
    rpcPrefix,
  };
}

const POLICY: MessageShape = message({
  version: 'int32',
  etag: 'bytes',
  bindings: list(
    message({
      role: 'string',
      members: list('string'),
      condition: message({ expression: 'string', title: 'string', description: 'string', location: 'string' }),
    }),
  ),
  auditConfigs: list(
    message({
      service: 'string',
      auditLogConfigs: list(message({ logType: 'string', exemptedMembers: list('string') })),
    }),
  ),
});
const GET_BODY = message({ options: message({ requestedPolicyVersion: 'int32' }) });
const SET_BODY = message({ policy: POLICY, updateMask: 'string' });
const TEST_BODY = message({ permissions: list('string') });

/** The canonical name of the resource in the path; a 403 when it is missing or the permission is. */
function requireHolder(call: Call, holder: PolicyHolder, verb: string): string {
  const permission = `${holder.permissionPrefix}.${verb}`;
  const id = param(call, 'id');
  if (holder.collection === 'projects') return requireProject(call, id, permission).name;
  const name = `${holder.collection}/${id}`;
  requirePermission(call, name, permission);
  return name;
}

function getPolicy(call: Call, holder: PolicyHolder): Json {
  const name = requireHolder(call, holder, 'getIamPolicy');
  const asked = holder.readByGet
    ? Number(parameter(call.query, 'options.requestedPolicyVersion') ?? 0)
    : numberAt(objectAt(call.body, 'options') ?? {}, 'requestedPolicyVersion');
  return readPolicy(call.world, name, asked ?? 0);
}

function setPolicy(call: Call, holder: PolicyHolder): Json {
  const name = requireHolder(call, holder, 'setIamPolicy');
  const policy = objectAt(call.body, 'policy');
  if (policy === undefined) throw invalidArgument('Request must contain a policy.');
  const state = call.world.state.projects[name]?.state ?? call.world.findFolder(name)?.state;
  if (state === 'DELETE_REQUESTED') throw precondition();
  return writePolicy(call.world, name, policy, stringAt(call.body, 'updateMask'));
}

function testPermissions(call: Call, holder: PolicyHolder): Json {
  const id = param(call, 'id');
  const asked = `${holder.collection}/${id}`;
  const name = holder.collection === 'projects' ? (call.world.findProject(id)?.name ?? asked) : asked;
  const permissions = stringsAt(call.body, 'permissions');
  if (permissions.some((permission) => permission.includes('*')))
    throw invalidArgument('Permissions with wildcards are not allowed.');
  const visible = exists(call.world, name) && !isHidden(call.world, call.principal, name);
  const held = visible ? permissions.filter((permission) => holds(call.world, call.principal, name, permission)) : [];
  const readPermission = `${holder.permissionPrefix}.get`;
  // Holding nothing on a resource that one may not read must look like its absence.
  if (held.length === 0 && !(visible && holds(call.world, call.principal, name, readPermission)))
    throw denied(call, asked, readPermission);
  return held.length > 0 ? { permissions: held } : {};
}

function holderRoutes(holder: PolicyHolder): readonly Route[] {
  const { service, version, collection, rpcPrefix } = holder;
  const base = { service, method: 'POST' as const };
  const path = `/${version}/${collection}/{id}`;
  const read = {
    service,
    path: `${path}:getIamPolicy`,
    rpc: `${rpcPrefix}.GetIamPolicy`,
    handle: (call: Call) => getPolicy(call, holder),
  };
  return [
    holder.readByGet
      ? { ...read, method: 'GET', query: { 'options.requestedPolicyVersion': 'int32' } }
      : { ...read, method: 'POST', body: GET_BODY },
    {
      ...base,
      path: `${path}:setIamPolicy`,
      rpc: `${rpcPrefix}.SetIamPolicy`,
      body: SET_BODY,
      handle: (call) => setPolicy(call, holder),
    },
    {
      ...base,
      path: `${path}:testIamPermissions`,
      rpc: `${rpcPrefix}.TestIamPermissions`,
      body: TEST_BODY,
      handle: (call) => testPermissions(call, holder),
    },
  ];
}

export const iamRoutes: readonly Route[] = HOLDERS.flatMap(holderRoutes);
