import type { Diagnostic } from '../core/diagnostics.ts';
import type { AuthSpec, EndpointSpec } from '../core/step.ts';
import type { CloudProvider } from '../providers/lifecycle-provider.ts';

type OpenedReader =
  | { readonly kind: 'open'; readonly provider: CloudProvider }
  | { readonly kind: 'unusable'; readonly why: Diagnostic };

/** Opens providers that have no way to write. */
export interface ReaderPool {
  open(request: {
    readonly provider: string;
    readonly auth: AuthSpec | null;
    readonly endpoint: EndpointSpec | null;
  }): Promise<OpenedReader>;
}

/** Who looks at a cloud. */
export interface Looking {
  readonly readers: ReaderPool;
  /** Whose authority a stack's resources are read with. */
  authOf(stack: string): { readonly auth: AuthSpec | null; readonly endpoint: EndpointSpec | null };
}
