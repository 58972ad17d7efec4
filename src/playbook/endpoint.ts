import type { Json } from '../core/json.ts';
import { isJsonObject } from '../core/json.ts';
import { didYouMean } from '../core/nearest.ts';
import type { EndpointSpec } from '../core/step.ts';
import type { Findings } from './findings.ts';
import type { TreeNode } from './tree.ts';

/** The version segment that the real hosts carry, by service. */
const VERSIONS = { crm: 'v3', billing: 'v1', serviceusage: 'v1' } as const;
type Service = keyof typeof VERSIONS;
const SERVICES: readonly Service[] = ['crm', 'billing', 'serviceusage'];

/** Reads an endpoint override: one base URL for all services, or one a service. */
export function readEndpoint(value: Json, node: TreeNode, findings: Findings): EndpointSpec | null {
  if (typeof value === 'string') {
    const base = readUrl(value, 'endpoint', node, findings);
    return base === null ? null : { crm: `${base}/v3`, billing: `${base}/v1`, serviceusage: `${base}/v1` };
  }
  if (isJsonObject(value)) return readServices(value, node, findings);
  findings.add('INVALID_VALUE', 'endpoint must be a base URL or a mapping of crm, billing, serviceusage.', node);
  return null;
}

function readServices(value: Readonly<Record<string, Json>>, node: TreeNode, findings: Findings): EndpointSpec | null {
  const spec: Record<Service, string | null> = { crm: null, billing: null, serviceusage: null };
  let valid = true;
  for (const [key, url] of Object.entries(value)) {
    const place = (node.kind === 'map' ? node.entries.get(key)?.value : undefined) ?? node;
    const service = SERVICES.find((known) => known === key);
    if (service === undefined) {
      findings.add('UNKNOWN_KEY', `endpoint has no key "${key}".`, place, {
        hint: didYouMean(key, SERVICES) ?? `keys: ${SERVICES.join(', ')}`,
      });
      valid = false;
      continue;
    }
    const base = readUrl(url, `endpoint.${key}`, place, findings);
    if (base === null) valid = false;
    else spec[service] = base.endsWith(`/${VERSIONS[service]}`) ? base : `${base}/${VERSIONS[service]}`;
  }
  return valid ? spec : null;
}

/** An absolute http(s) URL without credentials, query and fragment; without slashes at its end. */
function readUrl(value: Json, what: string, node: TreeNode, findings: Findings): string | null {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    findings.add('INVALID_VALUE', `${what} must be an http or https URL.`, node);
    return null;
  }
  if (url.username !== '' || url.password !== '') {
    findings.add('INVALID_VALUE', `${what} has a user or a password in its URL.`, node, {
      hint: 'credentials never stand in URLs',
    });
    return null;
  }
  if (url.search !== '' || url.hash !== '') {
    findings.add('INVALID_VALUE', `${what} can't have a query or a fragment.`, node);
    return null;
  }
  return url.href.replace(/\/{1,100}$/, '');
}
