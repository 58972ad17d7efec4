import * as z from 'zod/mini';
import type { Json } from '../core/json.ts';
import { isJsonObject } from '../core/json.ts';
import { didYouMean } from '../core/nearest.ts';
import type { AuthSpec } from '../core/step.ts';
import type { Findings } from './findings.ts';
import { checkShape } from './shape.ts';
import type { TreeNode } from './tree.ts';

const TYPES = ['gcp_adc', 'bearer', 'yc_profile'];
const KEYS = ['type', 'credential', 'scopes', 'token', 'token_env'];
/** Say whose authority is used; a playbook may be a stranger's. */
const CALLERS_KEYS = ['impersonate', 'quota_project', 'key_file', 'token_file', 'profile'];
/** Variables that infra itself reads: their values are not tokens to be sent somewhere. */
const OWN_VARIABLES = new Set([
  'INFRA_EVENTLOG',
  'INFRA_EVENTLOG_TOKEN',
  'INFRA_YC',
  'INFRA_ALLOW_ENDPOINT',
  'INFRA_CONFIG',
  'INFRA_CONFIG_HOME',
  'INFRA_ACTOR',
]);
const TOKEN_VARIABLE = /^(INFRA_[A-Z0-9_]{1,200}|GOOGLE_OAUTH_ACCESS_TOKEN)$/;

const text = z.string().check(z.minLength(1));
const schema = z.strictObject({
  type: z.string(),
  credential: z.optional(text),
  scopes: z.optional(z.array(text)),
  token: z.optional(text),
  token_env: z.optional(text),
});

/** Reads a step's auth from its rendered value; the node gives the places. */
export function readAuth(value: Json, node: TreeNode, findings: Findings): AuthSpec | null {
  if (!isJsonObject(value)) {
    findings.add('INVALID_VALUE', 'auth must be a mapping.', node, {
      hint: 'auth: { type: gcp_adc, credential: <name> }',
    });
    return null;
  }
  if (refuseCallersKeys(value, node, findings)) return null;
  if (value['type'] === undefined) {
    findings.add('MISSING_KEY', 'auth lacks the key "type".', node, { hint: `types: ${TYPES.join(', ')}` });
    return null;
  }
  const auth = checkShape(schema, value, node, KEYS, 'auth', findings);
  if (auth === null) return null;
  const spec: AuthSpec = {
    type: auth.type,
    credential: auth.credential ?? null,
    scopes: auth.scopes ?? [],
    token: auth.token ?? null,
    tokenEnv: auth.token_env ?? null,
  };
  return checkAuth(spec, node, findings) ? spec : null;
}

function refuseCallersKeys(value: Readonly<Record<string, Json>>, node: TreeNode, findings: Findings): boolean {
  const found = CALLERS_KEYS.filter((key) => Object.hasOwn(value, key));
  for (const key of found) {
    const place = node.kind === 'map' ? (node.entries.get(key) ?? node) : node;
    const detail = `auth.${key} says whose authority is used, which a playbook can't.`;
    findings.add('INVALID_VALUE', detail, place, {
      hint: 'put it under credentials.<name> in your own config.yaml and name that with `credential: <name>`',
    });
  }
  return found.length > 0;
}

function checkAuth(auth: AuthSpec, node: TreeNode, findings: Findings): boolean {
  const refuse = (detail: string, hint: string | null = null): false => {
    findings.add('INVALID_VALUE', detail, node, { hint });
    return false;
  };
  if (!TYPES.includes(auth.type)) {
    return refuse(
      `There is no auth type "${auth.type}" in a playbook.`,
      didYouMean(auth.type, TYPES) ??
        `types: ${TYPES.join(', ')}; others come from your own config.yaml under a credential's name`,
    );
  }
  if (auth.type !== 'bearer') {
    const tokens = auth.token !== null || auth.tokenEnv !== null;
    return !tokens || refuse(`token and token_env belong to the type bearer, not to ${auth.type}.`);
  }
  if ((auth.token === null) === (auth.tokenEnv === null))
    return refuse('A bearer has either a token_env or a token.', 'token_env: INFRA_<NAME>');
  if (auth.tokenEnv !== null && (!TOKEN_VARIABLE.test(auth.tokenEnv) || OWN_VARIABLES.has(auth.tokenEnv))) {
    return refuse(
      'token_env does not name a variable that a playbook may take a token from.',
      'use INFRA_<NAME>, which infra itself does not read, or GOOGLE_OAUTH_ACCESS_TOKEN',
    );
  }
  if (auth.token !== null)
    findings.add('INLINE_TOKEN', 'A bearer token stands in the playbook.', node, {
      hint: 'use token_env: INFRA_<NAME>',
    });
  return true;
}
