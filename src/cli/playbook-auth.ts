import type { JsonObject } from '../core/json.ts';
import type { AuthSpec, EndpointSpec } from '../core/step.ts';

/** An auth as a playbook may spell it; a name in it leads to the caller's own credential, whatever its type. */
export function authText(auth: AuthSpec | null): JsonObject {
  const name = auth?.credential ?? null;
  if (auth?.type === 'yc_profile') return { type: auth.type, ...(name === null ? {} : { credential: name }) };
  const tokenEnv = auth?.tokenEnv ?? null;
  const scopes = auth?.scopes ?? [];
  return {
    type: tokenEnv === null ? 'gcp_adc' : 'bearer',
    ...(name === null ? {} : { credential: name }),
    ...(tokenEnv === null && scopes.length > 0 ? { scopes: [...scopes] } : {}),
    ...(tokenEnv === null ? {} : { token_env: tokenEnv }),
  };
}

export function endpointText(endpoint: EndpointSpec): JsonObject {
  return Object.fromEntries(Object.entries(endpoint).filter(([, url]) => url !== null));
}
