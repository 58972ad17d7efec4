import type { Json } from '../../core/json.ts';
import type { PlannedRequest } from '../../core/resource.ts';
import type { EndpointSpec } from '../../core/step.ts';
import type { ApiRequest } from './define-resource.ts';
import { CLOUD_ENDPOINTS } from './endpoints.ts';

/** A request as a person reviews it, and as a digest holds it: relative to the service, whatever host it goes to. */
export function plannedRequest(request: ApiRequest, endpoint: EndpointSpec | null): PlannedRequest {
  const { service, method, path, query, body } = request;
  const base = endpoint?.[service] ?? CLOUD_ENDPOINTS[service];
  const logical = request.logical ?? {
    service,
    method,
    path,
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
  };
  return { logical: logical as Json, call: { method, url: `${base}/${path}${shownQuery(query)}`, body: body ?? null } };
}

function shownQuery(query: ApiRequest['query']): string {
  const pairs = Object.entries(query ?? {}).map(([key, value]) => `${key}=${shownValue(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Readable where it can be: slashes, colons and commas need no escape in a query. */
function shownValue(value: string): string {
  if (value.startsWith('(known after apply')) return value;
  return encodeURIComponent(value).replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%2C', ',');
}
