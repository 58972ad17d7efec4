import { delimiter, isAbsolute } from 'node:path';

/** What `yc` needs: its home, a language, and the way out. No token, no key, nothing of ours. */
const PASSED = [
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a command. `YC_IAM_TOKEN` and its like are left out: whose authority is used is said by the
 * profile, and by nothing else.
 */
export function reducedEnvironment(environment: Environment): Record<string, string> {
  const reduced: Record<string, string> = { YC_CLI_INITIALIZATION_SILENCE: 'true', PATH: absolutePath(environment) };
  for (const name of PASSED) {
    const value = environment[name];
    if (value !== undefined) reduced[name] = value;
  }
  return reduced;
}

/** What stands in PATH relative to a folder leads to whatever is in that folder. */
function absolutePath({ PATH }: Environment): string {
  return (PATH ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
}
