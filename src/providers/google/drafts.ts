import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic, SourcePosition } from '../../core/diagnostics.ts';
import type { FormatStrictness } from '../../core/resource.ts';
import type { Step } from '../../core/step.ts';
import type { ValueObject } from '../../core/value.ts';
import { findAction, type GoogleAction } from './actions.ts';
import { type InputField, type LinkProblem, readInput } from './inputs.ts';

/** A step whose input was read, before steps are tied together. */
export interface Draft extends GoogleAction {
  readonly step: Step;
  readonly address: string;
  readonly desired: ValueObject;
  readonly options: ValueObject;
}

export interface DraftResult {
  /** Null where the input can't be used. */
  readonly draft: Draft | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads one step's input; null for steps that are not this provider's to run. */
export function draftOf(step: Step, strictness: FormatStrictness): DraftResult | null {
  const found = step.skip === null && step.provider === 'google' ? findAction(step.action, null) : null;
  if (found === null) return null;
  const { action, spec, definition } = found;
  const { values, problems } = readInput(fieldsFor(action, step.input), step.input);
  const all = action.check === undefined ? problems : [...problems, ...action.check(values)];
  const diagnostics = all.map((problem) => linkDiagnostic(problem, step, strictness));
  if (all.some((problem) => !problem.isFormat)) return { draft: null, diagnostics };
  const { desired, options } = action.declare(values);
  return { draft: { action, spec, definition, step, address: step.address, desired, options }, diagnostics };
}

/** A list that could not be expanded still stands in the input: what is wrong with it is said in its own words. */
function fieldsFor(action: GoogleAction['action'], input: ValueObject): readonly InputField[] {
  const { expand } = action;
  if (expand === undefined || !(expand.list in input)) return action.input;
  const list: InputField = {
    key: expand.list,
    aliases: [],
    required: false,
    read: (_value, path) => ({
      value: null,
      problems: [
        {
          path,
          code: 'INVALID_VALUE',
          detail: `"${expand.list}" must be a list of one or more names, each once, known before anything runs, and not beside "${expand.single}".`,
          isFormat: false,
        },
      ],
    }),
  };
  return [...action.input.map((field) => (field.key === expand.single ? { ...field, required: false } : field)), list];
}

/** A problem as a diagnostic at its place in the file; formats are warnings where no real cloud is asked. */
export function linkDiagnostic(problem: LinkProblem, step: Step, strictness: FormatStrictness): Diagnostic {
  const code = problem.isFormat && strictness === 'warning' ? 'FORMAT_WARNING' : problem.code;
  return diagnostic(code, problem.detail, {
    address: step.address,
    source: positionOf(step, problem.path),
    hint: problem.hint ?? null,
  });
}

function positionOf(step: Step, path: readonly string[]): SourcePosition {
  const expand = findAction(step.action, null)?.action.expand;
  const inList = expand !== undefined && path[0] === expand.single && step.positions.get(`input.${expand.list}`);
  if (inList) return inList;
  for (let length = path.length; length >= 0; length -= 1) {
    const position = step.positions.get(['input', ...path.slice(0, length)].join('.'));
    if (position !== undefined) return position;
  }
  return step.source;
}
