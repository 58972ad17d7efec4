import type { Principal, RpcStatus } from '../options.ts';
import type { World } from '../world/world.ts';
import { invalidArgument } from './errors.ts';
import type { Json, JsonObject } from './json.ts';
import type { ParameterTypes, Query } from './query-parameters.ts';
import type { MessageShape } from './request-decoder.ts';

export type ApiService = 'cloudresourcemanager' | 'cloudbilling' | 'serviceusage';

/** One decoded request, as a handler gets it. */
export interface Call {
  readonly world: World;
  readonly principal: Principal;
  readonly service: ApiService;
  /** The URL named the service, by a prefix. */
  readonly pinned: boolean;
  readonly version: 'v1' | 'v2' | 'v3';
  /** Variables of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: JsonObject;
  /** Injected: the operation of this write fails with it. */
  readonly lroError: RpcStatus | undefined;
}

export interface Route {
  readonly service: ApiService;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v3/folders/{folder}:move`; a variable spans one segment. */
  readonly path: string;
  /** The gRPC method, which 401 details name. */
  readonly rpc: string;
  readonly query?: ParameterTypes;
  readonly body?: MessageShape;
  /** The request field that the HTTP body is, for messages about unknown fields. */
  readonly bodyField?: string;
  readonly handle: (call: Call) => Json;
}

interface CompiledRoute {
  readonly route: Route;
  readonly verb: string | undefined;
  readonly pattern: RegExp;
}

export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export class Router {
  private readonly compiled: readonly CompiledRoute[];
  private readonly verbs: ReadonlySet<string>;

  constructor(routes: readonly Route[]) {
    this.compiled = routes.map((route) => ({ route, verb: verbOf(route.path), pattern: compile(route.path) }));
    this.verbs = new Set(this.compiled.flatMap(({ verb }) => (verb === undefined ? [] : [verb])));
  }

  match(method: string, path: string, service: ApiService | undefined): RouteMatch | undefined {
    const asked = verbOf(path);
    // Ids of old projects carry a colon too, so only the verbs of some route count as verbs.
    const verb = asked !== undefined && this.verbs.has(asked) ? asked : undefined;
    for (const { route, verb: routeVerb, pattern } of this.compiled) {
      if (route.method !== method || routeVerb !== verb || (service !== undefined && route.service !== service))
        continue;
      const match = pattern.exec(path);
      if (match !== null) return { route, params: decodeParams(match.groups ?? {}) };
    }
    return undefined;
  }
}

/** The custom verb that ends a path such as `/v3/folders/{folder}:move`. */
function verbOf(path: string): string | undefined {
  return /:([a-zA-Z]+)$/.exec(path)?.[1];
}

function compile(path: string): RegExp {
  const source = path.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>[^/]+?)`);
  return new RegExp(`^${source}$`);
}

function decodeParams(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw invalidArgument();
  }
}

/** A variable of the matched path. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`the route has no variable ${name}`);
  return value;
}

/** The size of the page to send: clamped for a client that asks for more, unless the caller refuses first. */
export function pageSizeOf(call: Call, asked: number | undefined, limits: { usual: number; most: number }): number {
  if (asked !== undefined && asked < 0) throw invalidArgument('The page size must not be negative.');
  const size = asked === undefined || asked === 0 ? limits.usual : Math.min(asked, limits.most);
  return Math.min(size, call.world.forcedPageSize ?? size);
}
