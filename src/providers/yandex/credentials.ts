import { type Code, diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { AuthSpec } from '../../core/step.ts';

/** A credential of the caller's own configuration, as far as it matters here. */
export interface ProfileCredential {
  readonly type: string;
  readonly profile?: string | undefined;
}

export type ResolvedProfile =
  | { readonly kind: 'ok'; readonly profile: string }
  | { readonly kind: 'unusable'; readonly why: Diagnostic };

const DEFAULT_PROFILE = 'default';
const PROFILE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

function unusable(code: Code, detail: string, hint: string | null = null): ResolvedProfile {
  return { kind: 'unusable', why: diagnostic(code, detail, { hint, retryable: false }) };
}

/** The profile whose authority a step uses: the caller's configuration alone names one. */
export function resolveProfile(
  auth: AuthSpec | null,
  credentials: Readonly<Record<string, ProfileCredential>>,
): ResolvedProfile {
  if (auth === null)
    return unusable(
      'AUTH_REQUIRED',
      'The step has no auth block, and there is no ambient fallback: add auth to the step or to defaults.',
      'auth: { type: yc_profile }',
    );
  if (auth.type !== 'yc_profile')
    return unusable('AUTH_REQUIRED', `Yandex Cloud is reached with auth of type yc_profile, not ${auth.type}.`);
  if (auth.credential === null) return { kind: 'ok', profile: DEFAULT_PROFILE };
  const known = Object.keys(credentials);
  const credential = Object.hasOwn(credentials, auth.credential) ? credentials[auth.credential] : undefined;
  if (credential === undefined) {
    if (known.length === 0) return { kind: 'ok', profile: DEFAULT_PROFILE };
    const detail = `The credential ${auth.credential} is not among the configured ones: ${known.join(', ')}.`;
    return unusable('UNKNOWN_CREDENTIAL', detail);
  }
  if (credential.type !== 'yc_profile')
    return unusable(
      'UNKNOWN_CREDENTIAL',
      `The credential ${auth.credential} is of type ${credential.type}, not yc_profile.`,
    );
  const profile = credential.profile ?? DEFAULT_PROFILE;
  return PROFILE.test(profile)
    ? { kind: 'ok', profile }
    : unusable('UNKNOWN_CREDENTIAL', `The profile of the credential ${auth.credential} is no name of a profile.`);
}
