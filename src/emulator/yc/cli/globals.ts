import type { FlagTypes } from './flags.ts';

/** Those that every version knows; the newer ones are unknown here, so that nobody comes to depend on them. */
export const GLOBAL_FLAGS: FlagTypes = {
  profile: 'string',
  'folder-id': 'string',
  'folder-name': 'string',
  'cloud-id': 'string',
  format: 'string',
  jq: 'missing',
  token: 'string',
  'impersonate-service-account-id': 'string',
  endpoint: 'string',
  retry: 'int',
  'no-browser': 'bool',
  debug: 'bool',
  'debug-grpc': 'bool',
  'no-user-output': 'bool',
  help: 'bool',
};

export const ROOT_FLAGS: FlagTypes = { ...GLOBAL_FLAGS, version: 'bool' };
