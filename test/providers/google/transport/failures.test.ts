import { describe, expect, it } from 'vitest';
import type { ApiCall, ApiFailure } from '../../../../src/providers/google/client.ts';
import { missingMember, unsupportedRole } from '../../../../src/providers/google/failure-iam.ts';
import { bareFailure, decodeFailure, failureOfOperationError } from '../../../../src/providers/google/failures.ts';
import { commandLine, grantCommand, safeId } from '../../../../src/providers/google/gcloud-command.ts';
import { vendorText } from '../../../../src/providers/google/vendor-text.ts';
import type { ErrorDetail } from './loopback.ts';
import { CREATE, ENABLE, errorBody, errorInfo, precondition, READ } from './loopback.ts';

const scrub = (text: string) => text;

function decode(
  call: ApiCall,
  code: number,
  status: string,
  message: string,
  ...details: readonly ErrorDetail[]
): ApiFailure {
  const context = { service: call.service, call, quotaProject: null, scrub };
  const decoded = decodeFailure(code, errorBody(code, status, message, ...details), context);
  if (decoded === null) throw new Error('not decoded');
  return decoded.failure;
}

const FAILED = 'Precondition check failed.';
const RENAME: ApiCall = { ...READ, method: 'PATCH', path: 'folders/1', repeatability: 'idempotent' };
const DELETE_PROJECT: ApiCall = { ...READ, method: 'DELETE', repeatability: 'idempotent' };
const LINK: ApiCall = {
  ...READ,
  service: 'billing',
  method: 'PUT',
  path: 'projects/p1/billingInfo',
  repeatability: 'idempotent',
};
const SET_POLICY: ApiCall = { ...CREATE, path: 'projects/p1:setIamPolicy' };

function quotaFailure(subject: string, description: string): ErrorDetail {
  return { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ subject, description }] };
}

interface Case {
  readonly what: string;
  readonly failure: ApiFailure;
  readonly code: string;
  /** Each must be in the detail. */
  readonly says: readonly string[];
  readonly hint?: string;
  readonly retryable?: boolean;
}

const CASES: readonly Case[] = [
  {
    what: 'E2, A4: a project id is taken',
    failure: decode(CREATE, 409, 'ALREADY_EXISTS', 'Requested entity already exists'),
    code: 'PROJECT_ID_TAKEN',
    says: ['deleted within 30 days', 'never free again'],
  },
  {
    what: "A1: a folder is renamed to a sibling's name",
    failure: decode(
      RENAME,
      400,
      'FAILED_PRECONDITION',
      FAILED,
      precondition('FOLDER_NAME_UNIQUENESS_VIOLATION', 'folders/7', 'taken'),
    ),
    code: 'FOLDER_NAME_TAKEN',
    says: ['unique under a parent', 'folders/7'],
  },
  ...(
    ['ACTIVE_FOLDER_HEIGHT_VIOLATION', 'DELETED_FOLDER_HEIGHT_VIOLATION', 'MAX_CHILD_FOLDERS_VIOLATION'] as const
  ).map((type) => ({
    what: type,
    failure: decode(RENAME, 400, 'FAILED_PRECONDITION', FAILED, precondition(type)),
    code: 'FOLDER_LIMIT',
    says: [type],
  })),
  {
    what: 'E5: a folder is not empty',
    failure: decode(RENAME, 400, 'FAILED_PRECONDITION', FAILED, precondition('FOLDER_TO_DELETE_NON_EMPTY_VIOLATION')),
    code: 'FOLDER_NOT_EMPTY',
    says: ['active folders or projects'],
  },
  {
    what: 'a parent is deleted',
    failure: decode(RENAME, 400, 'FAILED_PRECONDITION', FAILED, precondition('PARENT_DELETED_VIOLATION')),
    code: 'PARENT_DELETED',
    says: ['pending deletion'],
  },
  {
    what: 'a folder itself is deleted',
    failure: decode(RENAME, 400, 'FAILED_PRECONDITION', FAILED, precondition('RESOURCE_DELETED_VIOLATION')),
    code: 'PENDING_DELETION',
    says: ['undelete'],
  },
  {
    what: 'a folder is being moved',
    failure: decode(RENAME, 400, 'FAILED_PRECONDITION', FAILED, precondition('FOLDER_BEING_MOVED_VIOLATION')),
    code: 'CONFLICT',
    says: ['being moved'],
    retryable: true,
  },
  {
    what: 'a folder would lie below itself',
    failure: decode(RENAME, 400, 'FAILED_PRECONDITION', FAILED, precondition('CYCLE_INTRODUCED_VIOLATION')),
    code: 'REQUEST_REFUSED',
    says: ['below itself'],
  },
  {
    what: 'a folder has a capability configured',
    failure: decode(
      RENAME,
      400,
      'FAILED_PRECONDITION',
      FAILED,
      precondition('FOLDER_TO_DELETE_CONFIGURED_CAPABILITY_VIOLATION'),
    ),
    code: 'REQUEST_REFUSED',
    says: ['capability'],
  },
  {
    what: 'E6: a lien',
    failure: decode(
      DELETE_PROJECT,
      400,
      'FAILED_PRECONDITION',
      FAILED,
      precondition('LIEN', 'liens/p1234-l5abc', 'A lien to prevent deletion was placed on the project by [me].'),
    ),
    code: 'LIEN',
    says: ['liens/p1234-l5abc', 'placed on the project by [me]'],
    hint: 'gcloud alpha resource-manager liens delete p1234-l5abc --project=1234',
  },
  {
    what: 'a lien whose name does not look like one',
    failure: decode(DELETE_PROJECT, 400, 'FAILED_PRECONDITION', FAILED, precondition('LIEN', 'liens/p1-$(reboot)')),
    code: 'LIEN',
    says: ['lien'],
    hint: 'gcloud alpha resource-manager liens delete LIEN --project=1',
  },
  {
    what: 'a lien without a name',
    failure: decode(DELETE_PROJECT, 400, 'FAILED_PRECONDITION', FAILED, precondition('LIEN')),
    code: 'LIEN',
    says: ['lien'],
    hint: 'gcloud alpha resource-manager liens list --project=PROJECT_ID',
  },
  {
    what: 'a project with a child resource',
    failure: decode(
      DELETE_PROJECT,
      400,
      'FAILED_PRECONDITION',
      'active child resource',
      precondition('', 'services/x.endpoints.p.cloud.goog'),
    ),
    code: 'REQUEST_REFUSED',
    says: ['services/x.endpoints.p.cloud.goog'],
  },
  {
    what: 'E7: the project quota, answered at once',
    failure: decode(
      CREATE,
      429,
      'RESOURCE_EXHAUSTED',
      'The project cannot be created because you have exceeded your allotted project quota.',
    ),
    code: 'PROJECT_QUOTA',
    says: ['30 days'],
    hint: 'ask for more at https://support.google.com/code/contact/project_quota_increase',
  },
  {
    what: 'E13, D1: the cap of a billing account',
    failure: decode(
      LINK,
      400,
      'FAILED_PRECONDITION',
      FAILED,
      quotaFailure(
        'billingAccounts/0A0A0A-0B0B0B-0C0C0C',
        'Cloud billing quota exceeded: https://support.google.com/code/contact/billing_quota_increase',
      ),
    ),
    code: 'BILLING_CAP',
    says: ['billingAccounts/0A0A0A-0B0B0B-0C0C0C', 'Cloud billing quota exceeded'],
  },
  {
    what: 'E16: billing is required',
    failure: decode(
      ENABLE,
      400,
      'FAILED_PRECONDITION',
      "Billing account for project '5228' is not found. Billing must be enabled for activation of service(s) 'compute.googleapis.com,compute.googleapis.com' to proceed.\nHelp Token: AbC_1-2",
      precondition('googleapis.com/billing-enabled', '?error_code=390001&project=5228&services=compute.googleapis.com'),
      errorInfo('UREQ_PROJECT_BILLING_NOT_FOUND', { project: '5228', services: 'compute.googleapis.com' }),
    ),
    code: 'BILLING_REQUIRED',
    says: ['compute.googleapis.com needs billing', '5228'],
    hint: 'gcloud billing projects link 5228 --billing-account=BILLING_ACCOUNT_ID',
  },
  {
    what: 'billing is required, said by the violation alone',
    failure: decode(
      ENABLE,
      400,
      'FAILED_PRECONDITION',
      'x',
      precondition(
        'googleapis.com/billing-enabled',
        '?error_code=390001&project=77&services=a.googleapis.com&services=b.googleapis.com',
      ),
    ),
    code: 'BILLING_REQUIRED',
    says: ['a.googleapis.com, b.googleapis.com', '77'],
  },
  {
    what: 'billing is closed',
    failure: decode(ENABLE, 400, 'FAILED_PRECONDITION', 'x', errorInfo('UREQ_PROJECT_BILLING_NOT_OPEN')),
    code: 'BILLING_CLOSED',
    says: ['closed'],
    hint: 'gcloud billing accounts list --filter=open=true',
  },
  {
    what: 'E8, C3: the API is disabled in the quota project',
    failure: decode(
      READ,
      403,
      'PERMISSION_DENIED',
      'Cloud Resource Manager API has not been used in project 123 before or it is disabled.',
      errorInfo('SERVICE_DISABLED', {
        consumer: 'projects/123',
        containerInfo: '123',
        service: 'cloudresourcemanager.googleapis.com',
      }),
    ),
    code: 'API_DISABLED',
    says: ['project 123', 'not the one that is managed'],
    hint: 'gcloud services enable cloudresourcemanager.googleapis.com --project=123',
  },
  {
    what: 'no quota project is set (Google names its own project)',
    failure: decode(
      READ,
      403,
      'PERMISSION_DENIED',
      'x',
      errorInfo('SERVICE_DISABLED', {
        consumer: 'projects/764086051850',
        service: 'cloudresourcemanager.googleapis.com',
      }),
    ),
    code: 'QUOTA_PROJECT',
    says: ['No quota project is set'],
    hint: 'gcloud auth application-default set-quota-project PROJECT_ID',
  },
  {
    what: 'E9: the quota project is denied',
    failure: decode(
      READ,
      403,
      'PERMISSION_DENIED',
      'Caller does not have required permission to use project acme.',
      errorInfo('USER_PROJECT_DENIED', { consumer: 'projects/acme' }),
    ),
    code: 'QUOTA_PROJECT',
    says: ['acme', 'serviceusage.services.use'],
    hint: 'gcloud projects add-iam-policy-binding acme --member=MEMBER --role=roles/serviceusage.serviceUsageConsumer',
  },
  {
    what: 'E10: the quota project is not valid',
    failure: decode(
      READ,
      403,
      'PERMISSION_DENIED',
      'Project #123 has been deleted.',
      errorInfo('CONSUMER_INVALID', { consumer: 'projects/123' }),
    ),
    code: 'QUOTA_PROJECT',
    says: ['123', 'deleted'],
  },
  {
    what: 'E1, A7: a read of what may not exist',
    failure: decode(
      READ,
      403,
      'PERMISSION_DENIED',
      "Permission 'resourcemanager.projects.get' denied on resource '//cloudresourcemanager.googleapis.com/projects/p1' (or it may not exist).",
      errorInfo('IAM_PERMISSION_DENIED', { permission: 'resourcemanager.projects.get', resource: 'projects/p1' }),
    ),
    code: 'NOT_VISIBLE',
    says: ['resourcemanager.projects.get', 'projects/p1', 'both alike'],
    hint: 'gcloud projects add-iam-policy-binding p1 --member=MEMBER --role=roles/browser',
  },
  {
    what: 'the same without details',
    failure: decode(
      { ...READ, path: 'folders/5' },
      403,
      'PERMISSION_DENIED',
      "Permission 'resourcemanager.folders.get' denied on resource '//cloudresourcemanager.googleapis.com/folders/5' (or it may not exist).",
    ),
    code: 'NOT_VISIBLE',
    says: ['resourcemanager.folders.get is missing on folders/5'],
    hint: 'gcloud resource-manager folders add-iam-policy-binding 5 --member=MEMBER --role=roles/resourcemanager.folderViewer',
  },
  {
    what: 'E15: a permission is missing on a write',
    failure: decode(
      ENABLE,
      403,
      'PERMISSION_DENIED',
      'Permission denied to enable service [run.googleapis.com]\nHelp Token: AbC',
      precondition(
        'googleapis.com',
        '?error_code=110002&service=serviceusage.googleapis.com&permission=serviceusage.services.enable&resource=77',
      ),
      errorInfo('AUTH_PERMISSION_DENIED', {
        permission: 'serviceusage.services.enable',
        resource: '77',
        service: 'serviceusage.googleapis.com',
      }),
    ),
    code: 'PERMISSION_DENIED',
    says: ['serviceusage.services.enable', 'projects/77'],
    hint: 'gcloud projects add-iam-policy-binding 77 --member=MEMBER --role=roles/serviceusage.serviceUsageAdmin',
  },
  {
    what: 'a permission that is not named',
    failure: decode(LINK, 403, 'PERMISSION_DENIED', 'The caller does not have permission'),
    code: 'PERMISSION_DENIED',
    says: ['A permission (not named)', 'projects/p1'],
  },
  {
    what: 'a policy that may not be written',
    failure: decode(SET_POLICY, 403, 'PERMISSION_DENIED', 'Policy update access denied.'),
    code: 'PERMISSION_DENIED',
    says: ['projects/p1'],
  },
  {
    what: 'E11, B18: a member does not exist',
    failure: decode(
      SET_POLICY,
      400,
      'INVALID_ARGUMENT',
      'Service account sa@p.iam.gserviceaccount.com does not exist.',
    ),
    code: 'MEMBER_NOT_FOUND',
    says: ['sa@p.iam.gserviceaccount.com'],
  },
  {
    what: 'a role is not supported',
    failure: decode(
      SET_POLICY,
      400,
      'INVALID_ARGUMENT',
      'Role roles/storage.legacyObjectReader is not supported for this resource.',
    ),
    code: 'ROLE_INVALID',
    says: ['roles/storage.legacyObjectReader'],
  },
  {
    what: 'a role does not exist',
    failure: decode(SET_POLICY, 400, 'INVALID_ARGUMENT', "Role (roles/x) does not exist in the resource's hierarchy."),
    code: 'ROLE_INVALID',
    says: ['roles/x'],
  },
  {
    what: 'an owner who must be invited',
    failure: decode(SET_POLICY, 400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', {
      '@type': 'type.googleapis.com/google.cloudresourcemanager.v1.ProjectIamPolicyError',
      type: 'SOLO_MUST_INVITE_OWNERS',
      member: 'user:user@example.com',
      role: 'roles/owner',
    }),
    code: 'REQUEST_REFUSED',
    says: ['user:user@example.com', 'invitation'],
  },
  {
    what: 'terms of service',
    failure: decode(ENABLE, 400, 'FAILED_PRECONDITION', 'x', errorInfo('UREQ_TOS_NOT_ACCEPTED')),
    code: 'TERMS_OF_SERVICE',
    says: ['only a person'],
  },
  {
    what: 'terms of service, as a violation',
    failure: decode(ENABLE, 400, 'FAILED_PRECONDITION', 'x', precondition('TOS', '?tos_id=universal')),
    code: 'TERMS_OF_SERVICE',
    says: ['tos_id=universal'],
  },
  {
    what: 'terms of service, as a text',
    failure: decode(CREATE, 403, 'PERMISSION_DENIED', 'Callers must accept Terms of Service'),
    code: 'TERMS_OF_SERVICE',
    says: ['only a person'],
  },
  {
    what: 'E12: a rate limit',
    failure: decode(
      LINK,
      429,
      'RESOURCE_EXHAUSTED',
      "Quota exceeded for quota metric 'cloudbilling.googleapis.com/standard_quota'",
      errorInfo('RATE_LIMIT_EXCEEDED', { quota_limit: 'StandardQuotaPerMinutePerProject', consumer: 'projects/6359' }),
    ),
    code: 'THROTTLED',
    says: ['StandardQuotaPerMinutePerProject', 'projects/6359'],
    retryable: true,
  },
  {
    what: 'a zero quota',
    failure: decode(
      LINK,
      429,
      'RESOURCE_EXHAUSTED',
      'x',
      errorInfo('RATE_LIMIT_EXCEEDED', { quota_limit_value: '0', quota_metric: 'a/b' }),
    ),
    code: 'RATE_NEVER_GRANTED',
    says: ['a/b', 'zero'],
  },
  {
    what: 'E17, C7: dependents of a service',
    failure: decode(
      ENABLE,
      400,
      'FAILED_PRECONDITION',
      'The service compute.googleapis.com is depended on by the following active service(s): container.googleapis.com; Please specify disable_dependent_services=true',
      errorInfo('COMMON_SU_SERVICE_HAS_DEPENDENT_SERVICES', {
        service_name: 'compute.googleapis.com',
        services: 'container.googleapis.com,dataproc.googleapis.com',
      }),
    ),
    code: 'SERVICE_HAS_DEPENDENTS',
    says: ['container.googleapis.com, dataproc.googleapis.com'],
  },
  {
    what: 'dependents, by text alone',
    failure: decode(
      ENABLE,
      400,
      'FAILED_PRECONDITION',
      'The service compute.googleapis.com is depended on by the following active service(s): container.googleapis.com; Please specify',
    ),
    code: 'SERVICE_HAS_DEPENDENTS',
    says: ['depend on it: container.googleapis.com.'],
  },
  {
    what: 'E18: a service in use',
    failure: decode(ENABLE, 400, 'FAILED_PRECONDITION', 'x', errorInfo('COMMON_SU_SERVICE_HAS_USAGE')),
    code: 'REQUEST_REFUSED',
    says: ['30 days'],
  },
  {
    what: 'E14: an unknown service',
    failure: decode(
      ENABLE,
      403,
      'PERMISSION_DENIED',
      'Not found or permission denied for service(s): gmail-api.googleapis.com.\nHelp Token: AbC',
      errorInfo('SERVICE_CONFIG_NOT_FOUND_OR_PERMISSION_DENIED', { services: 'gmail-api.googleapis.com' }),
    ),
    code: 'SERVICE_NOT_FOUND',
    says: ['gmail-api.googleapis.com'],
    hint: 'gcloud services list --available --filter=config.name:gmail-api.googleapis.com',
  },
  {
    what: 'an unknown service, by text alone',
    failure: decode(
      ENABLE,
      403,
      'PERMISSION_DENIED',
      'Not found or permission denied for service(s): gmail-api.googleapis.com.',
    ),
    code: 'SERVICE_NOT_FOUND',
    says: ['gmail-api.googleapis.com does not exist'],
  },
  {
    what: 'E19: another activation',
    failure: decode(
      ENABLE,
      400,
      'FAILED_PRECONDITION',
      'Another activation or deactivation is in progress for the following service(s): foo',
    ),
    code: 'CONFLICT',
    says: ['in progress'],
    retryable: true,
  },
  {
    what: 'E23: VPC Service Controls',
    failure: decode(READ, 403, 'PERMISSION_DENIED', 'x', errorInfo('SECURITY_POLICY_VIOLATED', { uid: 'abc-1' })),
    code: 'ORG_POLICY',
    says: ['perimeter'],
    hint: "give the perimeter's administrators this id: abc-1",
  },
  {
    what: 'an organisation policy, as a violation',
    failure: decode(
      SET_POLICY,
      400,
      'FAILED_PRECONDITION',
      'One or more users named in the policy do not belong to a permitted customer',
      precondition('constraints/iam.allowedPolicyMemberDomains', 'orgpolicy:projects/p1'),
    ),
    code: 'ORG_POLICY',
    says: ['constraints/iam.allowedPolicyMemberDomains'],
  },
  {
    what: 'an organisation policy, as a reason',
    failure: decode(ENABLE, 403, 'PERMISSION_DENIED', 'x', errorInfo('RESOURCE_USAGE_RESTRICTION_VIOLATED')),
    code: 'ORG_POLICY',
    says: ['organisation policy'],
  },
  {
    what: 'E21: no valid token',
    failure: decode(READ, 401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
    code: 'AUTHENTICATION',
    says: ['not accepted'],
    hint: 'gcloud auth application-default login',
  },
  {
    what: 'an expired token',
    failure: decode(READ, 401, 'UNAUTHENTICATED', 'x', errorInfo('ACCESS_TOKEN_EXPIRED')),
    code: 'AUTHENTICATION',
    says: ['has expired'],
  },
  {
    what: 'insufficient scopes',
    failure: decode(
      READ,
      403,
      'PERMISSION_DENIED',
      'Request had insufficient authentication scopes.',
      errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT'),
    ),
    code: 'AUTHENTICATION',
    says: ['lacks a scope'],
  },
  { what: '404', failure: decode(READ, 404, 'NOT_FOUND', 'x'), code: 'NOT_FOUND', says: ['does not exist'] },
  {
    what: '409 ALREADY_EXISTS',
    failure: decode(RENAME, 409, 'ALREADY_EXISTS', 'x'),
    code: 'ALREADY_EXISTS',
    says: ['exists already'],
  },
  {
    what: '409 ABORTED',
    failure: decode(SET_POLICY, 409, 'ABORTED', 'There were concurrent policy changes.'),
    code: 'CONFLICT',
    says: ['out of date'],
    retryable: true,
  },
  {
    what: '409 without a status',
    failure: bareFailure(409, 'x', { service: 'crm', call: null, quotaProject: null, scrub }),
    code: 'CONFLICT',
    says: ['under way'],
    retryable: true,
  },
  {
    what: 'B7: 412',
    failure: decode(SET_POLICY, 412, 'FAILED_PRECONDITION', FAILED),
    code: 'CONFLICT',
    says: ['etag', FAILED],
    retryable: true,
  },
  {
    what: 'E3: a bad field',
    failure: decode(CREATE, 400, 'INVALID_ARGUMENT', 'field [display_name] has issue [too long]', {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'display_name', description: 'too long' }],
    }),
    code: 'REQUEST_REFUSED',
    says: ['display_name: too long'],
  },
  {
    what: 'E24: an unknown field',
    failure: decode(CREATE, 400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.'),
    code: 'REQUEST_REFUSED',
    says: ['Invalid JSON payload'],
  },
  {
    what: '400 FAILED_PRECONDITION',
    failure: decode(CREATE, 400, 'FAILED_PRECONDITION', FAILED),
    code: 'REQUEST_REFUSED',
    says: ['does not allow'],
  },
  { what: '501', failure: decode(READ, 501, 'UNIMPLEMENTED', 'x'), code: 'UNSUPPORTED', says: ['method'] },
  {
    what: '503',
    failure: decode(READ, 503, 'UNAVAILABLE', 'x'),
    code: 'UNAVAILABLE',
    says: ['server error'],
    retryable: true,
  },
  {
    what: '504',
    failure: decode(READ, 504, 'DEADLINE_EXCEEDED', 'x'),
    code: 'TIMEOUT',
    says: ['in time'],
    retryable: true,
  },
  { what: 'anything else', failure: decode(READ, 418, 'TEAPOT', 'x'), code: 'REQUEST_REFUSED', says: ['HTTP 418'] },
  {
    what: 'A2: a folder name taken, inside an operation',
    failure: failureOfOperationError('crm', {
      code: 9,
      message: 'The folder operation violates display name uniqueness within the parent.',
    }),
    code: 'FOLDER_NAME_TAKEN',
    says: ['FAILED_PRECONDITION'],
  },
  {
    what: 'a deleted parent, inside an operation',
    failure: failureOfOperationError('crm', {
      code: 9,
      message:
        'Folder reservation failed for parent [folders/1], folder [] due to constraint: The destination resource has been deleted.',
    }),
    code: 'PARENT_DELETED',
    says: ['folders/1'],
  },
  {
    what: 'the project quota, inside an operation',
    failure: failureOfOperationError('crm', { code: 8, message: 'too many' }),
    code: 'PROJECT_QUOTA',
    says: ['too many'],
  },
  {
    what: 'a rate limit, inside an operation',
    failure: failureOfOperationError('crm', {
      code: 8,
      message: 'x',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'RATE_LIMIT_EXCEEDED' }],
    }),
    code: 'THROTTLED',
    says: ['rate limit'],
    retryable: true,
  },
  {
    what: 'an operation error without a known code',
    failure: failureOfOperationError('serviceusage', { code: 99, message: 'odd' }),
    code: 'UNAVAILABLE',
    says: ['UNKNOWN: odd'],
    retryable: true,
  },
];

describe('failures, decoded', () => {
  it.each(CASES)('$what', ({ failure, code, says, hint, retryable }) => {
    const { diagnostic } = failure;
    expect(diagnostic.code).toBe(code);
    for (const text of says) expect(diagnostic.detail).toContain(text);
    if (hint !== undefined) expect(diagnostic.hint).toBe(hint);
    expect(diagnostic.retryable).toBe(retryable ?? false);
    expect(diagnostic.detail).not.toContain('Help Token');
  });

  it('keeps the structure for who has to decide by it', () => {
    const failure = decode(
      ENABLE,
      400,
      'FAILED_PRECONDITION',
      'x',
      precondition('T', 'S', 'D'),
      errorInfo('R', { a: 'b' }),
    );
    expect(failure).toMatchObject({
      status: 400,
      canonical: 'FAILED_PRECONDITION',
      reason: 'R',
      message: 'x',
      metadata: { a: 'b' },
      violations: [{ type: 'T', subject: 'S', description: 'D' }],
    });
    expect(failure.details).toHaveLength(2);
  });

  it.each([[null], ['text'], [[]], [{}], [{ error: 'invalid_token' }], [{ error: {} }]])(
    "does not take %j for an API's refusal",
    (body) => {
      expect(decodeFailure(404, body, { service: 'crm', call: READ, quotaProject: null, scrub })).toBeNull();
    },
  );

  it('reads around fields of the wrong type', () => {
    const body = {
      error: {
        code: '403',
        message: 'm',
        status: 7,
        details: ['x', { '@type': 5, violations: 'no', metadata: [] }, null],
      },
    };
    const decoded = decodeFailure(403, body, { service: 'crm', call: READ, quotaProject: null, scrub });
    expect(decoded?.failure).toMatchObject({
      status: 403,
      canonical: null,
      reason: null,
      message: 'm',
      violations: [],
    });
  });

  it('names the member and the role for who must drop the culprit', () => {
    expect(missingMember({ message: 'User a@b.c does not exist.' })).toBe('a@b.c');
    expect(missingMember({ message: 'x' })).toBeNull();
    expect(unsupportedRole({ message: 'Role roles/x is not supported for this resource.' })).toBe('roles/x');
    expect(unsupportedRole({ message: 'x' })).toBeNull();
  });
});

describe('vendor texts', () => {
  it('are one line, bounded, and free of control and direction characters', () => {
    expect(vendorText('a\u0000b\n\tc\u202ed\u001b[31m', scrub)).toBe('ab cd[31m');
    expect(vendorText('x'.repeat(3000), scrub)).toHaveLength(1000);
    expect(vendorText('m\nHelp Token: Ab_c-1\nmore', scrub)).toBe('m more');
  });

  it('hide a secret that control characters had split', () => {
    const hide = (text: string) => text.replaceAll('secret', '***');
    expect(vendorText('sec\u200bret', hide)).toBe('***');
  });
});

describe('printed commands', () => {
  it('quote what needs it and print only ids that look like ids', () => {
    expect(commandLine('a', "it's", '$(x)')).toBe("a 'it'\\''s' '$(x)'");
    expect(safeId('project', 'p1; reboot')).toBe('PROJECT_ID');
    expect(safeId('project', 'example.com:p1')).toBe('example.com:p1');
    expect(grantCommand('organizations/12', 'roles/x')).toBe(
      'gcloud organizations add-iam-policy-binding 12 --member=MEMBER --role=roles/x',
    );
    expect(grantCommand('billingAccounts/0A0A0A-0B0B0B-0C0C0C', 'roles/x')).toContain(
      'gcloud billing accounts add-iam-policy-binding 0A0A0A-0B0B0B-0C0C0C',
    );
    expect(grantCommand('buckets/b', 'roles/x')).toBeNull();
  });
});
