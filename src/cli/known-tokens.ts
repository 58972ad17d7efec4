import type { CallerConfig } from '../playbook/caller-config.ts';
import type { TokenOf } from '../playbook/inline-tokens.ts';
import { tokenInFile } from './compose-google.ts';
import { isSet } from './options.ts';
import type { WorkflowCall } from './workflow-types.ts';

/** Variables that a playbook may name as those of its token. */
const OF_PLAYBOOKS = /^(?:INFRA_[A-Z0-9_]+|GOOGLE_OAUTH_ACCESS_TOKEN)$/;

/**
 * The bearer tokens that the caller keeps in variables and files: where one stands in an input, it would be sent and
 * recorded. A stranger's playbook sees none of them, not even by what it is refused for.
 */
export async function knownTokens(
  { host, invocation }: WorkflowCall,
  credentials: CallerConfig['credentials'],
): Promise<TokenOf> {
  if (isSet(invocation.options, 'untrusted')) return () => null;
  const own = new Map<string, string | null>();
  for (const [name, { token_env: variable, token_file: file }] of Object.entries(credentials)) {
    if (file !== undefined) own.set(name, await tokenInFile(file));
    else if (variable !== undefined) own.set(name, host.env[variable] ?? null);
  }
  return ({ credential, tokenEnv }) => {
    const named = credential === null ? undefined : own.get(credential);
    if (named !== undefined) return named;
    return tokenEnv !== null && OF_PLAYBOOKS.test(tokenEnv) ? (host.env[tokenEnv] ?? null) : null;
  };
}
