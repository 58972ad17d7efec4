import type { Code } from './codes.ts';
import type { Diagnostic } from './diagnostics.ts';
import type { Json, JsonObject } from './json.ts';
import type { ResultShape } from './result-shape.ts';
import type { GuardSpec, Step, StepKind } from './step.ts';
import type { ValueObject } from './value.ts';

/** One action of a provider, offline facts only. */
export interface ActionSpec {
  /** Full form, such as `google.cloudresourcemanager.projects.ensure`. */
  readonly name: string;
  readonly provider: string;
  readonly kind: StepKind;
  /** Service and type as facts carry them: `cloudresourcemanager`/`project`, `iam`/`binding`; reads have the type read. */
  readonly service: string;
  readonly resourceType: string;
  /** The strategy apply runs: `ensure_folder`, `ensure_iam_binding`, `destroy`, `single`, ... */
  readonly converge: string;
  /** Every spelling that `input` accepts. */
  readonly inputKeys: readonly string[];
}

/** What is wrong with an input: the path inside `input`, a code, what and what to do. */
export interface InputProblem {
  readonly path: readonly (string | number)[];
  readonly code: Code;
  readonly detail: string;
  readonly hint?: string;
}

/**
 * How a field of a resource behaves: `identity` is never compared; `mutable` differs by an update, `movable` by a move;
 * `merged` is a map of which only the desired keys are compared; `fixed` can't be changed in place; `growing` is a number
 * that an update can raise and nothing can lower.
 */
export type FieldRule = 'identity' | 'mutable' | 'movable' | 'merged' | 'fixed' | 'growing';

/** What one step declares, in its resource type's own words. */
export interface Declaration {
  readonly address: string;
  readonly action: ActionSpec;
  /** Null for reads, and where a folder's id has to be looked up first (`urnOf`). */
  readonly urn: string | null;
  /** Managed fields, snake_case, normalised; unknown values where another step decides. */
  readonly desired: ValueObject;
  /** What steers the change but is no field of the resource: `was`, `undelete`, `labels_authoritative`. */
  readonly options: ValueObject;
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** What keeps a field from being changed in place, as the end of a sentence that begins with the field. Left out: its nature. */
  readonly hindrances?: Readonly<Record<string, string>>;
  /** Addresses that the provider found this step to need, beside those of the step itself. */
  readonly dependsOn: readonly string[];
  /** Those of them whose resource must exist for this one to exist (its project, its parent folder); the rest is order. */
  readonly needs: readonly string[];
  /** Addresses that this step only comes after: it waits until they have ended, however they end. Left out: none. */
  readonly after?: readonly string[];
  /** Those of `after` that are known by their kind to be able to use this resource: whether they do, a look tells. */
  readonly mayUse?: readonly string[];
  /** The resource that everything of one run must be serialised by when written (`iam:organizations/1`); null: none. */
  readonly batchKey: string | null;
}

/** What a read of one resource saw. */
export type Observation =
  | {
      readonly kind: 'present';
      /** The cloud's own id: `folders/123`, `projects/123456`; null where the resource has none (a binding). */
      readonly id: string | null;
      /** Normalised into desired's key space, managed or not. */
      readonly actual: JsonObject;
      /** Of the resource itself; null for bindings, links and services. */
      readonly etag: string | null;
      /** Lifecycle state as the cloud says it: ACTIVE, DELETE_REQUESTED, ENABLED, bound, ... */
      readonly state: string | null;
      /** ISO time after which a DELETE_REQUESTED resource is gone. */
      readonly purgeTime: string | null;
      /** The cloud's own JSON: what `steps.<step>.resource` gives to others. */
      readonly resource: Json;
      readonly warnings: readonly Diagnostic[];
      /** What stands in the way: of a delete (folder contents, liens, dependants), of a change (a name that is taken). Errors block. */
      readonly blockers: readonly Diagnostic[];
      /** Found by a name alone, which may have come to another resource since: only the id tells. Left out: by more. */
      readonly byName?: boolean;
      /** The field that is to change first, where the usual order would meet something on its way. Left out: the usual one. */
      readonly first?: string;
    }
  /** `warnings`: what is to be known before it is made. */
  | { readonly kind: 'absent'; readonly warnings?: readonly Diagnostic[] }
  /** A 403 that may also mean "does not exist". */
  | { readonly kind: 'not_visible'; readonly why: Diagnostic }
  /**
   * `takenBy`: the URN of what has the name that this is to be made with, and but for which it is absent; null where
   * that has no URN of ours.
   */
  | { readonly kind: 'unreadable'; readonly why: Diagnostic; readonly takenBy?: string | null };

export type PresentObservation = Extract<Observation, { kind: 'present' }>;

export type WriteChange = 'create' | 'update' | 'move' | 'undelete' | 'delete';

/** A request as a person reviews it: where it would go and with which body; unknown values as text. */
export interface WouldCall {
  readonly method: string;
  readonly url: string;
  readonly body: Json;
}

/** One write that a change needs: the logical form enters digests, the call is shown. */
export interface PlannedRequest {
  readonly logical: Json;
  readonly call: WouldCall | { readonly argv: readonly string[] };
}

/** A request whose outcome nobody saw, as the log has it. */
export interface Interrupted {
  readonly change: WriteChange;
  readonly nonce: string;
  /** Of what was to be changed or deleted; null where it is not known. */
  readonly resourceId: string | null;
  /** The cloud's own operation, where an answer named one. */
  readonly operation: string | null;
}

/** What a change to one resource is computed from. */
export interface ChangeContext {
  readonly declaration: Declaration;
  /** The declaration's desired with what is known by now. */
  readonly desired: ValueObject;
  readonly change: WriteChange;
  /** Null when nothing was read or nothing is there. */
  readonly observation: PresentObservation | null;
}

export interface LinkResult {
  readonly declarations: ReadonlyMap<string, Declaration>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a step's real calls would go; formats are checked harder for the real cloud. */
export type FormatStrictness = 'error' | 'warning';

export interface ResourceTraits {
  /** Counts as protected as long as no fact says otherwise. */
  readonly protectedByDefault: boolean;
  /** Its deletion takes along what lies in it. */
  readonly takesContents: boolean;
  /** What needs one lies in it: where it is protected, that stays as well. */
  readonly isContainer: boolean;
  /** It ends with what it lies in. */
  readonly endsWithContainer: boolean;
}

/** A URN with a name in it for which there may be another one: a number for an id, or an id for a number. */
export interface NamedWithin {
  /** What stands before the name and behind it in all that it may be another way to write. */
  readonly before: string;
  readonly after: string;
  readonly isNumber: boolean;
  /** What the name is of: a look at it tells its number and its id. */
  readonly declaration: Declaration;
}

/** What a fact or a declaration says of where a resource lies. */
export interface Placed {
  readonly resourceType: string;
  readonly urn: string;
  readonly lastDesired: Json;
}

/** A foreign fact's URN and desired in our words; `dropped`: its keys that mean nothing here. */
export interface MappedForeign {
  readonly urn: string;
  readonly desired: Json;
  readonly dropped?: readonly string[];
}

/** The pure, offline half of a provider: what there is, what an input means, what would be sent. */
export interface ProviderCatalogue {
  readonly provider: string;
  /** The JSON key `backend`: rest or yc. */
  readonly backend: string;
  /** Fields that say whose a resource is: the provider makes them, and no line of a playbook says them. Left out: none. */
  readonly marks?: readonly string[];
  /** Full or short form (with `service`); null: no such action. */
  findAction(action: string, service: string | null): ActionSpec | null;
  actionNames(): readonly string[];
  /** What the result of an action's step may hold under `resource`. Left out: anything. */
  resultOf?(action: ActionSpec): ResultShape;
  /** A list input that makes several steps of one (services of services.enable); null: it does not. Keys are unique. */
  expandInput(
    action: ActionSpec,
    input: ValueObject,
  ): readonly { readonly key: string; readonly input: ValueObject }[] | null;
  /**
   * Checks the inputs of all unskipped steps of this provider and ties them together: URNs, names resolved to steps,
   * order that the cloud needs. Diagnostics carry positions taken from the steps. `stackOf` is the stack that a step acts
   * for, whoever says it; null: none.
   */
  link(
    steps: readonly Step[],
    strictness: (step: Step) => FormatStrictness,
    stackOf: (step: Step) => string | null,
  ): LinkResult;
  /** The declaration's URN under what is known by now; null for reads and while it is still unknown. */
  urnOf(declaration: Declaration, desired: ValueObject): string | null;
  /** The declaration behind an owned fact (in our keys, see `fromForeign`), addressed by its URN; null: no such type. */
  declarationOf(resourceType: string, urn: string, desired: Json): Declaration | null;
  /** What a resource's own URN says of how it is reached, over what the caller says: its folder. Left out: nothing. */
  settingsOf?(declaration: Declaration): JsonObject;
  /** Commands that show what became of an interrupted request, and what to look for in them. Left out: none is known. */
  lookupOf?(declaration: Declaration, interrupted: Interrupted): string | null;
  /** The delete step that would remove what a fact owns: its action, input and whatever else its tool needs; null: no such type. */
  removalOf(
    resourceType: string,
    urn: string,
    desired: Json,
  ): { readonly action: string; readonly input: JsonObject; readonly tool?: JsonObject } | null;
  /** What a resource lies in or needs, as far as a fact about it tells: URNs, or the cloud's own ids. */
  containersOf(resourceType: string, urn: string, desired: Json): readonly string[];
  /** What only one resource at a time can be called, and where. Left out, or null: it has no such name. */
  soleName?(resource: Placed): string | null;
  /** Whether a resource may lie in another one though no name of its container says so. Left out: it can't. */
  mayLieIn?(inner: Placed, outer: Placed & { readonly resourceId: string | null }): boolean;
  /**
   * The one URN that all ways to write a resource's own come to: what stands in a project's number, in the id that this
   * number has. `urnsOf` gives the URNs by which the log knows one of the cloud's own ids. Left out: there is one way.
   */
  oneUrn?(urn: string, urnsOf: (id: string) => readonly string[]): string;
  /** What in a URN may have another name, and what is to be looked at where the log does not tell that; null: nothing. */
  namedWithin?(urn: string): NamedWithin | null;
  /** How many steps of one batch key fit into one request of a change. Left out: all of them. */
  batchLimit?(declaration: Declaration, change: WriteChange): number;
  /** How resources of a type behave when a stack is taken down. */
  traitsOf(resourceType: string): ResourceTraits;
  /** Checks values that were unknown when linked, once they are known. */
  settle(declaration: Declaration, desired: ValueObject): readonly InputProblem[];
  /** Refuses any reference to another organisation or billing account than the pinned one; before anything is sent. */
  checkGuard(guard: GuardSpec, declaration: Declaration, desired: ValueObject): readonly InputProblem[];
  /** The writes of a change, the primary one last. `step` gives the endpoint. */
  requests(context: ChangeContext, step: Step): readonly PlannedRequest[];
  /** What a read sends, in order. */
  readRequests(declaration: Declaration, desired: ValueObject, step: Step): readonly PlannedRequest[];
  /** Whether `desired` as a fact carries it is one of this provider's; maps a foreign fact's keys and URN to ours. */
  fromForeign(resourceType: string, urn: string, desired: Json): MappedForeign;
}
