import type { Json, JsonObject } from '../../core/json.ts';
import type { InputProblem } from '../../core/resource.ts';
import { displayObject, type ValueObject } from '../../core/value.ts';
import type { KindDefinition, Live } from './define-kind.ts';
import { isMap, readFields } from './inputs.ts';
import { SPEC_LABEL } from './ownership.ts';
import { describeRule } from './rules.ts';
import { specDigest } from './spec-digest.ts';

/** What a playbook would say of a resource to declare it as it is, without what leads to other steps. */
export type Declarable =
  | { readonly kind: 'declarable'; readonly input: JsonObject; readonly notes: readonly string[] }
  | { readonly kind: 'undeclarable'; readonly why: string };

/** The inputs that a live resource has; an optional one that infra would refuse is left to the cloud. */
export function inputOf(definition: KindDefinition, live: Live): Declarable {
  let input = shownInputs(definition, live);
  const lacking = missing(definition, input);
  if (lacking !== null) return { kind: 'undeclarable', why: `it has no ${lacking}.` };
  const notes: string[] = [];
  for (const problem of fieldProblems(definition, input)) {
    const key = String(problem.path[0] ?? '');
    if (isRequired(definition, key)) return { kind: 'undeclarable', why: detailOf(problem, input) };
    notes.push(`Left as it is: ${problem.detail}`);
    input = without(input, togetherWith(definition, key));
  }
  const [misfit] = definition.check(input);
  if (misfit === undefined) return { kind: 'declarable', input, notes };
  input = without(input, definition.together.flat());
  const [left] = definition.check(input);
  if (left !== undefined) return { kind: 'undeclarable', why: left.detail };
  return { kind: 'declarable', input, notes: [...notes, `Left as it is: ${misfit.detail}`] };
}

/** Empty texts and what is off are what nobody said. */
function shownInputs({ input, hidden, options }: KindDefinition, { fields }: Live): JsonObject {
  const unshown = new Set([...hidden, ...options]);
  return Object.fromEntries(
    input.flatMap(({ key }) => {
      const value = fields[key];
      return unshown.has(key) || value === undefined || value === '' || value === false ? [] : [[key, value] as const];
    }),
  );
}

/** What infra would say of the inputs, but for those that no answer shows. */
function fieldProblems({ input, hidden }: KindDefinition, given: JsonObject): readonly InputProblem[] {
  return readFields(
    input.filter(({ key }) => !hidden.includes(key)),
    given,
  ).problems;
}

/** The first input that a step must have and the resource has not. */
function missing({ input, hidden }: KindDefinition, given: JsonObject): string | null {
  const lacking = input.find(({ key, required }) => required && !hidden.includes(key) && given[key] === undefined);
  return lacking?.key ?? null;
}

function isRequired({ input }: KindDefinition, key: string): boolean {
  return input.find((field) => field.key === key)?.required ?? true;
}

function togetherWith({ together }: KindDefinition, key: string): readonly string[] {
  return [key, ...together.filter((pair) => pair.includes(key)).flat()];
}

function without(input: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([key]) => !keys.includes(key)));
}

/** A rule is named by what it says: it has no name, and its place among the others means nothing. */
function detailOf({ path, detail }: InputProblem, input: JsonObject): string {
  const [key, index] = path;
  const rules = input['rules'];
  const rule: Json | undefined = key === 'rules' && Array.isArray(rules) ? rules[Number(index)] : undefined;
  if (!isMap(rule)) return detail;
  const shown = displayObject(rule);
  const why = shown['cidr'] === undefined ? 'its target is not one IPv4 network.' : detail;
  return `of the rule ${describeRule(shown)}: ${why}`;
}

/**
 * The inputs with which a resource's spec has the digest in its label: what its step said, where that can be told from
 * what is shown. The inputs as they are where no choice among the optional ones has it.
 */
export function asSpecified(
  definition: KindDefinition,
  live: Live,
  input: JsonObject,
  logicalIds: Readonly<Record<string, string>>,
): JsonObject {
  const recorded = live.labels[SPEC_LABEL];
  const fits = (candidate: JsonObject) => {
    const values: ValueObject = readFields(definition.input, candidate).values;
    return specDigest(definition, { ...values, ...logicalIds }, logicalIds) === recorded;
  };
  return candidates(definition, live, input).find(fits) ?? input;
}

/** The inputs with any of the optional ones left out, and with what is off said as well; the fullest first. */
function candidates(definition: KindDefinition, { fields }: Live, input: JsonObject): readonly JsonObject[] {
  const optional = definition.input.filter(({ key, required }) => !required && fields[key] !== undefined);
  const groups = new Set(optional.map(({ key }) => [...new Set(togetherWith(definition, key))].sort().join(' ')));
  let all: readonly JsonObject[] = [input];
  for (const group of groups) {
    const keys = group.split(' ');
    const off = keys.filter((key) => fields[key] === false).map((key) => [key, false] as const);
    all = all.flatMap((one) => [one, off.length > 0 ? { ...one, ...Object.fromEntries(off) } : without(one, keys)]);
  }
  return all;
}
