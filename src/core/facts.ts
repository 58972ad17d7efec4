import type { Json } from './json.ts';

export const UNSCOPED = '<unscoped>';

export type FactVerb = 'ensure' | 'delete' | 'adopt';
export type FactOutcome = 'planned' | 'changed' | 'noop' | 'deleted' | 'absent' | 'adopted';
export type Origin = 'created' | 'adopted' | 'found';

/** A 64-bit integer: a number while it is safe, its decimal text beyond 2^53. */
export type ExecutionId = number | string;

/**
 * One recorded outcome, in the shape of NoETL's provider tool; the keys after `outcome` are ours and ignored by strict
 * readers of that shape. Keys are snake_case because this is the wire format.
 */
export interface ProviderFact {
  readonly urn: string;
  readonly provider: string;
  readonly service: string;
  readonly resource_type: string;
  readonly verb: FactVerb;
  /** `<unscoped>` when the step sets none. */
  readonly stack: string;
  readonly desired: Json;
  readonly execution_id: ExecutionId;
  readonly outcome: FactOutcome;
  readonly resource_id?: string;
  readonly origin?: Origin;
  readonly protect?: boolean;
  /** The address of the step. */
  readonly step?: string;
  /** The digest it was confirmed under. */
  readonly digest?: string;
  /** The name of the caller's credential. */
  readonly credential?: string;
  readonly forgotten?: boolean;
  readonly renamed_to?: string;
  readonly renamed_from?: string;
}
