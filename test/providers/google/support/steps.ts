import type { Declaration, FormatStrictness } from '../../../../src/core/resource.ts';
import type { GuardSpec, Step } from '../../../../src/core/step.ts';
import { DEFAULT_POLL, NO_GUARD } from '../../../../src/core/step.ts';
import type { ValueObject } from '../../../../src/core/value.ts';
import { googleCatalogue } from '../../../../src/providers/google/catalogue.ts';

let written = 0;

/** A step as the playbook loader gives it; the full action name may leave `google.` out. */
export function stepOf(address: string, action: string, input: ValueObject, more: Partial<Step> = {}): Step {
  written += 1;
  const source = { file: 'p.yaml', line: written, column: 1 };
  const positions = new Map(
    Object.keys(input).map((key, index) => [`input.${key}`, { file: 'p.yaml', line: written, column: 10 + index }]),
  );
  return {
    address,
    name: address,
    index: written,
    desc: null,
    source,
    positions,
    skip: null,
    provider: 'google',
    action: `google.${action}`,
    input,
    stack: null,
    reconcile: null,
    dryRun: null,
    auth: null,
    guard: null,
    endpoint: null,
    poll: DEFAULT_POLL,
    timeoutMs: null,
    protect: null,
    confirm: null,
    knownDesired: null,
    dependsOn: [],
    settings: null,
    identity: null,
    logicalId: null,
    resourceId: null,
    ...more,
  };
}

export function guardOf(more: Partial<GuardSpec>): GuardSpec {
  return { ...NO_GUARD, ...more };
}

export function linked(steps: readonly Step[], strictness: FormatStrictness = 'error') {
  return googleCatalogue.link(
    steps,
    () => strictness,
    ({ stack }) => stack,
  );
}

/** The declaration of a step that links without a problem. */
export function declared(step: Step, others: readonly Step[] = []): Declaration {
  const { declarations, diagnostics } = linked([...others, step]);
  const declaration = declarations.get(step.address);
  if (diagnostics.length > 0 || declaration === undefined)
    throw new Error(`does not link: ${JSON.stringify(diagnostics)}`);
  return declaration;
}
