import type { JsonObject } from '../../core/json.ts';
import type { Change, PlanStep } from '../../core/plan.ts';
import { escapeText, truncate } from '../text.ts';

/** What one step is about, in words, and which fields those words already tell. */
export interface Subject {
  readonly text: string;
  readonly told: ReadonlySet<string>;
}

/** Names and ids longer than this (columns) are cut; real ones are far below. */
const NAME_WIDTH = 160;

// What an action does is written in its name: <provider>.<service>.<noun>.<verb>, or <noun>.iam.<verb>.
interface ActionWords {
  readonly service: string;
  readonly owner: string;
  readonly noun: string;
  readonly verb: string;
}

function actionWords(action: string): ActionWords {
  const parts = action.split('.');
  return { service: parts[1] ?? '', owner: parts.at(-3) ?? '', noun: parts.at(-2) ?? '', verb: parts.at(-1) ?? '' };
}

function singular(noun: string): string {
  const words = noun.replaceAll('_', ' ');
  if (words.endsWith('ss')) return words;
  return words.endsWith('ies') ? `${words.slice(0, -3)}y` : words.replace(/s$/, '');
}

export function plural(noun: string): string {
  if (noun.endsWith('ss')) return `${noun}es`;
  return noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** The kind of thing that a step manages, in words: `project`, `grant`, `billing link`, `security group`. */
export function kindOf(step: Pick<PlanStep, 'action'>): string {
  const { service, owner, noun, verb } = actionWords(step.action);
  if (verb.endsWith('_binding')) return 'grant';
  if (verb.endsWith('link')) return `${service.replace(/^cloud/, '')} link`;
  if (verb === 'get_policy') return `access policy of ${singular(owner)}`;
  return escapeText(verb.startsWith('list') ? plural(singular(noun)) : singular(noun));
}

function texts(step: PlanStep): Readonly<Record<string, string>> {
  const merged: JsonObject = { ...step.input, ...step.actual, ...step.desired };
  return Object.fromEntries(
    Object.entries(merged).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}

function short(text: string): string {
  return truncate(escapeText(text), NAME_WIDTH);
}

/** A name in quotes, printable. */
export function quoted(text: string): string {
  return `"${short(text.replace(/["\\]/g, '\\$&'))}"`;
}

const SCOPES = ['resource', 'organization', 'folder', 'folder_id', 'project_id', 'project', 'billing_account'] as const;

/** A step's subject: kind, id and the name that people know. */
export function subjectOf(step: PlanStep): Subject {
  const kind = kindOf(step);
  const values = texts(step);
  if (kind === 'grant') return grantSubject(values, kind);
  const { noun, verb } = actionWords(step.action);
  const name = verb.endsWith('link') ? null : ownName(singular(noun).replaceAll(' ', '_'), values);
  const told = new Set(name?.keys);
  const parts = [kind, ...(name === null ? [] : [name.text])];
  if (values['project_id'] !== undefined && !told.has('project_id')) {
    parts.push(`of project ${short(values['project_id'])}`);
    told.add('project_id');
  } else if (name === null && values['parent'] !== undefined) {
    parts.push(`in ${short(values['parent'])}`);
    told.add('parent');
  } else if (name === null) {
    parts.push(...anyName(step, values));
  }
  return { text: parts.join(' '), told };
}

function anyName(step: PlanStep, values: Readonly<Record<string, string>>): readonly string[] {
  const name = step.resource_id ?? SCOPES.map((key) => values[key]).find((value) => value !== undefined) ?? step.urn;
  return name === null ? [] : [short(name)];
}

function grantSubject(values: Readonly<Record<string, string>>, kind: string): Subject {
  const scope = SCOPES.find((key) => values[key] !== undefined);
  const told = new Set(['role', 'member', ...(scope === undefined ? [] : [scope])]);
  const on = scope === undefined ? '' : ` on ${scope === 'project_id' ? 'project ' : ''}${short(values[scope] ?? '')}`;
  return { text: `${kind} of ${short(values['role'] ?? '?')} to ${short(values['member'] ?? '?')}${on}`, told };
}

function ownName(
  noun: string,
  values: Readonly<Record<string, string>>,
): { readonly text: string; readonly keys: readonly string[] } | null {
  const idKey = [`${noun}_id`, `${noun}_name`, noun].find((key) => values[key] !== undefined);
  const nameKey = ['display_name', 'name'].find((key) => values[key] !== undefined);
  const id = idKey === undefined ? null : (values[idKey] ?? null);
  const name = nameKey === undefined ? null : (values[nameKey] ?? null);
  const shownName = name === null || name === id ? [] : [quoted(name)];
  const text = [...(id === null ? [] : [short(id)]), ...shownName].join(' ');
  return text === '' ? null : { text, keys: [idKey, nameKey].filter((key) => key !== undefined) };
}

/** A verb in the forms that plans, progress and reports need. */
export interface Verb {
  readonly base: string;
  readonly doing: string;
  readonly done: string;
}

const VERBS = {
  create: { base: 'create', doing: 'creating', done: 'created' },
  update: { base: 'change', doing: 'changing', done: 'changed' },
  move: { base: 'move', doing: 'moving', done: 'moved' },
  undelete: { base: 'undelete', doing: 'undeleting', done: 'undeleted' },
  delete: { base: 'delete', doing: 'deleting', done: 'deleted' },
  adopt: { base: 'adopt', doing: 'adopting', done: 'adopted' },
  read: { base: 'read', doing: 'reading', done: 'read' },
  enable: { base: 'enable', doing: 'enabling', done: 'enabled' },
  disable: { base: 'disable', doing: 'disabling', done: 'disabled' },
  add: { base: 'add', doing: 'adding', done: 'added' },
  remove: { base: 'remove', doing: 'removing', done: 'removed' },
  set: { base: 'set', doing: 'setting', done: 'set' },
  check: { base: 'check', doing: 'checking', done: 'checked' },
} as const satisfies Record<string, Verb>;

/** What a change does, in the words that fit its action: services are enabled, grants added. */
export function verbOf(change: string, action: string | null): Verb {
  const own = action === null ? '' : actionWords(action).verb;
  if (own.endsWith('_binding')) return ownVerb(change, VERBS.add, VERBS.remove);
  if (own === 'enable' || own === 'disable') return ownVerb(change, VERBS.enable, VERBS.disable);
  if (own.endsWith('link')) return ownVerb(change, VERBS.set, VERBS.remove);
  return ownVerb(change, VERBS.create, VERBS.delete);
}

function ownVerb(change: string, create: Verb, remove: Verb): Verb {
  if (change === 'create') return create;
  if (change === 'delete') return remove;
  return Object.hasOwn(VERBS, change) ? VERBS[change as keyof typeof VERBS] : VERBS.check;
}

export const SIGNS: Readonly<Record<Change, string>> = {
  create: '+',
  update: '~',
  move: '→',
  undelete: '↺',
  delete: '-',
  adopt: '⊕',
  none: '=',
  read: '·',
  blocked: '!',
  unknown: '?',
  skipped: '·',
};

/** Milliseconds as people say them. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
