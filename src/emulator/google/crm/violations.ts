import type { RpcStatus } from '../options.ts';
import { type ApiError, precondition, preconditionFailure } from '../wire/errors.ts';
import type { JsonObject } from '../wire/json.ts';

export type FolderViolation =
  | 'ACTIVE_FOLDER_HEIGHT_VIOLATION'
  | 'MAX_CHILD_FOLDERS_VIOLATION'
  | 'FOLDER_NAME_UNIQUENESS_VIOLATION'
  | 'RESOURCE_DELETED_VIOLATION'
  | 'PARENT_DELETED_VIOLATION'
  | 'CYCLE_INTRODUCED_VIOLATION'
  | 'FOLDER_BEING_MOVED_VIOLATION'
  | 'FOLDER_TO_DELETE_NON_EMPTY_VIOLATION';

const DESCRIPTIONS: Readonly<Record<FolderViolation, string>> = {
  ACTIVE_FOLDER_HEIGHT_VIOLATION: 'The folder operation would exceed the maximum depth of the hierarchy.',
  MAX_CHILD_FOLDERS_VIOLATION: 'The folder operation would exceed the maximum number of child folders.',
  FOLDER_NAME_UNIQUENESS_VIOLATION: 'The folder operation violates display name uniqueness within the parent.',
  RESOURCE_DELETED_VIOLATION: 'The resource has been deleted.',
  PARENT_DELETED_VIOLATION: 'The destination resource has been deleted.',
  CYCLE_INTRODUCED_VIOLATION: 'The folder operation would introduce a cycle.',
  FOLDER_BEING_MOVED_VIOLATION: 'The folder is being moved.',
  FOLDER_TO_DELETE_NON_EMPTY_VIOLATION: 'The folder is not empty: it has active child folders or projects.',
};

/** The synchronous refusal. */
export function folderViolation(type: FolderViolation, subject: string): ApiError {
  return precondition([preconditionFailure(type, subject, DESCRIPTIONS[type])]);
}

/** The same rule, found while the operation runs. */
export function folderOperationError(type: FolderViolation, subject: string, message: string): RpcStatus {
  return { code: 9, message, details: [preconditionFailure(type, subject, DESCRIPTIONS[type])] };
}

/** Project deletion is refused while a lien stands. */
export function lienFailure(lien: { readonly name: string; readonly origin: string }): JsonObject {
  return preconditionFailure(
    'LIEN',
    lien.name,
    `A lien to prevent deletion was placed on the project by [${lien.origin}]. Remove the lien to allow deletion.`,
  );
}
