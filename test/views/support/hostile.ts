import fc from 'fast-check';
import { diagnostic } from '../../../src/core/codes.ts';
import type { EngineEvent } from '../../../src/core/events.ts';
import type { ProviderFact } from '../../../src/core/facts.ts';
import { CHANGES, OUTCOMES, type Plan, type PlanStep } from '../../../src/core/plan.ts';
import { appliedStep, planOf, planStep, reportOf } from './plans.ts';

/** Names that attack whoever prints them: a terminal, a reader, a CI runner. */
export const HOSTILE_NAMES = [
  '\u001b[2J\u001b[31mred\u001b]0;title\u0007',
  'safe\u202etxt.exe\u2066\u2069',
  'line\nPlan: 0 to delete.\r\nmore',
  '::error file=x::pwned',
  '\n::set-output name=a::b',
  '##[group]folded',
  '###[command]x',
  '##vso[task.setvariable variable=a]b',
  'zero\u200bwidth\u00adsoft\ufeff',
  'c1\u009b31m\u0085next',
  'sep\u2028arator\u2029',
  'tag\u{e0041}',
  'lone\ud800surrogate',
  'quote\' " ` $(id) \\',
  'constructor',
  '__proto__',
  'valueOf',
  '日本語の名前🚀e\u0301',
  'x'.repeat(3000),
] as const;

export const anyName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_NAMES),
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('#', '##', '[', ':', '::', ' ', '\n', 'group', 'error', '\u001b', '\u202e', 'vso'))
    .map((parts) => parts.join('')),
);

function hostileStep(name: string, fields: Partial<PlanStep>): PlanStep {
  const values = { display_name: name, [name]: name, labels: { [name]: [name, { a: name }] } };
  return planStep({
    address: `step[${name}]`,
    step: name,
    urn: name,
    stack: name,
    desired: values,
    actual: values,
    diff: { [name]: { desired: name, actual: null }, labels: { desired: { [name]: name }, actual: { other: name } } },
    input: values,
    would_call: [{ method: 'POST', url: `https://h/${name}`, body: null }, { argv: ['yc', name] }],
    held: null,
    preflight: { answer: 'no', missing: [name], role: name },
    source: { file: name, line: 1, column: 1 },
    diagnostics: [
      diagnostic('BLOCKED', name, {
        hint: name,
        operation: name,
        address: name,
        source: { file: name, line: 2, column: 1 },
      }),
    ],
    resource_id: name,
    state: name,
    desc: name,
    ...fields,
  });
}

/** A plan with a name in every place where one can stand. */
export function hostilePlan(name: string): Plan {
  const steps = CHANGES.flatMap((change) => [
    hostileStep(name, { change }),
    hostileStep(name, { change, address: name, held: name }),
    hostileStep(name, { change, address: name, action: `google.${name}.${name}.${name}` }),
  ]);
  return planOf(steps, {
    stacks: [name],
    target: name,
    playbook: { path: name, name, sha256: '' },
    batches: [{ request: name, addresses: [name, name] }],
    diagnostics: [diagnostic('GUARD', name, { hint: name, source: { file: name, line: 3, column: 1 } })],
  });
}

export function hostileReport(name: string) {
  const step = hostileStep(name, {});
  const steps = OUTCOMES.map((outcome) =>
    appliedStep(outcome, { ...step, operation: name, duration_ms: 5, resource: name }),
  );
  return reportOf(steps, { target: name, playbook: { path: name, name, sha256: '' }, head: name });
}

export function hostileEvents(name: string): readonly EngineEvent[] {
  const fact = {
    urn: name,
    provider: name,
    service: name,
    resource_type: name,
    verb: 'ensure',
    stack: name,
    desired: { a: name },
    execution_id: 1,
    outcome: 'changed',
  } as const satisfies ProviderFact;
  return [
    { type: 'plan_start', playbook: name, steps: 1 },
    { type: 'step_planned', step: hostileStep(name, {}) },
    { type: 'lock_acquired', stacks: [name] },
    { type: 'step_start', address: name, action: name, change: name, urn: name },
    { type: 'step_progress', address: name, message: name },
    { type: 'operation', address: name, operation: name, attempt: 2 },
    { type: 'step_outcome', step: appliedStep('changed', { ...hostileStep(name, {}), duration_ms: 5 }) },
    { type: 'fact', provider_fact: fact },
    { type: 'diagnostic', diagnostic: diagnostic('BUG', name) },
  ];
}

// Written anew instead of taken from the escaper under test.
const RAW = /[^\P{C}\n]|[\u2028\u2029]/u;

/** Why a text may not be printed; null: it may. */
export function whyUnprintable(text: string): string | null {
  const raw = RAW.exec(text);
  if (raw !== null && !/\p{Cn}|\p{Co}/u.test(raw[0])) return `raw U+${raw[0].codePointAt(0)?.toString(16)}`;
  if (/##\w*\[/.test(text)) return 'a ##[command]';
  return /^\s*::[A-Za-z][^:\n]*::/m.test(text) ? 'a ::command::' : null;
}
