import { isJsonObject, type JsonObject, jsonEquals } from '../../core/json.ts';
import type { CreateExtras, KindDefinition, Labels, LiveRule } from './define-kind.ts';
import { describeRule, ruleArgument, rulesDelta } from './rules.ts';

/** The words of one `yc` command, up to what every cloud command ends in. */
export type Words = readonly string[];

/** What every cloud command ends in: whose authority, which folder, one JSON document, no browser, no second try. */
export function suffix(profile: string, folderId: string): Words {
  return ['--profile', profile, '--folder-id', folderId, '--format', 'json', '--no-browser', '--retry', '0'];
}

function command({ service, command: word }: KindDefinition, verb: string, ...rest: readonly string[]): Words {
  return [service, word, verb, ...rest];
}

export function listWords(definition: KindDefinition, limit: number): Words {
  return command(definition, 'list', '--limit', String(limit));
}

export function getWords(definition: KindDefinition, id: string): Words {
  return command(definition, 'get', '--id', id);
}

export function deleteWords(definition: KindDefinition, id: string): Words {
  return command(definition, 'delete', '--id', id);
}

export function folderWords(folderId: string): Words {
  return ['resource-manager', 'folder', 'get', '--id', folderId];
}

function labelText(labels: Labels): string {
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key] ?? ''}`)
    .join(',');
}

export function createWords(
  definition: KindDefinition,
  desired: JsonObject,
  labels: Labels,
  extras: CreateExtras,
): Words {
  const name = String(desired['name']);
  const flags = definition.createFlags(desired, extras);
  return command(definition, 'create', '--name', name, ...flags, '--labels', labelText(labels));
}

/** What an update starts from: the resource as it is. */
export interface UpdateBase {
  readonly id: string;
  /** All of them, other people's too. */
  readonly labels: Labels;
  /** Fields in desired's key space, with `labels` narrowed to ours. */
  readonly actual: JsonObject;
  /** With ids; null where they are not known, for a command that is only shown. */
  readonly rules: readonly LiveRule[] | null;
}

/**
 * The commands of an update, in order: what says that it is ours, then the fields, the rules, and last the digest of
 * the spec, so that it never says more than was done.
 */
export function updateWords(
  definition: KindDefinition,
  desired: JsonObject,
  ownership: Labels,
  spec: Labels,
  base: UpdateBase,
): readonly Words[] {
  const { fields, rules } = changesOf(definition, desired, base);
  const missing = Object.entries(ownership).some(([key, value]) => base.labels[key] !== value);
  const lacksSpec = Object.entries(spec).some(([key, value]) => base.labels[key] !== value);
  const middle = [
    ...(Object.keys(fields).length === 0
      ? []
      : [command(definition, 'update', '--id', base.id, ...definition.updateFlags(fields))]),
    ...(rules === null ? [] : [command(definition, 'update-rules', '--id', base.id, ...rules)]),
  ];
  if (middle.length === 0) return missing || lacksSpec ? [labelWords(definition, base, { ...ownership, ...spec })] : [];
  const owned = { ...base, labels: { ...base.labels, ...ownership } };
  return [
    ...(missing ? [labelWords(definition, base, ownership)] : []),
    ...middle,
    ...(lacksSpec ? [labelWords(definition, owned, spec)] : []),
  ];
}

/** Adds labels; where the command line can't, the whole map is sent with what it had. */
function labelWords(definition: KindDefinition, { id, labels }: UpdateBase, added: Labels): Words {
  if (definition.addsLabels) return command(definition, 'add-labels', '--id', id, '--labels', labelText(added));
  return command(definition, 'update', '--id', id, '--labels', labelText({ ...labels, ...added }));
}

/** The fields that differ and can be set, and the flags that make one set of rules of the other. */
function changesOf(definition: KindDefinition, desired: JsonObject, { actual, rules }: UpdateBase) {
  const fields: Record<string, JsonObject[string]> = {};
  let ruleFlags: readonly string[] | null = null;
  for (const [key, wanted] of Object.entries(desired)) {
    const rule = definition.fields[key];
    if ((rule !== 'mutable' && rule !== 'growing') || jsonEquals(wanted, actual[key] ?? null)) continue;
    if (key === 'rules') ruleFlags = updateRuleFlags(wanted, actual[key], rules);
    else fields[key] = wanted;
  }
  return { fields, rules: ruleFlags };
}

function updateRuleFlags(wanted: unknown, actual: unknown, live: readonly LiveRule[] | null): readonly string[] {
  const shown = rulesOf(actual).map((content) => ({ id: `<id of ${describeRule(content)}>`, content }));
  const { added, removed } = rulesDelta(rulesOf(wanted), live ?? shown);
  return [
    ...added.flatMap((rule) => ['--add-rule', ruleArgument(rule)]),
    ...removed.flatMap(({ id }) => ['--delete-rule-id', id]),
  ];
}

function rulesOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
