import type { AuthClient } from 'google-auth-library';
import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import { commandLine, safeId } from './gcloud-command.ts';
import type { TokenResult, TokenSource } from './token-source.ts';
import { scrubber, vendorText } from './vendor-text.ts';

export const DEFAULT_SCOPES: readonly string[] = ['https://www.googleapis.com/auth/cloud-platform'];

/** A token exchange, or a look for a metadata server, is given up after these. */
const EXCHANGE_MS = 30_000;
const PROBE_MS = 4_000;

/** Null where a token can go into a header as it is; else what is wrong with it, without showing it. */
export function tokenProblem(token: string): string | null {
  if (token === '') return 'it is empty';
  return /^[\x21-\x7e]{1,16384}$/.test(token) ? null : 'it holds characters that no token has';
}

/**
 * A token that someone else obtained. `read` gives it, and is asked again when the token is refused (a rotated file);
 * where it gives the same one, there is nothing to refresh with.
 */
export function bearerSource(
  reach: TokenSource['reach'],
  description: string,
  read: () => Promise<TokenResult>,
): TokenSource {
  const issued = new Set<string>();
  let current: Promise<TokenResult> | null = null;
  const load = async (): Promise<TokenResult> => {
    const result = await read();
    if (result.kind === 'token') issued.add(result.token);
    return result;
  };
  const token = (): Promise<TokenResult> => {
    current ??= load();
    return current;
  };
  const refresh = async (refused: string): Promise<TokenResult> => {
    const known = current;
    const before = await token();
    if (before.kind === 'token' && before.token !== refused) return before;
    if (current === known) current = null;
    const after = await token();
    if (after.kind === 'token' && after.token === refused) return { kind: 'failed', why: rejected(description) };
    return after;
  };
  return { reach, description, issued: () => [...issued], token, refresh };
}

/** A token known by value. */
export function fixedToken(reach: TokenSource['reach'], description: string, token: string): TokenSource {
  const problem = tokenProblem(token);
  const result: TokenResult =
    problem === null
      ? { kind: 'token', token }
      : { kind: 'failed', why: diagnostic('AUTHENTICATION', `The ${description} can't be used: ${problem}.`) };
  return bearerSource(reach, description, () => Promise.resolve(result));
}

function rejected(description: string): Diagnostic {
  return diagnostic(
    'AUTHENTICATION',
    `The ${description} was refused (HTTP 401), and there is nothing to take a new one from: it has expired or is not valid.`,
    { retryable: false },
  );
}

/** What google-auth-library makes tokens from. */
interface GoogleCredential {
  /** A credential file's JSON, already checked; null: the metadata server of Compute Engine, GKE or Cloud Run. */
  readonly file: Readonly<Record<string, unknown>> | null;
  readonly description: string;
  readonly scopes: readonly string[];
  /** E-mail of a service account to act as. */
  readonly impersonate: string | null;
  /** How token exchanges are sent; tests hand in their own. */
  readonly exchange: typeof fetch | undefined;
}

/** Tokens from google-auth-library: one client a credential, cached and refreshed by it, loaded at the first use. */
export function googleSource(credential: GoogleCredential): TokenSource {
  const issued = new Set<string>();
  let client: Promise<AuthClient> | null = null;
  let last: string | null = null;
  let failure: TokenResult | null = null;
  let pending: Promise<TokenResult> | null = null;

  const obtain = async (): Promise<TokenResult> => {
    try {
      client ??= openClient(credential);
      const { token } = await within(EXCHANGE_MS, (await client).getAccessToken());
      if (typeof token !== 'string' || tokenProblem(token) !== null)
        throw new Error('the token endpoint gave no token');
      issued.add(token);
      last = token;
      return { kind: 'token', token };
    } catch (error) {
      client = null;
      const result: TokenResult = { kind: 'failed', why: exchangeFailure(error, credential, [...issued]) };
      // A definite refusal stays one for this run: not asked again for every call.
      failure = result.why.retryable === true ? null : result;
      return result;
    }
  };
  const shared = (): Promise<TokenResult> => {
    pending ??= obtain().finally(() => {
      pending = null;
    });
    return pending;
  };
  return {
    reach: 'cloud',
    description: credential.description,
    issued: () => [...issued],
    token: async () => failure ?? shared(),
    refresh: async (refused) => {
      // What is under way may still give the refused one.
      while (pending !== null && last === refused) await pending;
      if (last === refused) client = null;
      return failure ?? shared();
    },
  };
}

/** Given as project so that the library doesn't look for one: it would run gcloud, whose output holds a token. */
const NO_PROJECT = 'none';

async function openClient(credential: GoogleCredential): Promise<AuthClient> {
  const { Compute, GoogleAuth, Impersonated } = await import('google-auth-library');
  const clientOptions =
    credential.exchange === undefined ? {} : { transporterOptions: { fetchImplementation: credential.exchange } };
  const scopes = [...(credential.impersonate === null ? credential.scopes : DEFAULT_SCOPES)];
  const source =
    credential.file === null
      ? new Compute({ scopes })
      : await new GoogleAuth({
          credentials: { ...credential.file },
          scopes,
          projectId: NO_PROJECT,
          clientOptions,
        }).getClient();
  if (credential.impersonate === null) return source;
  return new Impersonated({
    sourceClient: source,
    targetPrincipal: credential.impersonate,
    targetScopes: [...credential.scopes],
    lifetime: 3600,
  });
}

/** Whether a metadata server answers; bounded, and never an error. */
export async function hasMetadataServer(): Promise<boolean> {
  const { gcpMetadata } = await import('google-auth-library');
  try {
    return await within(PROBE_MS, gcpMetadata.isAvailable());
  } catch {
    return false;
  }
}

class OutOfTime extends Error {}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new OutOfTime(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A failed token exchange. gaxios errors carry the request with its secrets: only status, code and the scrubbed message
 * are taken, and the error itself goes no further.
 */
function exchangeFailure(error: unknown, credential: GoogleCredential, issued: readonly string[]): Diagnostic {
  const scrub = scrubber(() => [...issued, ...secretsOf(credential.file)]);
  const message = vendorText(error instanceof Error ? error.message : 'unknown failure', scrub, 300);
  const status = statusOf(error);
  const passing = error instanceof OutOfTime || status === null ? isNetwork(error) : status >= 500 || status === 429;
  const head = `No access token could be obtained (${credential.description})`;
  return diagnostic('AUTHENTICATION', `${head}: ${status === null ? '' : `HTTP ${status}: `}${message}`, {
    hint: hintFor(message, credential),
    retryable: passing,
  });
}

function isNetwork(error: unknown): boolean {
  if (error instanceof OutOfTime) return true;
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  // A key that can't be read or used has a code of its own, and stays as it is.
  return !/^ERR_(?:OSSL|CRYPTO|INVALID)/.test(error.code);
}

function statusOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  const status = 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 300 && status < 600 ? status : null;
}

function hintFor(message: string, credential: GoogleCredential): string | null {
  if (/unable to impersonate/i.test(message)) {
    const account = safeId('serviceAccount', credential.impersonate);
    return commandLine(
      'gcloud',
      'iam',
      'service-accounts',
      'add-iam-policy-binding',
      account,
      '--member=MEMBER',
      '--role=roles/iam.serviceAccountTokenCreator',
    );
  }
  return credential.file?.['type'] === 'authorized_user'
    ? commandLine('gcloud', 'auth', 'application-default', 'login')
    : null;
}

/** Every string of a credential file that could be a secret: all but what names the kind and the party. */
function secretsOf(file: Readonly<Record<string, unknown>> | null): readonly string[] {
  const public_ = new Set(['type', 'universe_domain', 'project_id', 'quota_project_id', 'client_email']);
  return Object.entries(file ?? {}).flatMap(([key, value]) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return secretsOf({ ...value });
    return typeof value === 'string' && value.length >= 8 && !public_.has(key) && !value.startsWith('https://')
      ? [value]
      : [];
  });
}
