import { type GuardSpec, NO_GUARD } from '../core/step.ts';
import type { Findings, Place } from './findings.ts';
import { asMap, checkKeys, literalText } from './shape.ts';
import { isTemplate } from './template-text.ts';
import { type MapNode, positionOf, type TreeNode } from './tree.ts';

type GuardField = keyof GuardSpec;

interface GuardKey {
  readonly key: string;
  readonly field: GuardField;
  readonly prefix: string;
  readonly pattern: RegExp;
  readonly shape: string;
}

const ANYTHING = /^\S(.{0,500}\S)?$/su;
const GUARD_KEYS: readonly GuardKey[] = [
  {
    key: 'require_org',
    field: 'requireOrg',
    prefix: 'organizations/',
    pattern: /^\d{1,25}$/,
    shape: 'an organisation number, with or without organizations/',
  },
  {
    key: 'require_org_display_name',
    field: 'requireOrgDisplayName',
    prefix: '',
    pattern: ANYTHING,
    shape: 'a display name',
  },
  {
    key: 'require_billing_account',
    field: 'requireBillingAccount',
    prefix: 'billingAccounts/',
    pattern: /^[^\s/]{1,100}$/,
    shape: 'a billing account id, with or without billingAccounts/',
  },
  { key: 'require_cloud_id', field: 'requireCloudId', prefix: '', pattern: /^[^\s/]{1,100}$/, shape: 'a cloud id' },
  { key: 'require_folder', field: 'requireFolder', prefix: '', pattern: /^[^\s/]{1,100}$/, shape: 'a folder id' },
];
const KNOWN = new Set(GUARD_KEYS.map(({ key }) => key));

/** One level's guard: who says it, what, and where each value stands. */
export interface GuardLevel {
  readonly source: string;
  readonly spec: GuardSpec;
  readonly places: ReadonlyMap<GuardField, Place>;
}

/** Reads a guard. Its values are literals: a guard that a template fills in guards nothing. */
export function readGuard(node: TreeNode, source: string, findings: Findings): GuardLevel | null {
  const map = asMap(node, 'guard', findings);
  if (map === null) return null;
  checkKeys(map, KNOWN, 'guard', findings);
  const spec: Record<GuardField, string | null> = { ...NO_GUARD };
  const places = new Map<GuardField, Place>();
  for (const known of GUARD_KEYS) {
    const value = guardValue(map, known, findings);
    if (value === null) continue;
    spec[known.field] = value.text;
    places.set(known.field, value.place);
  }
  return { source, spec, places };
}

function guardValue(
  map: MapNode,
  { key, prefix, pattern, shape }: GuardKey,
  findings: Findings,
): { text: string; place: Place } | null {
  const node = map.entries.get(key)?.value;
  if (node === undefined) return null;
  const text = literalText(node, `guard.${key}`, findings);
  if (text === null) return null;
  if (isTemplate(text)) {
    findings.add(
      'INVALID_VALUE',
      `guard.${key} must be a literal: a guard that a template fills in guards nothing.`,
      node,
    );
    return null;
  }
  const bare = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  if (pattern.test(bare)) return { text: bare, place: node };
  findings.add('INVALID_VALUE', `guard.${key} must be ${shape}, not ${JSON.stringify(text.slice(0, 60))}.`, node);
  return null;
}

/** The caller's guard, which comes without a file. */
export function callerLevel(spec: GuardSpec): GuardLevel {
  return { source: 'the caller', spec, places: new Map() };
}

/** Adds guards up, the step's first. A contradiction is an error at the most specific place that has one. */
export function addGuards(
  levels: readonly GuardLevel[],
  step: string,
  fallback: Place,
  findings: Findings,
): GuardSpec | null {
  if (levels.length === 0) return null;
  const total: Record<GuardField, string | null> = { ...NO_GUARD };
  for (const { key, field } of GUARD_KEYS) {
    const saying = levels.filter(({ spec }) => spec[field] !== null);
    const [first] = saying;
    if (first === undefined) continue;
    total[field] = first.spec[field];
    for (const other of saying.slice(1)) {
      if (other.spec[field] !== first.spec[field]) contradict(key, field, first, other, step, fallback, findings);
    }
  }
  return total;
}

function contradict(
  key: string,
  field: GuardField,
  first: GuardLevel,
  other: GuardLevel,
  step: string,
  fallback: Place,
  findings: Findings,
): void {
  const place = first.places.get(field) ?? fallback;
  const otherPlace = other.places.get(field);
  const at = otherPlace === undefined ? '' : ` (${positionText(otherPlace)})`;
  const detail = `guard.${key}: ${first.source} says ${first.spec[field]}, ${other.source}${at} says ${other.spec[field]}.`;
  findings.add('GUARD_CONTRADICTION', detail, place, { address: step });
}

function positionText(place: Place): string {
  const { file, line, column } = positionOf(place);
  return `${file}:${line}:${column}`;
}
