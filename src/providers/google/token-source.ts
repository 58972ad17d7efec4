import type { Diagnostic } from '../../core/diagnostics.ts';

export type TokenResult =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'failed'; readonly why: Diagnostic };

/** Where access tokens come from. It never throws, and no diagnostic of it holds a token. */
export interface TokenSource {
  /** `cloud`: a real credential, for Google's API hosts only. `anywhere`: a token that the caller meant for an endpoint. */
  readonly reach: 'cloud' | 'anywhere';
  /** In words, for `doctor`: `bearer token`, `application default credentials (authorized_user)`. Nothing secret. */
  readonly description: string;
  /** The current token, taken anew shortly before it expires. */
  token(): Promise<TokenResult>;
  /** A token other than the refused one; concurrent callers share one refresh. Fails where there is no other. */
  refresh(refused: string): Promise<TokenResult>;
  /** Every token handed out so far: to be scrubbed from texts. */
  issued(): readonly string[];
}
