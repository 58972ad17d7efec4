import { afterGivenNames } from './given-names.ts';
import { intendAdopt } from './intentions/adopt.ts';
import { intendDestroy } from './intentions/destroy.ts';
import { blockUntold, learnForSteps } from './learn-for-steps.ts';
import type { LogView } from './plan-context.ts';
import { providerOpener } from './plan-run.ts';
import type { EnginePorts } from './ports.ts';
import type { Prepared } from './prepare.ts';
import { type SettledBefore, settleBefore } from './settle-before.ts';

/** The steps of a verb, with what the cloud tells where the log does not: of names, and of interrupted requests. */
export async function intendKnowing(
  ports: EnginePorts,
  base: Prepared,
  log: LogView,
): Promise<{ readonly prepared: Prepared; readonly known: SettledBefore }> {
  const open = providerOpener(ports, base);
  const learned = await learnForSteps(ports, base, log.model, open);
  const known =
    base.verb === 'destroy'
      ? await settleBefore(ports, base, { ...log, model: learned.model }, open)
      : { model: learned.model, settledBefore: new Map() };
  const intended = blockUntold(intend(ports, base, known), { ...learned, model: known.model });
  return { prepared: afterGivenNames(intended, known.model), known };
}

/** Turns a prepared playbook and the log into the steps of a verb; one planner and one applier take it from there. */
function intend(ports: EnginePorts, base: Prepared, known: SettledBefore): Prepared {
  if (base.verb === 'adopt') return intendAdopt(base);
  if (base.verb === 'destroy') return intendDestroy(ports, base, known);
  return base;
}
