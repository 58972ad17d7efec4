import type { Diagnostic } from './diagnostics.ts';
import type { Json, JsonObject } from './json.ts';

/** Of a resource whose vendor says no state. */
export const UNKNOWN_STATUS = 'UNKNOWN';

/** Names one resource of one scope of one provider. */
export interface ResourceReference {
  readonly provider_id: string;
  readonly scope_id: string;
  readonly kind: string;
  readonly id: string;
}

/** A resource as every provider describes it, in the contract's own keys: nothing of a vendor's JSON, nothing secret. */
export interface ProviderResource extends ResourceReference {
  readonly name: string;
  /** The vendor's word, or `UNKNOWN`. */
  readonly status: string;
  readonly zone_id: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly public_addresses: readonly string[];
}

/** All resources of a scope: kinds in the provider's order, sorted by id within a kind. */
export interface Inventory {
  readonly provider: string;
  readonly scope: string;
  readonly resources: readonly ProviderResource[];
}

/** Complete, or an error: there is no partial discovery. */
export type Discovery<T> =
  | { readonly kind: 'complete'; readonly found: T }
  | { readonly kind: 'failed'; readonly why: Diagnostic };

/** What a draft of a scope is made for. */
export interface DraftRequest {
  /** Who is to own it all; null: nobody said. */
  readonly stack: string | null;
  /** What the project's configuration has as `identity`; null: nothing. */
  readonly identity: Json;
  /** Patterns of members whose grants are left out; null: the provider's own list. */
  readonly leaveOut: readonly string[] | null;
  /** Whether the steps go to an endpoint, for which the cloud's own rules of names are no errors. */
  readonly isElsewhere: boolean;
}

/** What another draft makes, and how a playbook names it: by the name in that step's result, or by the step itself. */
export interface DraftLink {
  /** The other draft's key. */
  readonly key: string;
  readonly by: 'result' | 'step';
}

/** One step that would declare what is live, in the provider's words; whoever writes the playbook names it. */
export interface StepDraft {
  /** What another draft refers to it by; unique. */
  readonly key: string;
  /** Names for the step, the shortest first; the longer ones tell apart what the shorter ones don't. */
  readonly names: readonly string[];
  readonly action: string;
  /** Keys of its tool beside provider, action and input. */
  readonly tool: JsonObject;
  readonly input: JsonObject;
  /** Inputs that name what another draft makes. Where it is no draft, `input` has the name. */
  readonly within: Readonly<Record<string, DraftLink>>;
  /** What it belongs to; drafts of one section follow one another. */
  readonly section: string;
  /** What its playbook leaves to the cloud, each as a sentence. */
  readonly notes: readonly string[];
}

/** What is live and stands in no step: why, and which. */
export interface LeftOut {
  readonly why: string;
  readonly what: readonly string[];
}

/** A scope as the steps that would declare it. */
export interface DraftedScope {
  readonly provider: string;
  readonly scope: string;
  /** The stack that the steps are of; null: left to the caller of the playbook. */
  readonly stack: string | null;
  /** Keys of the playbook's defaults that the steps count on, beside stack and auth. */
  readonly defaults: JsonObject;
  /** What whoever reads the playbook is to know of it as a whole, as lines. */
  readonly remarks: readonly string[];
  /** How many resources do not say yet whose they are: an enforced plan writes that on them before anything else. */
  readonly unmarked: number;
  readonly steps: readonly StepDraft[];
  readonly leftOut: readonly LeftOut[];
}

/** Sorts by id as code units do, so that the order is the same on every machine. */
export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
