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
  readonly noun: string;
  readonly verb: string;
}

function actionWords(action: string): ActionWords {
  const parts = action.split('.');
  return { service: parts[1] ?? '', noun: parts.at(-2) ?? '', verb: parts.at(-1) ?? '' };
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
  const { service, noun, verb } = actionWords(step.action);
  if (verb.endsWith('_binding')) return 'grant';
  if (verb.endsWith('link')) return `${service.replace(/^cloud/, '')} link`;
  if (verb === 'get_policy') return 'access policy';
  return escapeText(verb.startsWith('list') ? plural(singular(noun)) : singular(noun));
}

/** The step's texts by field; a map, because a field may be named like something every object has. */
type Texts = ReadonlyMap<string, string>;

function texts(step: PlanStep): Texts {
  const merged = [step.input, step.actual ?? {}, step.desired ?? {}].flatMap((fields) => Object.entries(fields));
  return new Map(merged.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function short(text: string): string {
  return truncate(escapeText(text), NAME_WIDTH);
}

/** A name in quotes, printable. */
function quoted(text: string): string {
  return `"${short(text.replace(/["\\]/g, '\\$&'))}"`;
}

const SCOPES = ['resource', 'organization', 'folder', 'folder_id', 'project_id', 'project', 'billing_account'] as const;

/** A step's subject: kind, id and the name that people know, where it belongs. */
export function subjectOf(step: PlanStep): Subject {
  const kind = kindOf(step);
  const values = texts(step);
  if (kind === 'grant') return grantSubject(values, kind);
  const { noun, verb } = actionWords(step.action);
  const nameless = verb.endsWith('link') || verb === 'get_policy';
  const name = nameless ? null : ownName(singular(noun).replaceAll(' ', '_'), values);
  const place = placeOf(step, values, name);
  const text = [kind, name?.text, place?.text].filter((part) => part !== undefined).join(' ');
  return { text, told: new Set([...(name?.keys ?? []), ...(place?.keys ?? [])]) };
}

interface Named {
  readonly text: string;
  /** The fields that the text tells. */
  readonly keys: readonly string[];
}

function placeOf(step: PlanStep, values: Texts, name: Named | null): Named | null {
  const project = values.get('project_id');
  if (project !== undefined && name?.keys.includes('project_id') !== true) {
    return { text: `of project ${short(project)}`, keys: ['project_id'] };
  }
  if (name !== null) return null;
  const parent = values.get('parent');
  if (parent !== undefined) return { text: `in ${short(parent)}`, keys: ['parent'] };
  const scope = SCOPES.find((key) => values.has(key));
  if (scope !== undefined) return { text: `of ${short(values.get(scope) ?? '')}`, keys: [scope] };
  const id = step.resource_id ?? step.urn;
  return id === null ? null : { text: short(id), keys: [] };
}

function grantSubject(values: Texts, kind: string): Subject {
  const scope = SCOPES.find((key) => values.has(key));
  const told = new Set(['role', 'member', ...(scope === undefined ? [] : [scope])]);
  const on =
    scope === undefined ? '' : ` on ${scope === 'project_id' ? 'project ' : ''}${short(values.get(scope) ?? '')}`;
  return { text: `${kind} of ${short(values.get('role') ?? '?')} to ${short(values.get('member') ?? '?')}${on}`, told };
}

function ownName(noun: string, values: Texts): Named | null {
  const idKeys = [`${noun}_id`, `${noun}_name`, noun];
  const nameKeys = ['display_name', 'name'];
  const id = firstOf(idKeys, values);
  const name = firstOf(nameKeys, values);
  const shownName = name === null || name === id ? [] : [quoted(name)];
  const text = [...(id === null ? [] : [short(id)]), ...shownName].join(' ');
  if (text === '') return null;
  const isTold = (key: string) => values.get(key) === id || values.get(key) === name;
  return { text, keys: [...idKeys, ...nameKeys].filter(isTold) };
}

function firstOf(keys: readonly string[], values: Texts): string | null {
  const key = keys.find((candidate) => values.has(candidate));
  return key === undefined ? null : (values.get(key) ?? null);
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
  link: { base: 'set', doing: 'linking', done: 'set' },
  check: { base: 'check', doing: 'checking', done: 'checked' },
} as const satisfies Record<string, Verb>;

/** What a change does, in the words that fit its action: services are enabled, grants added. */
export function verbOf(change: string, action: string | null): Verb {
  const own = action === null ? '' : actionWords(action).verb;
  if (own.endsWith('_binding')) return ownVerb(change, VERBS.add, VERBS.remove);
  if (own === 'enable' || own === 'disable') return ownVerb(change, VERBS.enable, VERBS.disable);
  if (own.endsWith('link')) return ownVerb(change, VERBS.link, VERBS.remove);
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
