import type { JsonObject } from '../../core/json.ts';
import type { Declaration } from '../../core/resource.ts';
import type { ValueObject } from '../../core/value.ts';
import type { KindName, Labels } from './define-kind.ts';
import { isMap, textAt } from './inputs.ts';

/** Whose a resource is, and which of theirs: what URN and labels are made of. */
export interface Owner {
  readonly folderId: string;
  readonly project: string;
  readonly stack: string;
  /** Empty where the log does not tell. */
  readonly owner: string;
  readonly logicalId: string;
}

export const SPEC_LABEL = 'infra-spec';
export const NONCE_LABEL = 'infra-operation';
export const RESOURCE_LABEL = 'infra-resource';
const MANAGER = 'managed-by';
const OWNER_LABELS = [MANAGER, 'infra-project', 'infra-stack', 'infra-owner', RESOURCE_LABEL] as const;
const OUR_LABELS: ReadonlySet<string> = new Set([...OWNER_LABELS, SPEC_LABEL, NONCE_LABEL]);

export function ownershipLabels({ project, stack, owner, logicalId }: Owner): Labels {
  return {
    [MANAGER]: 'infra',
    'infra-project': project,
    'infra-stack': stack,
    'infra-owner': owner,
    [RESOURCE_LABEL]: logicalId,
  };
}

/** Whether every one of some labels, and there must be one, is on a resource. */
export function hasLabels(live: Labels, wanted: Labels): boolean {
  const entries = Object.entries(wanted);
  return entries.length > 0 && entries.every(([key, value]) => live[key] === value);
}

/**
 * How labels stand to an owner: `ours` in full; `partly` where some are missing and none contradicts; `unlabelled`;
 * `sibling`: another resource of the same stack; `foreign`: someone else's, be it another tool's.
 */
export type Standing = 'ours' | 'partly' | 'unlabelled' | 'sibling' | 'foreign';

export function standingOf(live: Labels, owner: Owner): Standing {
  const wanted = ownershipLabels(owner);
  const there = OWNER_LABELS.filter((key) => live[key] !== undefined);
  if (there.length === 0) return 'unlabelled';
  const differing = there.filter((key) => live[key] !== wanted[key] && !(key === 'infra-owner' && owner.owner === ''));
  if (differing.length === 0) return there.length === OWNER_LABELS.length ? 'ours' : 'partly';
  return differing.length === 1 && differing[0] === RESOURCE_LABEL && there.length === OWNER_LABELS.length
    ? 'sibling'
    : 'foreign';
}

/** Labels as a field of the resource: ours, without the nonce; other people's are none of our business. */
export function managedLabels(live: Labels): JsonObject {
  return Object.fromEntries(Object.entries(live).filter(([key]) => OUR_LABELS.has(key) && key !== NONCE_LABEL));
}

export function urnFor(service: string, kind: string, owner: Owner): string {
  const { folderId, project, stack, logicalId } = owner;
  return `yandex:${service}:${kind}:${folderId}/${project}/${stack}/${logicalId}`;
}

const URN = /^yandex:[a-z]+:[a-z_]+:([a-z0-9]{3,50})\/([-_0-9a-z]{1,63})\/([-_0-9a-z]{1,63})\/([-_0-9a-z]{1,63})$/;

/** What a URN says; null where it is none of ours. The owner's name stands only in labels. */
export function ownerOfUrn(urn: string, desired: ValueObject): Owner | null {
  const [, folderId, project, stack, logicalId] = URN.exec(urn) ?? [];
  if (folderId === undefined || project === undefined || stack === undefined || logicalId === undefined) return null;
  const labels = desired['labels'];
  return { folderId, project, stack, logicalId, owner: isMap(labels) ? textAt(labels, 'infra-owner') : '' };
}

/** The URN that a resource's own labels give it; null where they don't say whose it is. */
export function urnOfLabels(service: string, kind: KindName, folderId: string, labels: Labels): string | null {
  const [project, stack, logicalId] = [labels['infra-project'], labels['infra-stack'], labels[RESOURCE_LABEL]];
  if (labels[MANAGER] !== 'infra' || project === undefined || stack === undefined || logicalId === undefined)
    return null;
  return urnFor(service, kind, { folderId, project, stack, logicalId, owner: '' });
}

/** Whose a resource's own labels say it is; null where they don't say all of it. */
export function claimOf(labels: Labels): Pick<Owner, 'project' | 'stack' | 'owner'> | null {
  const [project, stack, owner] = [labels['infra-project'], labels['infra-stack'], labels['infra-owner']];
  if (labels[MANAGER] !== 'infra' || project === undefined || stack === undefined || owner === undefined) return null;
  return { project, stack, owner };
}

/** Whose a resource is by its labels, as a person reads it. */
export function describeOwner(labels: Labels): string {
  return OWNER_LABELS.flatMap((key) => (labels[key] === undefined ? [] : [`${key}: ${labels[key]}`])).join(', ');
}

/** The owner that linking put into a declaration. */
export function ownerOf({ options }: Declaration): Owner {
  return {
    folderId: textAt(options, 'folder_id'),
    project: textAt(options, 'project'),
    stack: textAt(options, 'stack'),
    owner: textAt(options, 'owner'),
    logicalId: textAt(options, 'logical_id'),
  };
}

export function ownerOptions({ folderId, project, stack, owner, logicalId }: Owner): JsonObject {
  return { folder_id: folderId, project, stack, owner, logical_id: logicalId };
}
