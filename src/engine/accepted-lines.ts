import type { SourcePosition } from '../core/diagnostics.ts';
import type { Json } from '../core/json.ts';
import type { PlanStep } from '../core/plan.ts';
import type { Playbook, Step } from '../core/step.ts';
import type { EnginePorts } from './ports.ts';

/** A line of the playbook that says something else than what an adoption accepts. */
export interface AcceptedLine {
  readonly address: string;
  readonly field: string;
  readonly source: SourcePosition;
  readonly declared: Json;
  readonly accepted: Json;
}

/**
 * Where the playbook differs from what is accepted of the given steps: to be mended, else the next apply undoes it. The
 * marks of a provider are no such lines: that the next apply makes them is what they are for.
 */
export function acceptedLines(
  playbook: Playbook,
  adopted: readonly PlanStep[],
  catalogues: EnginePorts['catalogues'],
): readonly AcceptedLine[] {
  const steps = new Map(playbook.steps.map((step) => [step.address, step]));
  return adopted.flatMap(({ address, provider, diff, source }) => {
    const marks = catalogues.get(provider)?.marks ?? [];
    const said = Object.entries(diff).filter(([field]) => !marks.includes(field));
    return said.map(([field, { desired, actual }]) => {
      const step = steps.get(address);
      const place = step === undefined ? source : placeOf(step, field);
      return { address, field, source: place, declared: desired, accepted: actual };
    });
  });
}

/** An input may be spelt in another way than its field. */
function placeOf({ positions, source }: Step, field: string): SourcePosition {
  const spelt = [...positions.keys()].find((path) => path.startsWith('input.') && isSpelling(path.slice(6), field));
  return positions.get(spelt ?? 'input') ?? source;
}

function isSpelling(input: string, field: string): boolean {
  return input.replaceAll('_', '').toLowerCase() === field.replaceAll('_', '').toLowerCase();
}
