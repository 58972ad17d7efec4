import type { Code } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ChangeContext, FieldRule, Observation, ResourceTraits, WriteChange } from '../../core/resource.ts';
import type { ResultShape } from '../../core/result-shape.ts';
import type { StepKind } from '../../core/step.ts';
import type { Value, ValueObject } from '../../core/value.ts';
import type { Target, WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import type { ApiCall, ApiFailure, GoogleService } from './client.ts';
import type { InputField, LinkProblem } from './inputs.ts';
import type { Answer, Reads } from './reads.ts';

/** A request as a type words it; the provider sends it, the catalogue shows it. */
export interface ApiRequest {
  readonly service: GoogleService;
  readonly method: ApiCall['method'];
  /** Below the version segment, segments encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** What a digest holds where that is not the request itself: no etag, nothing of other people's. */
  readonly logical?: Json;
}

/** What an action's inputs declare. */
export interface Declared {
  readonly desired: ValueObject;
  readonly options: ValueObject;
}

/** One verb of a resource type. */
export interface ActionDefinition {
  /** Below `google.`: `cloudresourcemanager.projects.ensure`. */
  readonly name: string;
  readonly kind: StepKind;
  readonly converge: string;
  /** What its result holds under `resource`. */
  readonly result: ResultShape;
  readonly input: readonly InputField[];
  /** A list input that stands for several steps, each with one of its elements under another key. */
  readonly expand?: { readonly list: string; readonly single: string };
  /** What only several inputs together show. */
  readonly check?: (values: ValueObject) => readonly LinkProblem[];
  readonly declare: (values: ValueObject) => Declared;
  /** The request of a read. */
  readonly request?: (desired: ValueObject) => ApiRequest;
  /** What a read gives, all pages of it. */
  readonly read?: (desired: ValueObject, reads: Reads) => Promise<Answer<JsonObject>>;
}

export interface Permissions {
  /** On the parent (projects, folders), the project (links, services) or the resource itself (grants). */
  readonly create: readonly string[];
  readonly update: readonly string[];
  readonly delete: readonly string[];
  readonly read: readonly string[];
}

/** A fact of someone else's, in our keys; null where its URN is not one of the type's. */
export type Foreign = { readonly urn: string; readonly desired: JsonObject } | null;

/** One resource type: a declaration plus pure functions; the provider interprets it, the engine diffs. */
export interface ResourceDefinition {
  readonly type: string;
  /** As facts carry it. */
  readonly service: string;
  readonly actions: readonly ActionDefinition[];
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Where options change how fields are compared. */
  readonly fieldsFor?: (options: ValueObject) => Readonly<Record<string, FieldRule>>;
  /** Which desired value holds a reference to a folder or organisation (`parent`, `resource`). */
  readonly placeKey?: string;
  /** Null while what it is named by is not known. */
  readonly urn: (desired: ValueObject) => string | null;
  /** What its URN has before the name of a project; left out: it names none. */
  readonly beforeProject?: string;
  readonly batchKey: (desired: ValueObject) => string | null;
  /** How many of a batch key one request takes. Left out: all. */
  readonly batchLimit?: (change: WriteChange) => number;
  /** The writes of a change; the primary one last. */
  readonly requests: (context: ChangeContext) => readonly ApiRequest[];
  readonly fromForeign: (urn: string, desired: JsonObject) => Foreign;
  /** What it lies in, from a fact: URNs or the cloud's own ids. */
  readonly containers: (urn: string, desired: JsonObject) => readonly string[];
  /** The input of the delete action that removes what `desired` describes. */
  readonly removal: (desired: JsonObject) => { readonly action: string; readonly input: JsonObject };
  readonly permissions: Permissions;
  /** Where it is not as most: unprotected, with nothing in it that its deletion would take along. */
  readonly traits?: ResourceTraits;
  /** Deleted things can be had back for this long. */
  readonly retention?: { readonly days: number; readonly undelete: boolean };
  readonly observe: (target: Target, reads: Reads) => Promise<Observation>;
  /** What a refusal of a write comes to, where a read tells more than the answer; null: the answer stands. */
  readonly onRefused?: (refusal: Refusal) => Promise<WriteResult | null>;
  /** Refusals that pass by themselves where this run made or deleted what the request depends on. */
  readonly passesWhenFresh?: readonly Code[];
  /** What is wrong with the resource that a write answered; null: it is ours. */
  readonly answerProblem?: (operation: WriteOperation, resource: JsonObject) => string | null;
  readonly answerWarnings?: (operation: WriteOperation, resource: JsonObject) => readonly Diagnostic[];
}

/** A refused write, and the means to look at what it met. */
export interface Refusal {
  readonly operation: WriteOperation;
  /** The one that was refused; null: an operation that an earlier run has left. */
  readonly request: ApiRequest | null;
  readonly failure: ApiFailure;
  /** Opens reads that see the world as it is now. */
  readonly reads: () => Reads;
  /** Waits that many milliseconds; ends at once when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** Actions that only read, of a type that is not written. */
export interface ReadDefinition {
  readonly type: string;
  readonly service: string;
  readonly actions: readonly ActionDefinition[];
}

export function defineResource(definition: ResourceDefinition): ResourceDefinition {
  return definition;
}

export function defineReads(definition: ReadDefinition): ReadDefinition {
  return definition;
}

/** One path segment; text that stands for something unknown is only ever shown and stays readable. */
export function segment(value: Value | undefined): string {
  const text = typeof value === 'string' ? value : String(value);
  return text.startsWith('(known after apply') || text.startsWith('<')
    ? text
    : encodeURIComponent(text).replaceAll('%3A', ':');
}

/** A name with its collection, such as `folders/12`: the slash stays. */
export function nameSegments(value: Value | undefined): string {
  const text = typeof value === 'string' ? value : String(value);
  return text.startsWith('(known after apply') ? text : text.split('/').map(segment).join('/');
}
