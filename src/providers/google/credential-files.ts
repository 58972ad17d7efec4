import { open } from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import { commandLine } from './gcloud-command.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A credential file's JSON as google-auth-library takes it; nothing of it is ever shown but its `type`. */
export interface CredentialFile {
  readonly type: string;
  readonly quotaProject: string | null;
  readonly json: Readonly<Record<string, unknown>>;
}

export type FileResult =
  | { readonly kind: 'read'; readonly file: CredentialFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unusable'; readonly why: Diagnostic };

const MAX_BYTES = 256 * 1024;

/** Tokens are exchanged with Google over TLS only; a file that names another place is refused. */
const googleUrl = z.string().check(z.refine((text) => isGoogleUrl(text), 'not an https URL of googleapis.com'));
const universe = z.optional(z.literal('googleapis.com'));
const secret = z.string().check(z.minLength(1));
const common = { universe_domain: universe, quota_project_id: z.optional(z.string()) };

const serviceAccount = z.looseObject({
  ...common,
  type: z.literal('service_account'),
  client_email: secret,
  private_key: secret,
});
const authorizedUser = z.looseObject({
  ...common,
  type: z.literal('authorized_user'),
  client_id: secret,
  client_secret: secret,
  refresh_token: secret,
});
const externalAccount = z.looseObject({
  ...common,
  type: z.literal('external_account'),
  audience: secret,
  subject_token_type: secret,
  token_url: googleUrl,
  token_info_url: z.optional(googleUrl),
  service_account_impersonation_url: z.optional(googleUrl),
  credential_source: z.looseObject({}),
});
const externalUser = z.looseObject({
  ...common,
  type: z.literal('external_account_authorized_user'),
  token_url: googleUrl,
  refresh_token: secret,
});
const impersonated = z.looseObject({
  ...common,
  type: z.literal('impersonated_service_account'),
  service_account_impersonation_url: googleUrl,
  source_credentials: z.discriminatedUnion('type', [serviceAccount, authorizedUser, externalAccount, externalUser]),
});
const anyCredential = z.discriminatedUnion('type', [
  serviceAccount,
  authorizedUser,
  externalAccount,
  externalUser,
  impersonated,
]);

function isGoogleUrl(text: string): boolean {
  try {
    const url = new URL(text);
    return (
      url.protocol === 'https:' &&
      url.username === '' &&
      url.password === '' &&
      (url.hostname === 'googleapis.com' || url.hostname.endsWith('.googleapis.com'))
    );
  } catch {
    return false;
  }
}

/** Reads the key file that the caller's configuration names: a service account of Google's own universe, nothing else. */
export function readKeyFile(file: string): Promise<FileResult> {
  return readCredentialFile(file, 'key_file', serviceAccount);
}

/**
 * The caller's application default credentials: GOOGLE_APPLICATION_CREDENTIALS, else the file that
 * `gcloud auth application-default login` writes. Null where there is no such file.
 */
export async function readDefaultCredentials(environment: Environment): Promise<FileResult> {
  const named = environment['GOOGLE_APPLICATION_CREDENTIALS'] ?? '';
  if (named !== '') {
    const result = await readCredentialFile(named, 'GOOGLE_APPLICATION_CREDENTIALS', anyCredential);
    if (result.kind !== 'missing') return result;
    return unusable('GOOGLE_APPLICATION_CREDENTIALS', 'the file does not exist');
  }
  const folder = gcloudFolder(environment);
  if (folder === null) return { kind: 'missing' };
  return readCredentialFile(
    path.join(folder, 'application_default_credentials.json'),
    'application default credentials',
    anyCredential,
  );
}

function gcloudFolder(environment: Environment): string | null {
  const { CLOUDSDK_CONFIG, APPDATA, HOME } = environment;
  if (CLOUDSDK_CONFIG !== undefined && CLOUDSDK_CONFIG !== '') return CLOUDSDK_CONFIG;
  if (platform() === 'win32') return APPDATA === undefined ? null : path.join(APPDATA, 'gcloud');
  return HOME === undefined || HOME === '' ? null : path.join(HOME, '.config', 'gcloud');
}

/** A token in a file of the caller's: its text without surrounding white space; null where it can't be read. */
export async function readTokenFile(file: string): Promise<string | null> {
  const text = await readSmallFile(file);
  return text === null || text === 'missing' ? null : text.text.trim();
}

async function readCredentialFile(
  file: string,
  what: string,
  schema: z.ZodMiniType<{ type: string; quota_project_id?: string | undefined }>,
): Promise<FileResult> {
  const content = await readSmallFile(file);
  if (content === 'missing') return { kind: 'missing' };
  if (content === null) return unusable(what, "the file can't be read, is no plain file, or is too large");
  const json = parseJson(content.text);
  if (json === null) return unusable(what, 'the file is not a JSON object');
  const parsed = schema.safeParse(json);
  if (!parsed.success) return unusable(what, explain(parsed.error));
  return { kind: 'read', file: { type: parsed.data.type, quotaProject: parsed.data.quota_project_id ?? null, json } };
}

async function readSmallFile(file: string): Promise<{ readonly text: string } | 'missing' | null> {
  try {
    const handle = await open(file, 'r');
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > MAX_BYTES) return null;
      return { text: await handle.readFile('utf8') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'missing' : null;
  }
}

function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed = z.looseObject({}).safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Names the keys that don't fit, never their values. */
function explain(error: z.core.$ZodError): string {
  const keys = [...new Set(error.issues.map((issue) => issue.path.map(String).join('.')))];
  if (keys.some((key) => key.endsWith('universe_domain')))
    return 'its universe_domain is not googleapis.com, and no other universe is supported';
  if (keys.some((key) => key === 'type' || key.endsWith('.type'))) return 'its type is not supported here';
  return `these keys are missing or not valid: ${keys.slice(0, 10).join(', ')}`;
}

function unusable(what: string, why: string): FileResult {
  const hint = what === 'key_file' ? null : commandLine('gcloud', 'auth', 'application-default', 'login');
  return {
    kind: 'unusable',
    why: diagnostic('AUTHENTICATION', `The credential file (${what}) can't be used: ${why}.`, {
      hint,
      retryable: false,
    }),
  };
}
