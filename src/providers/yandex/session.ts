import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Declaration, Observation } from '../../core/resource.ts';
import type { GuardSpec } from '../../core/step.ts';
import type { ValueObject } from '../../core/value.ts';
import type { ReadResult, ReadSession, Target } from '../lifecycle-provider.ts';
import { actionNamed } from './actions.ts';
import { type KindDefinition, type Live, pluralOf } from './define-kind.ts';
import { deletionBlockers } from './dependants.ts';
import { failureDiagnostic } from './errors.ts';
import { find, namesake, nameTaken, type Wanted } from './find.ts';
import { isMap, textAt } from './inputs.ts';
import { KINDS, kindOf } from './kinds.ts';
import { compare, presentOf, resourceOf } from './observed.ts';
import { ownerOf, SPEC_LABEL, standingOf, urnOfLabels } from './ownership.ts';
import type { Reads } from './reads.ts';
import { specDigest } from './spec-digest.ts';

/** Reads of one phase. */
export function openSession(reads: Reads, folderId: string): ReadSession {
  return {
    resolve: ({ declaration, desired }) =>
      Promise.resolve({ kind: 'resolved', desired: withSpec(declaration, desired) }),
    observe: (target) => observe(target, reads, folderId),
    read: (declaration, desired) => read(declaration, desired, reads),
    checkGuard: (guard) => checkGuard(guard, reads, folderId),
  };
}

/** Desired with the label that holds its own digest, where it has none yet and can have one. */
export function withSpec(declaration: Declaration, desired: ValueObject): ValueObject {
  const { labels } = desired;
  if (declaration.action.kind !== 'ensure' || !isMap(labels) || labels[SPEC_LABEL] !== undefined) return desired;
  const { dependencies } = declaration.options;
  const definition = actionNamed(declaration.action.name).definition;
  if (definition === null) return desired;
  const digest = specDigest(definition, desired, isMap(dependencies) ? dependencies : {});
  return digest === null ? desired : { ...desired, labels: { ...labels, [SPEC_LABEL]: digest } };
}

async function observe(target: Target, reads: Reads, folderId: string): Promise<Observation> {
  const { declaration, desired } = target;
  const { definition } = actionNamed(declaration.action.name);
  if (definition === null) throw new TypeError(`${declaration.action.name} observes nothing`);
  const wanted = { definition, declaration, desired, recordedId: target.resourceId };
  const found = await find(wanted, reads);
  if (found.kind === 'absent') return found;
  if (found.kind === 'unclear') {
    const why = about(declaration, found.why);
    if (found.holder === undefined) return { kind: 'unreadable', why };
    return { kind: 'unreadable', why, takenBy: urnOfLive(definition, found.holder, folderId) };
  }
  const { live } = found;
  if (live.status === 'DELETING' && !target.forDelete)
    return { kind: 'unreadable', why: about(declaration, deleting(live)) };
  const more = await addressOf(definition, live, desired, reads);
  if ('code' in more) return { kind: 'unreadable', why: about(declaration, more) };
  const comparison = compare(definition, live, declaration, desired, more.fields);
  const blockers = target.forDelete
    ? [...unlabelledBlocker(live, declaration), ...(await deletionBlockers(definition, live, folderId, reads))]
    : await renameBlockers(live, wanted, folderId, reads);
  const byName = standingOf(live.labels, ownerOf(declaration)) !== 'ours';
  return { ...presentOf(live, comparison, blockers), byName };
}

/** Names are unique for a kind in a folder: a rename to one that is taken would be refused. */
async function renameBlockers(
  live: Live,
  wanted: Wanted,
  folderId: string,
  reads: Reads,
): Promise<readonly Diagnostic[]> {
  const holder = await namesake(live, wanted, reads);
  if (holder === null) return [];
  const { why } = nameTaken(holder, ownerOf(wanted.declaration));
  return [{ ...why, urn: urnOfLive(wanted.definition, holder, folderId) }];
}

function urnOfLive({ service, kind }: KindDefinition, { labels }: Live, folderId: string): string | null {
  return urnOfLabels(service, kind, folderId, labels);
}

function deleting(live: Live): Diagnostic {
  return diagnostic('CONFLICT', `The ${live.kind} ${live.id} is being deleted.`, {
    hint: 'Plan again when it is gone.',
  });
}

/** A machine shows the address itself; which resource that is, the list of addresses tells. */
export async function addressOf(
  definition: KindDefinition,
  live: Live,
  desired: ValueObject,
  reads: Reads,
): Promise<{ readonly fields: JsonObject } | Diagnostic> {
  if (definition.kind !== 'instance' || desired['address_id'] === undefined) return { fields: {} };
  const answer = await reads.list(kindOf('address'));
  if (answer.kind === 'failed') return failureDiagnostic(answer.failure, 'The addresses of the folder');
  return { fields: { address_id: addressIdOf(live, answer.value) } };
}

/** The id of the address that a machine has, its first interface before the others; empty where it has none of these. */
export function addressIdOf({ publicAddresses }: Live, addresses: readonly Live[]): string {
  const own = publicAddresses.flatMap(
    (value) => addresses.find((item) => item.publicAddresses.includes(value))?.id ?? [],
  );
  return own[0] ?? '';
}

/** Only what its labels call ours in full is deleted. */
function unlabelledBlocker(live: Live, declaration: Declaration): readonly Diagnostic[] {
  if (standingOf(live.labels, ownerOf(declaration)) === 'ours') return [];
  const detail = `The ${live.kind} ${live.id} lacks the labels that would call it ours.`;
  return [diagnostic('NOT_OURS', detail, { hint: 'Ensure it under enforce first: that makes its labels.' })];
}

async function read(declaration: Declaration, desired: ValueObject, reads: Reads): Promise<ReadResult> {
  const { definition, verb } = actionNamed(declaration.action.name);
  if (definition !== null && verb === 'get') {
    const answer = await reads.get(definition, textAt(desired, 'id'));
    if (answer.kind === 'ok') return { kind: 'done', resource: resourceOf(answer.value) };
    const why = failureDiagnostic(answer.failure, `The ${definition.kind} ${textAt(desired, 'id')}`);
    return { kind: 'failed', why: about(declaration, why) };
  }
  const resources: JsonObject[] = [];
  for (const each of definition === null ? KINDS : [definition]) {
    const answer = await reads.list(each);
    if (answer.kind === 'failed')
      return {
        kind: 'failed',
        why: about(declaration, failureDiagnostic(answer.failure, `The list of ${pluralOf(each.kind)}`)),
      };
    resources.push(...answer.value.map(resourceOf));
  }
  return { kind: 'done', resource: { resources } };
}

async function checkGuard(guard: GuardSpec, reads: Reads, folderId: string): Promise<readonly Diagnostic[]> {
  if (guard.requireFolder !== null && guard.requireFolder !== folderId)
    return [diagnostic('GUARD', `The folder is ${folderId}, but the guard pins ${guard.requireFolder}.`)];
  if (guard.requireCloudId === null) return [];
  const answer = await reads.folder();
  if (answer.kind === 'failed') {
    const why = failureDiagnostic(answer.failure, `The cloud of the folder ${folderId}`);
    return [
      diagnostic('GUARD', `Whose the folder ${folderId} is can't be verified: ${why.detail}`, { hint: why.hint }),
    ];
  }
  if (answer.value.cloudId === guard.requireCloudId) return [];
  return [
    diagnostic('GUARD', `The folder ${folderId} is not in the cloud ${guard.requireCloudId} that the guard pins.`, {
      hint: 'Mend settings.folder_id, or run it under the guard that it is meant for.',
    }),
  ];
}

function about({ address, urn }: Declaration, why: Diagnostic): Diagnostic {
  return { ...why, address, urn: why.urn ?? urn };
}
