import { createHash } from 'node:crypto';
import type { Json, JsonObject } from './json.ts';

const HTTP_STATUS = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
} as const;

export type CanonicalStatus = keyof typeof HTTP_STATUS;

/** A refusal in the envelope that all three APIs share. */
export class ApiError extends Error {
  readonly status: CanonicalStatus;
  readonly details: readonly JsonObject[];

  constructor(status: CanonicalStatus, message: string, details: readonly JsonObject[] = []) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.details = details;
  }

  get httpStatus(): number {
    return HTTP_STATUS[this.status];
  }

  toJson(): Json {
    const { message, status, details } = this;
    return {
      error: { code: this.httpStatus, message, status, ...(details.length > 0 ? { details } : {}) },
    };
  }
}

/** The front end's answer to a URL that no service has: HTML, not JSON. */
export class UnknownUrl extends Error {}

export function errorInfo(reason: string, domain: string, metadata: JsonObject): JsonObject {
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain, metadata };
}

export function preconditionFailure(type: string, subject: string, description: string): JsonObject {
  return {
    '@type': 'type.googleapis.com/google.rpc.PreconditionFailure',
    violations: [{ type, subject, ...(description === '' ? {} : { description }) }],
  };
}

export function help(description: string, url: string): JsonObject {
  return { '@type': 'type.googleapis.com/google.rpc.Help', links: [{ description, url }] };
}

export function localized(message: string): JsonObject {
  return { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en-US', message };
}

export function badRequest(field: string, description: string): JsonObject {
  return { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] };
}

/** E3: a field of a resource breaks a rule; the field is named in snake case. */
export function fieldIssue(field: string, issue: string): ApiError {
  return new ApiError('INVALID_ARGUMENT', `field [${field}] has issue [${issue}]`, [
    badRequest(field, issue),
    help('Resource Manager documentation', 'https://cloud.google.com/resource-manager/reference/rest'),
  ]);
}

export function invalidArgument(
  message = 'Request contains an invalid argument.',
  details: readonly JsonObject[] = [],
) {
  return new ApiError('INVALID_ARGUMENT', message, details);
}

export function precondition(details: readonly JsonObject[] = [], message = 'Precondition check failed.'): ApiError {
  return new ApiError('FAILED_PRECONDITION', message, details);
}

/** Service Usage ends its messages with a support token. */
export function withHelpToken(message: string): string {
  const token = createHash('sha256').update(message).digest('base64url');
  return `${message}\nHelp Token: A${token}`;
}
