import { CODES, type Code, diagnostic } from '../core/codes.ts';
import { UNSCOPED } from '../core/facts.ts';
import type { OwnAuthority } from '../engine/readers.ts';
import type { InventoryProvider, ProviderStatus } from '../providers/lifecycle-provider.ts';
import { authorityOf } from './authority.ts';
import type { Readers } from './composition.ts';
import { type Finding, failed, ok, skipped, warned } from './doctor-finding.ts';
import { text } from './options.ts';
import type { Place } from './place.ts';
import { withReaders } from './reading.ts';
import type { WorkflowCall } from './workflow-types.ts';

type ProviderName = 'google' | 'yandex';

/** Whether a cloud can be reached, as whom, and what that one may do; reads only, and few of them. */
export async function checkCloud(
  call: WorkflowCall,
  place: Place,
  provider: ProviderName,
): Promise<readonly Finding[]> {
  const { flags, invocation } = call;
  const stack = flags.stack ?? place.config.stack ?? UNSCOPED;
  const own = authorityOf(flags, place, []).authOf(stack, provider);
  const scope = scopeOf(call, place, provider, own);
  const name = `${provider} availability`;
  if (own.auth === null && !flags.emulator) {
    const detail = 'No credential: give --credential, or --stack with stacks.<stack>.credential of your config.yaml.';
    return text(invocation.options, 'provider') === provider
      ? [failed(name, diagnostic('AUTH_REQUIRED', detail))]
      : [skipped(name, detail)];
  }
  if (provider === 'yandex' && scope === null)
    return [skipped(name, 'No folder: give --folder, or stacks.<stack>.settings.folder_id of your config.yaml.')];
  const settings = provider === 'yandex' ? { ...own.settings, folder_id: scope ?? '' } : own.settings;
  return await withReaders(call, place, [], async (readers) => {
    const request = { ...own, provider, settings };
    const opened = await readers.openOn(scope ?? '', request);
    if (opened.kind === 'unusable') return [failed(name, opened.why)];
    const [first, ...others] = await reached(provider, opened.provider);
    // What is no yc gets no further command.
    if (provider === 'yandex' && others.length === 0) return [first];
    return [
      first,
      ...others,
      ...(provider === 'google' ? await googleMore(readers, request, scope) : await yandexMore(opened.provider)),
    ];
  });
}

function scopeOf({ invocation }: WorkflowCall, { config }: Place, provider: ProviderName, own: OwnAuthority) {
  const folder = text(invocation.options, 'folder') ?? null;
  if (provider === 'yandex') return folder ?? textIn(own.settings?.['folder_id']);
  const organization = config.guard?.requireOrg ?? null;
  return text(invocation.options, 'from') ?? (organization === null ? null : `organizations/${organization}`);
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Whether it can be reached and, only where it can, as whom. */
async function reached(
  provider: ProviderName,
  reader: InventoryProvider,
): Promise<readonly [Finding, ...(readonly Finding[])]> {
  const { authenticationSource, scopeId } = reader.identity;
  const [what, who] = [`${provider} availability`, `${provider} identity`];
  const available = await reader.checkAvailability();
  if (!available.available) {
    const code = codeOf(available, 'UNAVAILABLE');
    return [failed(what, diagnostic(code, availabilityReason(provider, code)))];
  }
  const first = ok(what, provider === 'google' ? "Google's APIs answer." : 'yc runs.');
  const status = await reader.checkAuthentication();
  const said = `${authenticationSource}${scopeId === '' ? '' : `, on ${scopeId}`}`;
  if (status.authenticated === true) return [first, ok(who, said)];
  const code = codeOf(status, status.authenticated === false ? 'AUTHENTICATION' : 'UNAVAILABLE');
  return [first, failed(who, diagnostic(code, `${said}: ${identityReason(code)}`))];
}

function codeOf({ errorCode }: ProviderStatus, fallback: Code): Code {
  return errorCode !== null && Object.hasOwn(CODES, errorCode) ? (errorCode as Code) : fallback;
}

// In words of ours: nothing of what a cloud or a program printed.

function availabilityReason(provider: ProviderName, code: Code): string {
  if (provider === 'google') return `Google's APIs: ${identityReason(code)}`;
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
