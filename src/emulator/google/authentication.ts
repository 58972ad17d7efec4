import { isHidden } from './access.ts';
import type { Principal } from './options.ts';
import { titleOf } from './serviceusage/catalog.ts';
import { ApiError, errorInfo, help, localized } from './wire/errors.ts';
import type { ApiService } from './wire/route.ts';
import type { World } from './world/world.ts';

/** Who every token is when no tokens are configured. */
const ALL_POWERFUL: Principal = { name: 'user:emulator@example.com', permissions: '*' };

const MESSAGE =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid ' +
  'authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';

export function authenticate(
  authorization: string | undefined,
  tokens: Readonly<Record<string, Principal>> | undefined,
  called: { readonly service: ApiService; readonly rpc: string },
): Principal {
  const token = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw unauthenticated('CREDENTIALS_MISSING', called);
  if (tokens === undefined) return ALL_POWERFUL;
  const principal = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  if (principal === undefined) throw unauthenticated('ACCESS_TOKEN_EXPIRED', called);
  return principal;
}

function unauthenticated(reason: string, called: { readonly service: ApiService; readonly rpc: string }): ApiError {
  return new ApiError('UNAUTHENTICATED', MESSAGE, [
    errorInfo(reason, 'googleapis.com', { service: `${called.service}.googleapis.com`, method: called.rpc }),
  ]);
}

/** The project that pays for the call, where the caller names one, must exist and have the API on. */
export function checkQuotaProject(
  world: World,
  principal: Principal,
  header: string | undefined,
  service: ApiService,
): void {
  if (header === undefined || header === '') return;
  const project = world.findProject(header);
  const api = `${service}.googleapis.com`;
  if (project === undefined || isHidden(world, principal, project.name)) throw userProjectDenied(header, api);
  const number = project.name.slice('projects/'.length);
  if (project.state !== 'ACTIVE') throw consumerInvalid(number, api);
  if (world.knobs.enforceQuotaProject === true && project.services[api]?.state !== 'ENABLED')
    throw serviceDisabled(number, api);
}

/** E9 */
function userProjectDenied(project: string, service: string): ApiError {
  const consoleUrl = `https://console.developers.google.com/iam-admin/iam/project?project=${encodeURIComponent(project)}`;
  const text =
    `Caller does not have required permission to use project ${project}. Grant the caller the ` +
    'roles/serviceusage.serviceUsageConsumer role, or a custom role with the serviceusage.services.use permission, by ' +
    `visiting ${consoleUrl} and then retry. Propagation of the new permission may take a few minutes.`;
  return new ApiError('PERMISSION_DENIED', text, [
    errorInfo('USER_PROJECT_DENIED', 'googleapis.com', {
      consumer: `projects/${project}`,
      containerInfo: project,
      service,
      consoleUrl,
    }),
    localized(text),
    help('Google developer console IAM admin', consoleUrl),
  ]);
}

/** E10 */
function consumerInvalid(number: string, service: string): ApiError {
  return new ApiError('PERMISSION_DENIED', `Project #${number} has been deleted.`, [
    errorInfo('CONSUMER_INVALID', 'googleapis.com', { consumer: `projects/${number}`, containerInfo: number, service }),
  ]);
}

/** E8: it names the quota project, not the target. */
function serviceDisabled(number: string, service: string): ApiError {
  const serviceTitle = titleOf(service);
  const activationUrl = `https://console.developers.google.com/apis/api/${service}/overview?project=${number}`;
  const text =
    `${serviceTitle} has not been used in project ${number} before or it is disabled. Enable it by visiting ` +
    `${activationUrl} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to ` +
    'our systems and retry.';
  return new ApiError('PERMISSION_DENIED', text, [
    errorInfo('SERVICE_DISABLED', 'googleapis.com', {
      consumer: `projects/${number}`,
      containerInfo: number,
      service,
      serviceTitle,
      activationUrl,
    }),
    localized(text),
    help('Google developers console API activation', activationUrl),
  ]);
}
