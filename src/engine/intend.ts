import type { OwnershipModel } from '../core/fold.ts';
import { afterGivenNames } from './given-names.ts';
import { intendAdopt } from './intentions/adopt.ts';
import { intendDestroy } from './intentions/destroy.ts';
import { blockUntold, learnForSteps } from './learn-for-steps.ts';
import { providerOpener } from './plan-run.ts';
import type { EnginePorts } from './ports.ts';
import type { Prepared } from './prepare.ts';

/** The steps of a verb, with what the cloud tells of their names where the log does not. */
export async function intendKnowing(
  ports: EnginePorts,
  base: Prepared,
  model: OwnershipModel,
): Promise<{ readonly prepared: Prepared; readonly model: OwnershipModel }> {
  const learned = await learnForSteps(ports, base, model, providerOpener(ports, base));
  const intended = blockUntold(intend(ports, base, learned.model), learned);
  return { prepared: afterGivenNames(intended, learned.model), model: learned.model };
}

/** Turns a prepared playbook and the log into the steps of a verb; one planner and one applier take it from there. */
function intend(ports: EnginePorts, base: Prepared, model: OwnershipModel): Prepared {
  if (base.verb === 'adopt') return intendAdopt(base);
  if (base.verb === 'destroy') return intendDestroy(ports, base, model);
  return base;
}
