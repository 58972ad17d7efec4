import type { ProviderFact } from '../core/facts.ts';
import type { Owned } from '../core/fold.ts';
import type { Json } from '../core/json.ts';
import type { OpenIntent } from './event-log.ts';
import type { Folded, SequenceState } from './fold-log.ts';
import type { LinePlace } from './lines.ts';
import type { Mark } from './marked-fold.ts';
import type { Resumable } from './read-log.ts';

/** Changes with what is stored; what the fold itself means changes with infra's version, which is stored too. */
export const CHECKPOINT_FORMAT = 5;
const BATCH = 512;

/** Which bytes of which file a checkpoint stands for. */
export interface Binding {
  readonly format: number;
  /** infra's version: another one may fold otherwise. */
  readonly version: string;
  readonly target: string;
  /** The log's real path. */
  readonly log: string;
  readonly device: string;
  readonly inode: string;
  /** When the file last changed in any way, in nanoseconds: holds while the log has not grown. */
  readonly changed: string;
  /** SHA-256 of the last bytes of the prefix, with the hash of its last row. */
  readonly tail: string;
  /** SHA-256 of the whole prefix; null where each of its rows is sealed, and the prefix too long to be read again. */
  readonly whole: string | null;
}

interface Header extends Binding {
  readonly place: LinePlace;
  readonly sequence: SequenceState;
  readonly openIntents: readonly OpenIntent[];
  readonly targets: readonly string[];
  readonly sealed: boolean;
  readonly dropped: readonly string[];
}

type OwnedFields = readonly [
  stack: string,
  provider: string,
  service: string,
  resourceType: string,
  resourceId: string | null,
  lastDesired: Json,
  lastExecutionId: Owned['lastExecutionId'],
  origin: Owned['origin'],
  began: Owned['began'],
  credential: string | null,
];

type MarkFields = readonly [
  ownedSince: number | null,
  decidedAt: number | null,
  protectedAt: number | null,
  asserted: boolean,
  ended: boolean,
  forgottenBy: readonly string[],
  protectedLike: readonly string[],
  claims: readonly string[],
  contested: readonly string[],
];

/** Everything about one URN. */
type Item = readonly [
  urn: string,
  owned: OwnedFields | null,
  tombstone: ProviderFact | null,
  protection: boolean | null,
  mark: MarkFields | null,
];

/** A checkpoint as lines of JSON: what it stands for, then what was folded. */
export function* encodeCheckpoint(
  binding: Binding,
  { place, sequence, folded }: Resumable,
): Generator<string, void, undefined> {
  const { openIntents, targets, sealed, dropped } = folded;
  yield JSON.stringify({ ...binding, place, sequence, openIntents, targets, sealed, dropped } satisfies Header);
  let batch: Item[] = [];
  for (const urn of urnsOf(folded)) {
    batch.push(itemOf(urn, folded));
    if (batch.length < BATCH) continue;
    yield JSON.stringify(batch);
    batch = [];
  }
  if (batch.length > 0) yield JSON.stringify(batch);
}

function urnsOf({ model, marks }: Folded): ReadonlySet<string> {
  const urns = new Set(model.owned.keys());
  for (const map of [model.tombstones, marks]) for (const urn of map.keys()) urns.add(urn);
  // Those about whose protection something was said come last, in the order of the words: the newest counts for all names.
  for (const urn of model.protection.keys()) {
    urns.delete(urn);
    urns.add(urn);
  }
  return urns;
}

function itemOf(urn: string, { model, marks }: Folded): Item {
  const owned = model.owned.get(urn);
  const mark = marks.get(urn);
  return [
    urn,
    owned === undefined ? null : ownedFields(owned),
    model.tombstones.get(urn) ?? null,
    model.protection.get(urn) ?? null,
    mark === undefined
      ? null
      : [
          mark.ownedSince,
          mark.decidedAt,
          mark.protectedAt,
          mark.asserted,
          mark.ended,
          mark.forgottenBy,
          mark.protectedLike,
          mark.claims,
          mark.contested,
        ],
  ];
}

function ownedFields(item: Owned): OwnedFields {
  const { stack, provider, service, resourceType, resourceId } = item;
  const { lastDesired, lastExecutionId, origin, began, credential } = item;
  return [stack, provider, service, resourceType, resourceId, lastDesired, lastExecutionId, origin, began, credential];
}

/** The binding alone, from a checkpoint's first line. */
export function decodeBinding(line: string): Binding & Pick<Header, 'place'> {
  return decodeHeader(line);
}

/** What was folded. The lines are ones that encodeCheckpoint made: whoever reads them has checked that. */
export function decodeCheckpoint(lines: readonly string[]): Resumable {
  const { place, sequence, openIntents, targets, sealed, dropped } = decodeHeader(lines[0] ?? '');
  const owned = new Map<string, Owned>();
  const tombstones = new Map<string, ProviderFact>();
  const protection = new Map<string, boolean>();
  const marks = new Map<string, Mark>();
  for (const line of lines.slice(1)) {
    for (const [urn, ownedItem, tombstone, isProtected, mark] of JSON.parse(line) as readonly Item[]) {
      if (ownedItem !== null) owned.set(urn, ownedOf(urn, ownedItem));
      if (tombstone !== null) tombstones.set(urn, tombstone);
      if (isProtected !== null) protection.set(urn, isProtected);
      if (mark !== null) marks.set(urn, markOf(mark));
    }
  }
  const model = { owned, tombstones, protection };
  return { place, sequence, folded: { model, marks, openIntents, targets, sealed, dropped } };
}

function decodeHeader(line: string): Header {
  return JSON.parse(line) as Header;
}

function ownedOf(
  urn: string,
  [
    stack,
    provider,
    service,
    resourceType,
    resourceId,
    lastDesired,
    lastExecutionId,
    origin,
    began,
    credential,
  ]: OwnedFields,
): Owned {
  return {
    urn,
    stack,
    provider,
    service,
    resourceType,
    resourceId,
    lastDesired,
    lastExecutionId,
    origin,
    began,
    credential,
  };
}

function markOf(fields: MarkFields): Mark {
  const [ownedSince, decidedAt, protectedAt, asserted, ended, forgottenBy, protectedLike, claims, contested] = fields;
  return { ownedSince, decidedAt, protectedAt, asserted, ended, forgottenBy, protectedLike, claims, contested };
}
