import type { EndpointSpec } from '../../core/step.ts';
import type { ApiCall, GoogleService } from './client.ts';

export const SERVICES: readonly GoogleService[] = ['crm', 'billing', 'serviceusage'];

/** Google's own base URLs: the only places where a real credential may go. */
export const CLOUD_ENDPOINTS = {
  crm: 'https://cloudresourcemanager.googleapis.com/v3',
  billing: 'https://cloudbilling.googleapis.com/v1',
  serviceusage: 'https://serviceusage.googleapis.com/v1',
} as const satisfies EndpointSpec;

/** Whether every base URL that is given is exactly Google's own. */
export function isCloud(endpoints: EndpointSpec): boolean {
  return SERVICES.every((service) => endpoints[service] === null || endpoints[service] === CLOUD_ENDPOINTS[service]);
}

/** Whether a host name, as `URL.hostname` gives it, is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Why a base URL can't be used at all; null where it can. */
export function baseUrlProblem(base: string): string | null {
  const url = parse(base);
  if (url === null) return 'it is not a URL';
  if (url.username !== '' || url.password !== '') return 'it carries a user name or password';
  if (url.search !== '' || url.hash !== '') return 'it carries a query or a fragment';
  if (url.protocol === 'https:') return null;
  if (url.protocol !== 'http:') return 'only https is accepted, and http on loopback';
  return isLoopback(url.hostname) ? null : 'plain http is accepted on loopback only';
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** The origin of a base URL (`http://127.0.0.1:8089`), null where it is not a URL. */
export function originOf(base: string): string | null {
  return parse(base)?.origin ?? null;
}

/** Where a call goes; null where its path would lead elsewhere than below the base (`..`, `?`, an absolute path). */
export function callUrl(base: string, call: Pick<ApiCall, 'path' | 'query'>): URL | null {
  const root = parse(base)?.href.replace(/\/+$/, '');
  const wanted = `${root}/${call.path}`;
  const url = parse(wanted);
  if (url === null || call.path === '' || url.href !== wanted || /^\/|\/\/|[?#]/.test(call.path)) return null;
  for (const [key, value] of Object.entries(call.query ?? {})) {
    for (const item of typeof value === 'string' ? [value] : value) url.searchParams.append(key, item);
  }
  return url;
}
