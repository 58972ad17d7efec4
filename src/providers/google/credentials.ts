import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { AuthSpec, EndpointSpec } from '../../core/step.ts';
import { bearerSource, DEFAULT_SCOPES, fixedToken, googleSource, hasMetadataServer, tokenProblem } from './auth.ts';
import type { CredentialFile, Environment } from './credential-files.ts';
import { readDefaultCredentials, readKeyFile, readTokenFile } from './credential-files.ts';
import { baseUrlProblem, CLOUD_ENDPOINTS, originOf, SERVICES } from './endpoints.ts';
import { commandLine } from './gcloud-command.ts';
import type { TokenSource } from './token-source.ts';

/** A credential of the caller's own configuration. */
export interface CallerCredential {
  readonly type: 'gcp_adc' | 'service_account' | 'bearer' | 'yc_profile';
  readonly key_file?: string | undefined;
  readonly token_file?: string | undefined;
  readonly token_env?: string | undefined;
  readonly impersonate?: string | undefined;
  readonly quota_project?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly profile?: string | undefined;
}

export interface CredentialRequest {
  readonly auth: AuthSpec | null;
  readonly endpoint: EndpointSpec | null;
  /** The caller's configured credentials by name. */
  readonly credentials: Readonly<Record<string, CallerCredential>>;
  /** Origins that the caller allows: `http://127.0.0.1:8089`. */
  readonly allowedEndpoints: readonly string[];
  readonly environment: Environment;
  /** How token exchanges are sent; left out but in tests. */
  readonly exchange?: typeof fetch;
}

export type ResolvedCredential =
  | {
      readonly kind: 'ok';
      readonly tokenSource: TokenSource;
      readonly quotaProject: string | null;
      readonly endpoints: EndpointSpec;
      /** `cloud`, or the origins of the endpoint, joined by blanks where there are several. */
      readonly target: string;
    }
  | { readonly kind: 'unusable'; readonly why: Diagnostic };

type Unusable = Extract<ResolvedCredential, { kind: 'unusable' }>;

function unusable(code: Parameters<typeof diagnostic>[0], detail: string, hint: string | null = null): Unusable {
  return { kind: 'unusable', why: diagnostic(code, detail, { hint, retryable: false }) };
}

/**
 * Decides whose authority a step's calls use and where they go. Reads files of the caller's and looks for a metadata
 * server where there are none (bounded to seconds); exchanges no token yet.
 */
export async function resolveCredential(request: CredentialRequest): Promise<ResolvedCredential> {
  const { auth, endpoint, credentials } = request;
  if (auth === null)
    return unusable(
      'AUTH_REQUIRED',
      'The step has no auth block, and there is no ambient fallback: add auth to the step or to defaults.',
    );
  const caller =
    auth.credential !== null && Object.hasOwn(credentials, auth.credential) ? credentials[auth.credential] : undefined;
  if (auth.credential !== null && caller === undefined && Object.keys(credentials).length > 0) {
    return unusable(
      'UNKNOWN_CREDENTIAL',
      `The credential ${auth.credential} is not among the configured ones: ${Object.keys(credentials).join(', ')}.`,
    );
  }
  if (endpoint !== null) return forEndpoint(request, auth, endpoint);
  if (request.environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    return unusable(
      'CREDENTIAL_MISDIRECTED',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: certificates would not be verified, so no real credential is used.',
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
    );
  }
  return forCloud(request, auth, caller);
}

function forEndpoint(request: CredentialRequest, auth: AuthSpec, endpoint: EndpointSpec): ResolvedCredential {
  const origins = new Set<string>();
  for (const service of SERVICES) {
    const base = endpoint[service];
    if (base === null) continue;
    const problem = endpointProblem(base, request.allowedEndpoints);
    if (problem !== null) return problem;
    origins.add(originOf(base) ?? base);
  }
  if (auth.type !== 'bearer' || (auth.token === null && auth.tokenEnv === null)) {
    return unusable(
      'CREDENTIAL_MISDIRECTED',
      `An endpoint gets only a bearer token that is spelt in the playbook (token, or token_env with an INFRA_* name), and auth is ${auth.type}.`,
    );
  }
  if (auth.token === null && auth.tokenEnv !== null && !isOwnVariable(auth.tokenEnv))
    return foreignVariable(auth.tokenEnv, true);
  const spelt = speltBearer(auth, request.environment, 'anywhere');
  if (spelt.kind === 'unusable') return spelt;
  return { ...spelt, quotaProject: null, endpoints: endpoint, target: [...origins].sort().join(' ') };
}

function endpointProblem(base: string, allowed: readonly string[]): Unusable | null {
  const problem = baseUrlProblem(base);
  if (problem !== null)
    return unusable('ENDPOINT_NOT_ALLOWED', `An address of the endpoint can't be used: ${problem}.`);
  const origin = originOf(base) ?? '';
  if (allowed.some((item) => originOf(item) === origin)) return null;
  return unusable(
    'ENDPOINT_NOT_ALLOWED',
    `The playbook's endpoint ${origin} is not among those that you allow.`,
    commandLine('--allow-endpoint', origin),
  );
}

/** Names that mean something to infra itself: a playbook can't have them sent anywhere. */
const RESERVED: readonly string[] = ['INFRA_EVENTLOG', 'INFRA_EVENTLOG_TOKEN', 'INFRA_YC', 'INFRA_ALLOW_ENDPOINT'];

function isOwnVariable(name: string): boolean {
  return /^INFRA_[A-Z0-9_]+$/.test(name) && !RESERVED.includes(name);
}

function foreignVariable(name: string, endpoint: boolean): Unusable {
  const also = endpoint ? '' : ', or GOOGLE_OAUTH_ACCESS_TOKEN';
  return unusable(
    'CREDENTIAL_MISDIRECTED',
    `token_env in a playbook names an INFRA_* variable without a meaning of its own${also}; ${name} is none.`,
  );
}

type Bearer = { readonly kind: 'ok'; readonly tokenSource: TokenSource } | Unusable;

/** The bearer token as the playbook spells it. */
function speltBearer(auth: AuthSpec, environment: Environment, reach: TokenSource['reach']): Bearer {
  if (auth.token !== null) return fixedBearer(auth.token, 'bearer token of the playbook', reach);
  if (auth.tokenEnv === null) return unusable('AUTHENTICATION', 'auth is a bearer without a token: add token_env.');
  if (!isOwnVariable(auth.tokenEnv) && auth.tokenEnv !== 'GOOGLE_OAUTH_ACCESS_TOKEN')
    return foreignVariable(auth.tokenEnv, false);
  return variableBearer(auth.tokenEnv, environment, reach);
}

function variableBearer(name: string, environment: Environment, reach: TokenSource['reach']): Bearer {
  const token = environment[name] ?? '';
  if (token === '')
    return unusable(
      'AUTHENTICATION',
      `The environment variable ${name}, which holds the bearer token, is ${environment[name] === undefined ? 'not set' : 'empty'}.`,
    );
  return fixedBearer(token, `bearer token of ${name}`, reach);
}

function fixedBearer(token: string, description: string, reach: TokenSource['reach']): Bearer {
  const problem = tokenProblem(token);
  if (problem !== null) return unusable('AUTHENTICATION', `The ${description} can't be used: ${problem}.`);
  return { kind: 'ok', tokenSource: fixedToken(reach, description, token) };
}

async function forCloud(
  request: CredentialRequest,
  auth: AuthSpec,
  caller: CallerCredential | undefined,
): Promise<ResolvedCredential> {
  const source = await cloudSource(request, auth, caller);
  if (source.kind === 'unusable') return source;
  const quotaProject =
    caller?.quota_project ?? present(request.environment['GOOGLE_CLOUD_QUOTA_PROJECT']) ?? source.fileQuotaProject;
  if (quotaProject !== null && !/^[a-z0-9][a-z0-9.:-]{0,99}$/.test(quotaProject)) {
    return unusable(
      'QUOTA_PROJECT',
      'The quota project is not a project id or number; it comes from quota_project, GOOGLE_CLOUD_QUOTA_PROJECT or the credential file.',
    );
  }
  return { kind: 'ok', tokenSource: source.tokenSource, quotaProject, endpoints: CLOUD_ENDPOINTS, target: 'cloud' };
}

type CloudSource =
  | { readonly kind: 'ok'; readonly tokenSource: TokenSource; readonly fileQuotaProject: string | null }
  | Unusable;

async function cloudSource(
  request: CredentialRequest,
  auth: AuthSpec,
  caller: CallerCredential | undefined,
): Promise<CloudSource> {
  const type = caller?.type ?? auth.type;
  switch (type) {
    case 'bearer':
      return withoutFile(await cloudBearer(request, auth, caller));
    case 'service_account':
      if (caller === undefined)
        return unusable(
          'AUTHENTICATION',
          "A playbook can't name a key file: configure the service account as a credential of your own and name it.",
        );
      return fromKeyFile(request, auth, caller);
    case 'gcp_adc':
      return fromDefaults(request, auth, caller);
    default:
      return unusable('AUTHENTICATION', `auth of type ${type} is of no use for google: gcp_adc and bearer are.`);
  }
}

function withoutFile(bearer: Bearer): CloudSource {
  return bearer.kind === 'ok' ? { ...bearer, fileQuotaProject: null } : bearer;
}

async function cloudBearer(
  request: CredentialRequest,
  auth: AuthSpec,
  caller: CallerCredential | undefined,
): Promise<Bearer> {
  if (caller?.impersonate !== undefined)
    return unusable('AUTHENTICATION', 'impersonate needs gcp_adc or service_account; a bearer token is used as it is.');
  if (caller?.token_file !== undefined) return fileBearer(caller.token_file);
  if (caller?.token_env !== undefined) return variableBearer(caller.token_env, request.environment, 'cloud');
  return speltBearer(auth, request.environment, 'cloud');
}

async function fileBearer(file: string): Promise<Bearer> {
  const description = 'bearer token of token_file';
  const read = async () => {
    const token = await readTokenFile(file);
    const problem = token === null ? "the file can't be read" : tokenProblem(token);
    if (token !== null && problem === null) return { kind: 'token', token } as const;
    return {
      kind: 'failed',
      why: diagnostic('AUTHENTICATION', `The ${description} can't be used: ${problem}.`, { retryable: false }),
    } as const;
  };
  const source = bearerSource('cloud', description, read);
  const first = await source.token();
  return first.kind === 'failed' ? { kind: 'unusable', why: first.why } : { kind: 'ok', tokenSource: source };
}

async function fromKeyFile(request: CredentialRequest, auth: AuthSpec, caller: CallerCredential): Promise<CloudSource> {
  if (caller.key_file === undefined)
    return unusable('AUTHENTICATION', 'A credential of type service_account needs key_file.');
  const result = await readKeyFile(caller.key_file);
  if (result.kind === 'missing') return unusable('AUTHENTICATION', 'The credential file (key_file) does not exist.');
  return result.kind === 'unusable'
    ? result
    : libraryCredential(request, auth, caller, result.file, 'service account key');
}

async function fromDefaults(
  request: CredentialRequest,
  auth: AuthSpec,
  caller: CallerCredential | undefined,
): Promise<CloudSource> {
  const { environment } = request;
  const result = await readDefaultCredentials(environment);
  if (result.kind === 'unusable') return result;
  if (result.kind === 'read')
    return libraryCredential(
      request,
      auth,
      caller,
      result.file,
      `application default credentials (${result.file.type})`,
    );
  if (environment['METADATA_SERVER_DETECTION'] !== 'none' && (await hasMetadataServer())) {
    return libraryCredential(request, auth, caller, null, 'metadata server');
  }
  const hint = commandLine('gcloud', 'auth', 'application-default', 'login');
  return unusable(
    'AUTHENTICATION',
    "There are no application default credentials: no GOOGLE_APPLICATION_CREDENTIALS, no file of gcloud's, no metadata server.",
    hint,
  );
}

function libraryCredential(
  request: CredentialRequest,
  auth: AuthSpec,
  caller: CallerCredential | undefined,
  file: CredentialFile | null,
  description: string,
): CloudSource {
  const impersonate = caller?.impersonate ?? null;
  if (impersonate !== null && !/^[a-z0-9][a-z0-9-]{0,62}@[a-z0-9.-]{1,120}$/.test(impersonate)) {
    return unusable('AUTHENTICATION', 'impersonate is not the e-mail address of a service account.');
  }
  const scopes = caller?.scopes ?? (auth.scopes.length > 0 ? auth.scopes : DEFAULT_SCOPES);
  const shown = impersonate === null ? description : `${description}, acting as ${impersonate}`;
  const tokenSource = googleSource({
    file: file?.json ?? null,
    description: shown,
    scopes,
    impersonate,
    exchange: request.exchange,
  });
  return { kind: 'ok', tokenSource, fileQuotaProject: file?.quotaProject ?? null };
}

function present(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}
