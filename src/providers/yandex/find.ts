import { type Code, diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Declaration } from '../../core/resource.ts';
import type { ValueObject } from '../../core/value.ts';
import { type KindDefinition, type Live, pluralOf } from './define-kind.ts';
import { failureDiagnostic, type YcFailure } from './errors.ts';
import { isMap, textAt } from './inputs.ts';
import { type Owner, ownerOf, RESOURCE_LABEL, SPEC_LABEL, standingOf } from './ownership.ts';
import type { Reads } from './reads.ts';

/** Which resource is meant: by id where one is known, else by labels, else by name. */
export interface Wanted {
  readonly definition: KindDefinition;
  readonly declaration: Declaration;
  readonly desired: ValueObject;
  /** As the log knows it. */
  readonly recordedId: string | null;
}

export type Found =
  | { readonly kind: 'found'; readonly live: Live }
  | { readonly kind: 'absent' }
  /** `holder`: what has the name that the resource is to be made with, which is all that is in the way. */
  | { readonly kind: 'unclear'; readonly why: Diagnostic; readonly holder?: Live };

type Problem = Extract<Found, { kind: 'unclear' }>;

function unclear(code: Code, detail: string, hint: string | null = null): Problem {
  return { kind: 'unclear', why: diagnostic(code, detail, { hint }) };
}

export function unreadable(failure: YcFailure, what: string): Problem {
  return { kind: 'unclear', why: failureDiagnostic(failure, what) };
}

/** Finds the one resource that a declaration is about. Two that could be meant, or one that says otherwise, is a conflict. */
export async function find(wanted: Wanted, reads: Reads): Promise<Found> {
  const { definition, declaration, recordedId } = wanted;
  const given = textAt(declaration.options, 'resource_id') || null;
  if (given !== null && recordedId !== null && given !== recordedId)
    return unclear('CONFLICT', `resource_id is ${given}, but the log knows this resource as ${recordedId}.`);
  const id = given ?? recordedId;
  const listed = await reads.list(definition);
  if (listed.kind === 'failed') {
    if (listed.failure.code === 'INCOMPLETE_INVENTORY' && id !== null) return findById(wanted, id, given, null, reads);
    return unreadable(listed.failure, `The ${pluralOf(definition.kind)} of the folder`);
  }
  if (id === null) return findByLabels(wanted, listed.value);
  const found = await findById(wanted, id, given, listed.value, reads);
  return found.kind === 'absent' ? findByLabels(wanted, listed.value) : found;
}

/** The resource of an id; it may have been renamed, and its labels may be lost, but not be another's. */
async function findById(
  wanted: Wanted,
  id: string,
  given: string | null,
  list: readonly Live[] | null,
  reads: Reads,
): Promise<Found> {
  const { definition, declaration } = wanted;
  let live = list?.find((item) => item.id === id);
  if (live === undefined) {
    const answer = await reads.get(definition, id);
    if (answer.kind === 'ok') live = answer.value;
    else if (answer.failure.code !== 'NOT_FOUND') return unreadable(answer.failure, `The ${definition.kind} ${id}`);
    else if (given === null) return { kind: 'absent' };
    else return unclear('NOT_FOUND', `resource_id names ${id}, but there is no such ${definition.kind}.`);
  }
  const owner = ownerOf(declaration);
  const standing = standingOf(live.labels, owner);
  if (standing === 'sibling' || standing === 'foreign') return contradicted(live, owner);
  const twin = list?.find((item) => item.id !== id && standingOf(item.labels, owner) === 'ours');
  if (twin !== undefined) return twins([live, twin], owner);
  return inZone(live, wanted);
}

function contradicted(live: Live, owner: Owner): Problem {
  const said = live.labels[RESOURCE_LABEL] ?? 'nothing';
  const detail = `The ${live.kind} ${live.id} has labels of another owner (infra-resource: ${said}), not those of ${owner.logicalId} in stack ${owner.stack}.`;
  return unclear('CONFLICT', detail, 'Find out whose it is; nothing is done to it.');
}

function twins(all: readonly Live[], owner: Owner): Problem {
  const ids = all.map(({ id }) => id).join(', ');
  const detail = `More than one resource could be ${owner.logicalId} of stack ${owner.stack}: ${ids}.`;
  return unclear('CONFLICT', detail, 'Remove the labels of, or delete, those that are not meant.');
}

function findByLabels(wanted: Wanted, list: readonly Live[]): Found {
  const owner = ownerOf(wanted.declaration);
  const ours = list.filter((live) => standingOf(live.labels, owner) === 'ours');
  const [live] = ours;
  if (live === undefined) return findByName(wanted, list, owner);
  if (ours.length > 1) return twins(ours, owner);
  const name = textAt(wanted.desired, 'name');
  if (name !== '' && live.name !== name) {
    const detail = `The ${live.kind} ${live.id} has the labels of ${owner.logicalId}, but the name ${live.name}, and the log does not know it.`;
    return unclear('CONFLICT', detail, `To go on with it, set resource_id: ${live.id} beside input.`);
  }
  return inZone(live, wanted);
}

/** Names are unique in a folder: what has ours is the resource, or keeps it from being made. */
function findByName(wanted: Wanted, list: readonly Live[], owner: Owner): Found {
  const name = textAt(wanted.desired, 'name');
  const [live, other] = name === '' ? [] : list.filter((item) => item.name === name && !item.isBuiltIn);
  if (live === undefined) return { kind: 'absent' };
  if (other !== undefined) return twins([live, other], owner);
  const standing = standingOf(live.labels, owner);
  if (standing === 'unlabelled' || standing === 'partly') return inZone(live, wanted);
  return standing === 'sibling' ? renamed(live, wanted) : { ...nameTaken(live, owner), holder: live };
}

/** What has the name that a live resource is to get; null: it has that itself, or nothing is seen to have it. */
export async function namesake(live: Live, { definition, desired }: Wanted, reads: Reads): Promise<Live | null> {
  const name = textAt(desired, 'name');
  if (name === '' || name === live.name) return null;
  const listed = await reads.list(definition);
  if (listed.kind === 'failed') return null;
  return listed.value.find((item) => item.name === name && item.id !== live.id) ?? null;
}

function renamed(live: Live, { desired }: Wanted): Problem {
  const former = live.labels[RESOURCE_LABEL] ?? '';
  const labels = desired['labels'];
  const isSameSpec =
    isMap(labels) && labels[SPEC_LABEL] !== undefined && labels[SPEC_LABEL] === live.labels[SPEC_LABEL];
  const guess = isSameSpec ? ' It is exactly what this step declares: was the step renamed?' : ' Was the step renamed?';
  const detail = `The name ${live.name} belongs to ${live.id}, which is ${former} of this stack.${guess}`;
  return { ...unclear('CONFLICT', detail, `If so, set logical_id: ${former} beside input.`), holder: live };
}

/** Names are unique for a kind in a folder. */
export function nameTaken(live: Live, owner: Owner): Problem {
  const whose = {
    foreign: ', whose labels say that someone else manages it',
    sibling: `, which is ${live.labels[RESOURCE_LABEL] ?? ''} of this stack`,
    partly: '',
    unlabelled: '',
    ours: '',
  }[standingOf(live.labels, owner)];
  const detail = `The name ${live.name} belongs to ${live.id}${whose}.`;
  return unclear('CONFLICT', detail, 'Give this one another name, or find out whose that is.');
}

function inZone(live: Live, { desired }: Wanted): Found {
  const zone = textAt(desired, 'zone_id');
  if (zone === '' || live.zoneId === null || live.zoneId === zone) return { kind: 'found', live };
  const detail = `The ${live.kind} ${live.id} is in ${live.zoneId}, not in ${zone}, and nothing moves between zones.`;
  return unclear('CONFLICT', detail, 'Keep its zone, or delete it explicitly and create it anew.');
}
