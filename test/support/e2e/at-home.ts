import { join } from 'node:path';
import { ROOT } from '../cli-process.ts';

/** An environment in which opening a socket or looking for a credential ends the process with 99. */
export const AT_HOME: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--require ${join(ROOT, 'test/support/e2e/no-network.cjs')}`,
  GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/no-such-credential.json',
};
