import { authenticate, checkQuotaProject } from './authentication.ts';
import { billingAccountRoutes } from './billing/accounts.ts';
import { billingLinkRoutes } from './billing/project-links.ts';
import { folderRoutes } from './crm/folder-routes.ts';
import { lienRoutes } from './crm/liens.ts';
import { organizationRoutes } from './crm/organizations.ts';
import { projectRoutes } from './crm/project-routes.ts';
import { projectV1Routes } from './crm/projects-v1.ts';
import { iamRoutes } from './iam/routes.ts';
import { operationRoutes } from './operations.ts';
import type { Principal, RpcStatus } from './options.ts';
import { serviceChangeRoutes } from './serviceusage/changes.ts';
import { serviceReadRoutes } from './serviceusage/services.ts';
import { badRequest, invalidArgument, UnknownUrl } from './wire/errors.ts';
import { applyFields } from './wire/field-mask.ts';
import { isObject, type Json, type JsonObject } from './wire/json.ts';
import { decodeQuery, parameter, type Query } from './wire/query-parameters.ts';
import { decodeMessage } from './wire/request-decoder.ts';
import { type ApiService, type Call, Router } from './wire/route.ts';
import type { World } from './world/world.ts';

const router = new Router([
  ...organizationRoutes,
  ...folderRoutes,
  ...projectRoutes,
  ...projectV1Routes,
  ...lienRoutes,
  ...iamRoutes,
  ...billingAccountRoutes,
  ...billingLinkRoutes,
  ...serviceChangeRoutes,
  ...serviceReadRoutes,
  ...operationRoutes,
]);

/** With one of these first in the path, only that service answers; without, the path alone decides. */
const PREFIXES: Readonly<Record<string, ApiService>> = {
  crm: 'cloudresourcemanager',
  billing: 'cloudbilling',
  serviceusage: 'serviceusage',
};

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Query;
  readonly authorization: string | undefined;
  readonly quotaProject: string | undefined;
  /** Undefined when empty. */
  readonly bodyText: string | undefined;
}

export interface DispatchContext {
  readonly world: World;
  readonly tokens: Readonly<Record<string, Principal>> | undefined;
  readonly lroError: RpcStatus | undefined;
}

/** Answers one API request; throws ApiError, or UnknownUrl where there is nothing. */
export function dispatch(request: WireRequest, context: DispatchContext): Json {
  const { prefix, path } = splitPrefix(request.path);
  const match = router.match(request.method, path, prefix);
  if (match === undefined) throw new UnknownUrl(request.path);
  const { route, params } = match;
  const principal = authenticate(request.authorization, context.tokens, route);
  checkQuotaProject(context.world, principal, request.quotaProject, route.service);
  const call: Call = {
    world: context.world,
    principal,
    service: route.service,
    pinned: prefix !== undefined,
    version: versionOf(path),
    params,
    query: decodeQuery(route.query ?? {}, request.query),
    body: route.body === undefined ? {} : decodeMessage(route.body, parseBody(request.bodyText), route.bodyField ?? ''),
    lroError: context.lroError,
  };
  const answer = route.handle(call);
  const fields = parameter(request.query, 'fields') ?? parameter(request.query, '$fields');
  return fields === undefined || fields === '' ? answer : applyFields(fields, answer);
}

function splitPrefix(path: string): { readonly prefix: ApiService | undefined; readonly path: string } {
  const [, first = ''] = path.split('/', 2);
  const prefix = Object.hasOwn(PREFIXES, first) ? PREFIXES[first] : undefined;
  return prefix === undefined ? { prefix, path } : { prefix, path: path.slice(first.length + 1) };
}

function versionOf(path: string): Call['version'] {
  const version = path.split('/', 2)[1];
  return version === 'v3' || version === 'v2' ? version : 'v1';
}

function parseBody(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  const value = parseJson(text);
  if (!isObject(value)) throw malformedBody('Root element must be a message.');
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedBody('Unable to parse the body.');
  }
}

function malformedBody(reason: string) {
  const text = `Invalid JSON payload received. ${reason}`;
  return invalidArgument(text, [badRequest('', text)]);
}
