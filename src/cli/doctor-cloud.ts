import { CODES, type Code, diagnostic } from '../core/codes.ts';
import { UNSCOPED } from '../core/facts.ts';
import type { OwnAuthority } from '../engine/readers.ts';
import type { InventoryProvider, ProviderStatus } from '../providers/lifecycle-provider.ts';
import { authorityOf } from './authority.ts';
import { googleScopeName } from './compose-google.ts';
import type { Readers } from './composition.ts';
import { type Finding, failed, ok, skipped, warned } from './doctor-finding.ts';
import { text } from './options.ts';
import type { Place } from './place.ts';
import { withReaders } from './reading.ts';
import type { WorkflowCall } from './workflow-types.ts';

type ProviderName = 'google' | 'yandex';

/**
 * Whether a cloud can be reached, as whom, and what that one may do; reads only, and few of them. Throws DiagnosticError
 * where `--from` is no scope.
 */
export async function checkCloud(
  call: WorkflowCall,
  place: Place,
  provider: ProviderName,
): Promise<readonly Finding[]> {
  const { flags, invocation } = call;
  const stack = flags.stack ?? place.config.stack ?? UNSCOPED;
  const own = authorityOf(flags, place, []).authOf(stack, provider);
  const scope = await scopeOf(call, place, provider, own);
  const hasAuth = own.auth !== null || flags.emulator;
  if (!hasAuth && text(invocation.options, 'provider') !== provider)
    return [skipped(`${provider} availability`, NO_CREDENTIAL)];
  return await withReaders(call, place, [], (readers) =>
    provider === 'google' ? checkGoogle(readers, own, scope, hasAuth) : checkYandex(readers, own, scope, hasAuth),
  );
}

const NO_CREDENTIAL =
  'No credential: give --credential, or --stack with stacks.<stack>.credential of your config.yaml.';
const NO_FOLDER = 'No folder: give --folder, or stacks.<stack>.settings.folder_id of your config.yaml.';

/** Nothing of Google answers one who is nobody. */
async function checkGoogle(
  readers: Readers,
  own: Required<OwnAuthority>,
  scope: string | null,
  hasAuth: boolean,
): Promise<readonly Finding[]> {
  const what = 'google availability';
  if (!hasAuth) return [failed(what, diagnostic('AUTH_REQUIRED', NO_CREDENTIAL))];
  const request = { ...own, provider: 'google' };
  const opened = await readers.openOn(scope ?? '', request);
  if (opened.kind === 'unusable') return [failed(what, opened.why)];
  const available = await opened.provider.checkAvailability();
  if (!available.available) {
    const code = codeOf(available.errorCode, 'UNAVAILABLE');
    return [failed(what, diagnostic(code, `Google's APIs: ${identityReason(code)}`))];
  }
  const who = await identityOf('google', opened.provider);
  return [ok(what, "Google's APIs answer."), who, ...(await googleMore(readers, request, scope))];
}

/** Whether `yc` is there is one thing, and whose authority it has on which folder another. */
async function checkYandex(
  readers: Readers,
  own: Required<OwnAuthority>,
  scope: string | null,
  hasAuth: boolean,
): Promise<readonly Finding[]> {
  const who = 'yandex identity';
  const program = await checkYc(readers);
  if (!hasAuth) return [program, failed(who, diagnostic('AUTH_REQUIRED', NO_CREDENTIAL))];
  // What is no yc gets no further command.
  if (program.why !== null) return [program];
  if (scope === null) return [program, skipped(who, NO_FOLDER)];
  const settings = { ...own.settings, folder_id: scope };
  const opened = await readers.openOn(scope, { ...own, provider: 'yandex', settings });
  if (opened.kind === 'unusable') return [program, failed(who, opened.why)];
  return [program, await identityOf('yandex', opened.provider), ...(await yandexMore(opened.provider))];
}

async function checkYc(readers: Readers): Promise<Finding> {
  const what = 'yandex availability';
  const checked = await readers.checkYc();
  if (checked.kind === 'unusable') return failed(what, checked.why);
  if (checked.errorCode === null) return ok(what, 'yc runs.');
  const code = codeOf(checked.errorCode, 'UNAVAILABLE');
  return failed(what, diagnostic(code, availabilityReason(code)));
}

async function scopeOf({ invocation }: WorkflowCall, { config }: Place, provider: ProviderName, own: OwnAuthority) {
  const folder = text(invocation.options, 'folder') ?? null;
  const from = text(invocation.options, 'from') ?? null;
  if (provider === 'yandex') {
    const named = text(invocation.options, 'provider') === 'yandex' ? from : null;
    return folder ?? named ?? textIn(own.settings?.['folder_id']);
  }
  if (from !== null) return googleScopeName(from);
  const organization = config.guard?.requireOrg ?? null;
  return organization === null ? null : `organizations/${organization}`;
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

async function identityOf(provider: ProviderName, reader: InventoryProvider): Promise<Finding> {
  const { authenticationSource, scopeId } = reader.identity;
  const who = `${provider} identity`;
  const status = await reader.checkAuthentication();
  const said = `${authenticationSource}${scopeId === '' ? '' : `, on ${scopeId}`}`;
  if (status.authenticated === true) return ok(who, said);
  const code = codeOf(status.errorCode, status.authenticated === false ? 'AUTHENTICATION' : 'UNAVAILABLE');
  return failed(who, diagnostic(code, `${said}: ${identityReason(code)}`));
}

function codeOf(errorCode: ProviderStatus['errorCode'], fallback: Code): Code {
  return errorCode !== null && Object.hasOwn(CODES, errorCode) ? (errorCode as Code) : fallback;
}

// In words of ours: nothing of what a cloud or a program printed.

function availabilityReason(code: Code): string {
  switch (code) {
    case 'INVALID_RESPONSE':
      return 'The program is no yc: its --version says something else. It is asked nothing more.';
    case 'UNAVAILABLE':
      return 'yc could not be started.';
    default:
      return 'yc --version failed. It is asked nothing more.';
  }
}

function identityReason(code: Code): string {
  switch (code) {
    case 'AUTHENTICATION':
      return 'the credentials are not accepted.';
    case 'PERMISSION_DENIED':
      return 'these credentials may not read it, or it is not there.';
    case 'NOT_FOUND':
      return 'it is not there.';
    case 'CONFLICT':
      return 'it answers, but is not active: it is being deleted or blocked.';
    case 'TIMEOUT':
      return 'no answer came in time.';
    case 'THROTTLED':
      return 'too much is asked for at the moment.';
    case 'SCOPE_MISMATCH':
      return 'the answer is about another one.';
    case 'INVALID_RESPONSE':
      return 'the answer is not of the shape that it must have.';
    case 'COMMAND_FAILED':
      return 'the command ended with an error that says nothing of the credentials.';
    default:
      return `${CODES[code].summary.toLowerCase()}.`;
  }
}

const PERMISSIONS = [
  'resourcemanager.folders.create',
  'resourcemanager.folders.list',
  'resourcemanager.projects.create',
  'resourcemanager.projects.list',
];

async function googleMore(
  readers: Readers,
  request: Parameters<Readers['openGoogle']>[0],
  scope: string | null,
): Promise<readonly Finding[]> {
  const opened = await readers.openGoogle(request);
  if (opened.kind === 'unusable') return [];
  const { quotaProject } = opened.about;
  const quota =
    quotaProject === null
      ? skipped('google quota project', "None is set: the credential's own is used.")
      : ok('google quota project', quotaProject);
  const name = 'google permissions';
  if (scope === null) return [quota, skipped(name, 'No scope: give --from organizations/<number>.')];
  const permissions = PERMISSIONS.filter((item) => scope.startsWith('organizations/') || !item.includes('.list'));
  const answer = await opened.client.call({
    service: 'crm',
    method: 'POST',
    path: `${scope}:testIamPermissions`,
    body: { permissions },
    repeatability: 'read',
  });
  if (answer.kind !== 'ok')
    return [quota, failed(name, answer.kind === 'refused' ? answer.failure.diagnostic : answer.diagnostic)];
  const granted = answer.body['permissions'];
  const missing = permissions.filter((item) => !(Array.isArray(granted) && granted.includes(item)));
  if (missing.length === 0) return [quota, ok(name, `All of ${permissions.length} on ${scope}.`)];
  return [quota, warned(name, diagnostic('PERMISSION_DENIED', `Missing on ${scope}: ${missing.join(', ')}.`))];
}

/** The cheapest thing that a run reads in any case. */
async function yandexMore(reader: InventoryProvider): Promise<readonly Finding[]> {
  const listed = await reader.listResources('network');
  const name = 'yandex permissions';
  return listed.kind === 'failed'
    ? [failed(name, listed.why)]
    : [ok(name, `Networks of the folder can be listed (${listed.found.length}).`)];
}
