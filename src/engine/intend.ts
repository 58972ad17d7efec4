import type { OwnershipModel } from '../core/fold.ts';
import { intendAdopt } from './intentions/adopt.ts';
import { intendDestroy } from './intentions/destroy.ts';
import type { EnginePorts } from './ports.ts';
import type { Prepared } from './prepare.ts';

/** Turns a prepared playbook and the log into the steps of a verb; one planner and one applier take it from there. */
export function intend(ports: EnginePorts, base: Prepared, model: OwnershipModel): Prepared {
  if (base.verb === 'adopt') return intendAdopt(base);
  if (base.verb === 'destroy') return intendDestroy(ports, base, model);
  return base;
}
