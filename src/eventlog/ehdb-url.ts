import { failure } from './problems.ts';

/** Where a NoETL server serves its event log. */
export interface EhdbAddress {
  /** Of one page: `after` and `limit` are set on a copy. */
  readonly endpoint: URL;
  /** For diagnostics: nothing secret is in it. */
  readonly shown: string;
}

const TIER_PATH = '/api/ehdb/tiers/eventlog';
/** What narrows the log down; `after` and `limit` are the reader's own. */
const QUERY_KEYS = ['execution', 'tenant', 'namespace'];
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * The address that `http(s)://server[/prefix][?execution=&tenant=&namespace=]` means, with or without the tier's path.
 * Throws DiagnosticError: USAGE for a URL that says something else, CREDENTIAL_MISDIRECTED where the token would leave
 * this machine unencrypted.
 */
export function ehdbAddress(text: string, token: string | null): EhdbAddress {
  const endpoint = URL.canParse(text) ? new URL(text) : null;
  if (endpoint === null || !/^https?:$/.test(endpoint.protocol))
    throw failure(
      'USAGE',
      'The URL of the event log can not be read as one of http or https; a user or a password has no place in it.',
    );
  if (endpoint.username !== '' || endpoint.password !== '')
    throw failure(
      'USAGE',
      `The URL of the event log on ${endpoint.host} carries a user or a password; it is refused, because URLs get printed.`,
      'put the token into INFRA_EVENTLOG_TOKEN',
    );
  if (endpoint.hash !== '') throw failure('USAGE', `The URL of the event log on ${endpoint.host} has a fragment (#).`);
  for (const key of endpoint.searchParams.keys()) checkKey(key, endpoint);
  checkToken(token, endpoint);
  const path = endpoint.pathname.replace(/\/+$/, '');
  endpoint.pathname = path.endsWith(TIER_PATH) ? path : `${path}${TIER_PATH}`;
  return { endpoint, shown: endpoint.href };
}

/** The address of one page. */
export function pageUrl({ endpoint }: EhdbAddress, after: number, limit: number): URL {
  const url = new URL(endpoint);
  url.searchParams.set('after', String(after));
  url.searchParams.set('limit', String(limit));
  return url;
}

function checkKey(key: string, { host, searchParams }: URL): void {
  const known = QUERY_KEYS.includes(key);
  if (known && searchParams.getAll(key).length === 1) return;
  const why = known ? 'stands twice in' : 'has no meaning in';
  // An unknown key may well be a secret's name, its value a secret: only the name is shown.
  throw failure('USAGE', `${JSON.stringify(key)} ${why} the URL of the event log on ${host}.`, QUERY_KEYS.join(', '));
}

function checkToken(token: string | null, { protocol, hostname, origin }: URL): void {
  if (token === null) return;
  if (!TOKEN.test(token))
    throw failure('AUTHENTICATION', 'The token for the event log holds characters that no token has; it was not sent.');
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    throw failure(
      'CREDENTIAL_MISDIRECTED',
      `The token for the event log would go to ${origin} unencrypted; nothing was sent.`,
      'use https, or unset INFRA_EVENTLOG_TOKEN',
    );
}
