import { ApiError, errorInfo, preconditionFailure, withHelpToken } from '../wire/errors.ts';

const DOMAIN = 'serviceusage.googleapis.com';

/** What a reader gets for a project that is missing or not theirs. */
export function listDenied(container: string): ApiError {
  const resource = `${container}`;
  return new ApiError(
    'PERMISSION_DENIED',
    withHelpToken(`Permission denied to list services for consumer container [${resource}]`),
    [
      preconditionFailure(
        'googleapis.com',
        `?error_code=110002&service=${DOMAIN}&permission=serviceusage.services.list&resource=${resource}`,
        '',
      ),
      errorInfo('AUTH_PERMISSION_DENIED', DOMAIN, { permission: 'serviceusage.services.list', resource }),
    ],
  );
}

export function getDenied(service: string, container: string): ApiError {
  const permission = 'serviceusage.services.get';
  return new ApiError('PERMISSION_DENIED', withHelpToken(`Permission denied to get service [${service}]`), [
    preconditionFailure(
      'googleapis.com',
      `?error_code=110002&service=${DOMAIN}&permission=${permission}&resource=${container}`,
      '',
    ),
    errorInfo('AUTH_PERMISSION_DENIED', DOMAIN, { permission, resource: container, service: DOMAIN }),
  ]);
}

/** A writer who cannot even see the project. */
export function projectNotFound(id: string): ApiError {
  return new ApiError('PERMISSION_DENIED', withHelpToken(`Project '${id}' not found or permission denied.`), [
    preconditionFailure('googleapis.com', `?error_code=210002&type=Project&resource_id=${id}`, ''),
    errorInfo('RESOURCES_NOT_FOUND', DOMAIN, { resource_id: id, type: 'Project' }),
  ]);
}

/** E15: a writer who sees the project but lacks the permission. */
export function changeDenied(verb: 'enable' | 'disable', service: string, projectNumber: string): ApiError {
  const permission = `serviceusage.services.${verb}`;
  return new ApiError('PERMISSION_DENIED', withHelpToken(`Permission denied to ${verb} service [${service}]`), [
    preconditionFailure(
      'googleapis.com',
      `?error_code=110002&service=${DOMAIN}&permission=${permission}&resource=${projectNumber}`,
      '',
    ),
    errorInfo('AUTH_PERMISSION_DENIED', DOMAIN, { permission, resource: projectNumber, service: DOMAIN }),
  ]);
}

/** E14 */
export function serviceNotFound(services: readonly string[]): ApiError {
  const joined = services.join(',');
  return new ApiError('PERMISSION_DENIED', withHelpToken(`Not found or permission denied for service(s): ${joined}.`), [
    preconditionFailure('googleapis.com', `?error_code=220002&services=${joined}`, ''),
    errorInfo('SERVICE_CONFIG_NOT_FOUND_OR_PERMISSION_DENIED', DOMAIN, { services: joined }),
  ]);
}

/** E16 */
export function billingMissing(projectNumber: string, services: readonly string[], linkedButClosed: boolean): ApiError {
  const joined = services.join(',');
  const state = linkedButClosed ? 'not open' : 'not found';
  const reason = linkedButClosed ? 'UREQ_PROJECT_BILLING_NOT_OPEN' : 'UREQ_PROJECT_BILLING_NOT_FOUND';
  const code = linkedButClosed ? 390002 : 390001;
  const text =
    `Billing account for project '${projectNumber}' is ${state}. ` +
    `Billing must be enabled for activation of service(s) '${joined}' to proceed.`;
  const subject = `?error_code=${code}&project=${projectNumber}${services.map((service) => `&services=${service}`).join('')}`;
  return new ApiError('FAILED_PRECONDITION', withHelpToken(text), [
    preconditionFailure('googleapis.com/billing-enabled', subject, ''),
    errorInfo(reason, `${DOMAIN}/billing-enabled`, { project: projectNumber, services: joined }),
  ]);
}

/** E17 */
export function hasDependents(service: string, dependents: readonly string[]): ApiError {
  const joined = dependents.join(',');
  const text =
    `The service ${service} is depended on by the following active service(s): ${joined}; ` +
    'Please specify disable_dependent_services=true if you want to proceed with disabling all services.';
  return new ApiError('FAILED_PRECONDITION', withHelpToken(text), [
    preconditionFailure('googleapis.com', `?error_code=100001&service_name=${service}&services=${joined}`, ''),
    errorInfo('COMMON_SU_SERVICE_HAS_DEPENDENT_SERVICES', DOMAIN, { service_name: service, services: joined }),
  ]);
}

/** E18 */
export function hasUsage(service: string): ApiError {
  const text = `The service ${service} has been used within the last 30 days or was enabled in the last 3 days.`;
  return new ApiError('FAILED_PRECONDITION', withHelpToken(text), [
    preconditionFailure('googleapis.com', `?error_code=100002&services=${service}`, ''),
    errorInfo('COMMON_SU_SERVICE_HAS_USAGE', DOMAIN, { services: service }),
  ]);
}

/** E19; retryable. */
export function changeInProgress(services: readonly string[]): ApiError {
  const text = `Another activation or deactivation is in progress for the following service(s): ${services.join(',')}`;
  return new ApiError('FAILED_PRECONDITION', withHelpToken(text));
}

export function notEnabled(service: string): ApiError {
  return new ApiError('FAILED_PRECONDITION', withHelpToken(`The service ${service} is not enabled.`));
}
