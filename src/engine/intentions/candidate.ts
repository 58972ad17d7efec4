import type { Owned } from '../../core/fold.ts';
import type { PreparedStep } from '../prepare.ts';

/** An ensure step of the playbook with what the log says about its resource. */
export interface Candidate {
  readonly item: PreparedStep;
  readonly urn: string | null;
  readonly owned: Owned | null;
}
