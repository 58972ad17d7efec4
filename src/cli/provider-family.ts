import type { Diagnostic } from '../core/diagnostics.ts';
import type { Declaration, InputProblem } from '../core/resource.ts';
import type { InventoryProvider, OpenedProvider, ProviderRequest } from '../providers/lifecycle-provider.ts';
import type { Place } from './place.ts';
import type { Project, WorkflowCall } from './workflow-types.ts';

export type OpenedInventory =
  | { readonly kind: 'open'; readonly provider: InventoryProvider }
  | { readonly kind: 'unusable'; readonly why: Diagnostic; readonly isStated?: boolean };

/** The ways into one provider's cloud; nothing is opened, read or loaded before it is used. */
export interface ProviderFamily {
  open(request: ProviderRequest): Promise<OpenedProvider>;
  /** One that has no way to write, opened on a scope. */
  openReader(scopeId: string, request: ProviderRequest): Promise<OpenedInventory>;
  /** What is wrong with the caller's files that a step would send. Left out: no step sends one. */
  checkFiles?(declaration: Declaration): Promise<readonly InputProblem[]>;
  close(): Promise<void>;
}

/** What a family of providers is made for. */
export interface FamilyContext {
  readonly call: WorkflowCall;
  readonly place: Place;
  /** What the run is about; null for verbs without a playbook, and for several. */
  readonly project: Pick<Project, 'playbook' | 'source'> | null;
  /** Further playbooks that are read, with what lies beside them; left out: none. */
  readonly further?: readonly Pick<Project, 'config' | 'source'>[];
  readonly offline: boolean;
  readonly emulator: boolean;
  /** Whether the run may change something: only then an emulator keeps what it makes. */
  readonly mayWrite: boolean;
  /** Nothing gets out that could write. */
  readonly readOnly: boolean;
  readonly signal: AbortSignal;
}
