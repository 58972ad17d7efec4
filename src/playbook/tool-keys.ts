import type { ActionSpec } from '../core/resource.ts';
import type { Findings } from './findings.ts';
import { checkKeys } from './shape.ts';
import { type Entry, type MapNode, mergeMaps } from './tree.ts';

const COMMON_KEYS = [
  'provider',
  'action',
  'dry_run',
  'input',
  'auth',
  'poll',
  'stack',
  'reconcile',
  'confirm',
  'known_desired',
  'guard',
  'protect',
  'timeout',
];
const IGNORED_KEYS = ['name', 'retry', 'args', 'output'];
const OWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  google: ['runtime', 'service', 'endpoint'],
  yandex: ['settings', 'identity', 'logical_id', 'resource_id'],
};
const DEFAULTS_KEYS = new Set([...COMMON_KEYS, ...IGNORED_KEYS, ...Object.values(OWN_KEYS).flat()]);
/** Replaced as a whole: half of one auth and half of another would be a third that nobody wrote. */
const REPLACED_WHOLE = new Set(['auth', 'endpoint']);
/** Adds up instead of being overridden; read from every level on its own. */
const ADDED_UP = new Set(['guard']);

const KEYS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(OWN_KEYS).map(([provider, own]) => [
    provider,
    new Set(['kind', ...COMMON_KEYS, ...own, ...IGNORED_KEYS]),
  ]),
);

/** The keys of one provider's tool. */
function keysOf(provider: string): ReadonlySet<string> {
  return KEYS.get(provider) ?? DEFAULTS_KEYS;
}

/** Complains about keys of a tool that its provider doesn't have, and notes the ones that have no effect. */
export function checkToolKeys(tool: MapNode, provider: string, step: string, findings: Findings): void {
  checkKeys(tool, keysOf(provider), `The tool of step "${step}" (${provider})`, findings);
  for (const key of IGNORED_KEYS) {
    const entry = tool.entries.get(key);
    if (entry !== undefined)
      findings.add('KEY_IGNORED', `\`${key}\` of a tool belongs to NoETL and has no effect here.`, entry, {
        address: step,
      });
  }
}

/** Complains about keys of defaults that no provider's tool has. */
export function checkDefaultsKeys(defaults: MapNode, findings: Findings): void {
  checkKeys(defaults, DEFAULTS_KEYS, 'defaults', findings);
}

/** Lays the playbook's defaults over the project's. */
export function mergeDefaults(project: MapNode | null, playbook: MapNode | null): MapNode | null {
  if (project === null || playbook === null) return playbook ?? project;
  return mergeMaps(project, playbook, REPLACED_WHOLE);
}

/** A tool with the defaults under it: what its provider or its action doesn't know is left out. */
export function withDefaults(
  tool: MapNode,
  defaults: MapNode | null,
  provider: string,
  action: ActionSpec | null,
): MapNode {
  if (defaults === null) return tool;
  const known = keysOf(provider);
  const entries = new Map<string, Entry>();
  for (const [key, entry] of defaults.entries) {
    if (!known.has(key) || ADDED_UP.has(key) || IGNORED_KEYS.includes(key)) continue;
    entries.set(
      key,
      key === 'input' && action !== null ? { ...entry, value: onlyInputsOf(entry.value, action) } : entry,
    );
  }
  return mergeMaps({ ...defaults, entries }, tool, REPLACED_WHOLE);
}

function onlyInputsOf(node: Entry['value'], action: ActionSpec): Entry['value'] {
  if (node.kind !== 'map') return node;
  return { ...node, entries: new Map([...node.entries].filter(([key]) => action.inputKeys.includes(key))) };
}
