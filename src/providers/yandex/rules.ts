import { canonicalJson, type Json, type JsonObject } from '../../core/json.ts';
import type { InputProblem } from '../../core/resource.ts';
import type { Value, ValueObject } from '../../core/value.ts';
import { cidrRule } from './cidr.ts';
import type { LiveRule } from './define-kind.ts';
import {
  choiceField,
  type InputField,
  isMap,
  listField,
  numberField,
  problem,
  type Reading,
  readFields,
  textField,
} from './inputs.ts';
import { ruleDescriptionRule } from './validation.ts';

const MAX_RULES = 50;
const PORT = { min: 0, max: 65_535 };

const FIELDS: readonly InputField[] = [
  choiceField('direction', ['ingress', 'egress'], { required: true }),
  choiceField('protocol', ['tcp', 'udp', 'icmp', 'any'], { required: true }),
  textField('cidr', { required: true, rule: cidrRule }),
  numberField('from_port', PORT),
  numberField('to_port', PORT),
  textField('description', { rule: ruleDescriptionRule }),
];

/** The rules of a security group: a set, compared by what they say. */
export function rulesField(key: string): InputField {
  const list = listField(key, { required: true, min: 1, max: MAX_RULES }, readRule, duplicates);
  return {
    ...list,
    read: (value, path) => {
      const reading = list.read(value, path);
      return 'value' in reading && Array.isArray(reading.value)
        ? { value: sortRules(reading.value as readonly JsonObject[]) }
        : reading;
    },
  };
}

function readRule(value: Value, path: readonly (string | number)[]): Reading {
  if (!isMap(value)) return { problems: [problem(path, 'A rule must be a map.')] };
  const { values, problems } = readFields(FIELDS, value, path);
  const all = [...problems, ...(problems.length === 0 ? portProblems(values, path) : [])];
  return all.length === 0 ? { value: values } : { problems: all };
}

function portProblems(rule: ValueObject, path: readonly (string | number)[]): readonly InputProblem[] {
  const { protocol, from_port: from, to_port: to } = rule;
  if (protocol !== 'tcp' && protocol !== 'udp') {
    if (typeof protocol !== 'string' || (from === undefined && to === undefined)) return [];
    return [problem(path, `A rule for ${protocol} has no ports.`)];
  }
  if (from === undefined || to === undefined)
    return [problem(path, `A rule for ${protocol} needs from_port and to_port.`, 'MISSING_KEY')];
  const isReversed = typeof from === 'number' && typeof to === 'number' && from > to;
  return isReversed ? [problem(path, `from_port ${from} is greater than to_port ${to}.`)] : [];
}

function duplicates(rules: readonly Value[], path: readonly (string | number)[]): readonly InputProblem[] {
  const seen = new Set<string>();
  return rules.flatMap((rule, index) => {
    const key = canonicalJson(rule);
    if (seen.has(key)) return [problem([...path, index], 'This rule stands twice.')];
    seen.add(key);
    return [];
  });
}

/** In an order of their own, so that two sets are equal when their lists are. */
export function sortRules<T extends Json>(rules: readonly T[]): readonly T[] {
  return rules
    .map((rule) => ({ rule, key: canonicalJson(rule) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ rule }) => rule);
}

/** A rule as one argument. The command line asks for a port with every protocol but icmp. */
export function ruleArgument(rule: JsonObject): string {
  const { description, direction, protocol, cidr, from_port: from, to_port: to } = rule;
  const ports = from !== undefined ? { from, to } : protocol === 'any' ? { from: PORT.min, to: PORT.max } : null;
  return [
    ...(description === undefined ? [] : [`description=${String(description)}`]),
    `direction=${String(direction)}`,
    ...(ports === null ? [] : [`from-port=${String(ports.from)}`, `to-port=${String(ports.to)}`]),
    `protocol=${String(protocol)}`,
    `v4-cidrs=[${String(cidr)}]`,
  ].join(',');
}

/** A rule as a person tells it from others, where its id is not known. */
export function describeRule(rule: JsonObject): string {
  const ports = rule['from_port'] === undefined ? '' : ` ${String(rule['from_port'])}-${String(rule['to_port'])}`;
  const targets = ['cidr', 'cidrs', 'security_group_id', 'predefined'].flatMap((key) => rule[key] ?? []);
  return `${String(rule['direction'])} ${String(rule['protocol'])}${ports} ${targets.map(String).join(' and ')}`;
}

/** What makes one set of rules of another: those to add, and those to take away. Of equal live ones one is kept. */
export function rulesDelta(
  desired: readonly JsonObject[],
  live: readonly LiveRule[],
): { readonly added: readonly JsonObject[]; readonly removed: readonly LiveRule[] } {
  const wanted = new Map(desired.map((rule) => [canonicalJson(rule), rule]));
  const removed = live.filter(({ content }) => !wanted.delete(canonicalJson(content)));
  return { added: [...wanted.values()], removed };
}
