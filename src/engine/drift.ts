import { diagnostic } from '../core/codes.ts';
import { diffFields } from '../core/diff.ts';
import { UNSCOPED } from '../core/facts.ts';
import type { Owned, OwnershipModel } from '../core/fold.ts';
import { compareText } from '../core/graph.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { FORMAT_VERSION, type Verdict } from '../core/plan.ts';
import type { DriftEntry, DriftReport, DriftSummary } from '../core/reports.ts';
import type { Declaration, Observation, ProviderCatalogue } from '../core/resource.ts';
import type { Playbook } from '../core/step.ts';
import { displayObject } from '../core/value.ts';
import type { LogState } from '../eventlog/event-log.ts';
import { type DeclaredNames, declaredNames, isRenamable } from './declared-names.ts';
import { type DriftIgnore, ignoredOf } from './drift-ignores.ts';
import { isMeant, ownedOnce, refuseUnknown } from './drift-names.ts';
import { learnByReading } from './learn-by-reading.ts';
import { type LiveSteps, liveSteps } from './live-steps.ts';
import { seenAsOwned } from './namesake.ts';
import { oneNames } from './one-name.ts';
import type { EnginePorts, VerbOptions } from './ports.ts';
import { type PreparedStep, prepare } from './prepare.ts';
import { type Looking, readSessions, settingsFor } from './readers.ts';
import { stackNotice } from './stack-notice.ts';
import { verdictOf } from './verdict.ts';

export interface DriftRequest extends Looking {
  /** What the log knows of the target. */
  readonly state: LogState;
  readonly catalogues: EnginePorts['catalogues'];
  /** The rows of which target count. */
  readonly target: string;
  /** Null: every stack. */
  readonly stack: string | null;
  /** URNs, or addresses and step names of the playbook; empty: all. */
  readonly targets: readonly string[];
  /** The same, to be left out. */
  readonly excludes: readonly string[];
  /** What it declares and nobody owns is looked at as well. */
  readonly playbook: Playbook | null;
  readonly options: VerbOptions;
  readonly ignores: readonly DriftIgnore[];
  /** Milliseconds since the epoch, for ignores that expire. */
  readonly now: number;
  onResult(entry: DriftEntry): void;
}

/** One resource to be looked at. */
interface Subject {
  readonly urn: string;
  readonly stack: string;
  readonly desired: Json;
  readonly owned: boolean;
  readonly declaration: Declaration | null;
  look(): Promise<Observation>;
}

/** What the log says is owned, against what is live. Reads only, and writes nothing anywhere. */
export async function findDrift(request: DriftRequest): Promise<DriftReport> {
  const { state } = request;
  const owned = [...state.model.owned.values()].filter(
    (item) => request.stack === null || item.stack === request.stack,
  );
  const sessionOf = readSessions();
  const declared =
    request.playbook === null ? [] : await declaredSubjects(request, request.playbook, state.model, sessionOf);
  const chosen = await chosenSubjects(request, owned, declared, sessionOf);
  const ownedIds = new Set(owned.flatMap(({ resourceId }) => (resourceId === null ? [] : [resourceId])));
  const looked = await Promise.all(
    chosen.sort((a, b) => compareText(a.urn, b.urn)).map((subject) => entryOf(request, subject, ownedIds)),
  );
  const resources = looked.filter((entry) => entry !== null);
  return {
    format_version: FORMAT_VERSION,
    command: 'drift',
    target: request.target,
    stack: request.stack,
    resources,
    summary: summaryOf(resources),
    diagnostics: [...state.diagnostics, ...stackNotice(state.model, declared.length > 0 ? null : request.stack)],
  };
}

/** What is owned, and what is declared and owned under no name that the log or the cloud gives, as far as it is asked for. */
async function chosenSubjects(
  request: DriftRequest,
  owned: readonly Owned[],
  declared: readonly Declared[],
  sessionOf: SessionOf,
): Promise<Subject[]> {
  const words = [...request.targets, ...request.excludes];
  const { model } = await learnByReading(request, {
    catalogues: request.catalogues,
    model: request.state.model,
    asked: [
      ...owned.map(({ urn, stack }) => ({ urn, via: stack })),
      ...declared.map(({ subject: { urn, stack } }) => ({ urn, via: stack })),
      ...words.map((urn) => ({ urn, via: request.stack ?? UNSCOPED })),
    ],
    going: new Set(),
  });
  const { urnOf } = oneNames(request, model);
  const taken = new Set([...model.owned.keys()].map(urnOf));
  const subjects = [
    ...ownedOnce(owned, new Set(declared.flatMap(({ urn, subject }) => [urn ?? subject.urn, subject.urn])), urnOf).map(
      (item) => ownedSubject(request, item, sessionOf),
    ),
    ...declared.filter(({ subject }) => !taken.has(urnOf(subject.urn))).map(({ subject }) => subject),
  ];
  const names = new Map(
    declared.map(
      ({ address, name, urn, subject }) =>
        [urnOf(subject.urn), [address, name, subject.urn, urn ?? subject.urn]] as const,
    ),
  );
  const namesOf = ({ urn }: Subject) => [urn, urnOf(urn), ...(names.get(urnOf(urn)) ?? [])];
  const nameOf = (word: string) => (taken.has(urnOf(word)) ? urnOf(word) : word);
  const [targets, excludes] = [request.targets.map(nameOf), request.excludes.map(nameOf)];
  refuseUnknown([...targets, ...excludes], subjects.flatMap(namesOf));
  return subjects.filter((subject) => {
    const own = namesOf(subject);
    return isMeant({ targets, excludes }, (word) => own.includes(word));
  });
}

type SessionOf = ReturnType<typeof readSessions>;

function ownedSubject(request: DriftRequest, item: Owned, sessionOf: SessionOf): Subject {
  const catalogue = request.catalogues.get(item.provider) ?? null;
  const ours = catalogue?.fromForeign(item.resourceType, item.urn, item.lastDesired) ?? {
    urn: item.urn,
    desired: item.lastDesired,
  };
  const { urn, stack } = item;
  const { desired } = ours;
  const declaration = catalogue?.declarationOf(item.resourceType, ours.urn, desired) ?? null;
  const look = async (): Promise<Observation> =>
    catalogue === null || declaration === null || !isJsonObject(desired)
      ? { kind: 'unreadable', why: diagnostic('UNSUPPORTED', UNKNOWN_KIND, { urn }) }
      : await lookAtOwned(request, item, { catalogue, declaration, desired }, sessionOf);
  return { urn, stack, desired, owned: true, declaration, look };
}

const UNKNOWN_KIND = 'this version does not know how to read a resource of this kind.';

async function lookAtOwned(
  { authOf, readers }: DriftRequest,
  { stack, resourceId }: Owned,
  known: { readonly catalogue: ProviderCatalogue; readonly declaration: Declaration; readonly desired: JsonObject },
  sessionOf: SessionOf,
): Promise<Observation> {
  const { catalogue, declaration, desired } = known;
  const { provider } = catalogue;
  const { auth, endpoint, settings: said } = authOf(stack, provider);
  const settings = settingsFor(catalogue, declaration, said);
  const opened = await readers.open({ provider, auth, endpoint, settings });
  if (opened.kind === 'unusable') return { kind: 'unreadable', why: opened.why };
  const session = sessionOf(opened.provider);
  const target = { declaration, desired, resourceId, pending: new Set<string>(), forDelete: false };
  const resolved = await session.resolve(target);
  if (resolved.kind === 'failed') return { kind: 'unreadable', why: resolved.why };
  return seenAsOwned({ resourceId }, await session.observe({ ...target, desired: resolved.desired }));
}

interface Declared {
  readonly address: string;
  readonly name: string;
  /** As it is declared, which may differ from what it is owned under. */
  readonly urn: string | null;
  readonly subject: Subject;
}

async function declaredSubjects(
  request: DriftRequest,
  playbook: Playbook,
  model: OwnershipModel,
  sessionOf: SessionOf,
): Promise<readonly Declared[]> {
  // Targets may name what the playbook does not declare: they are looked for among everything.
  const prepared = prepare(request, playbook, { ...request.options, targets: [], excludes: [] }, 'plan');
  const ensures = prepared.order.flatMap((address) => {
    const item = prepared.steps.get(address);
    return item?.spec.kind === 'ensure' ? [item] : [];
  });
  const names = declaredNames(request, prepared, model);
  const live = liveSteps(request, prepared, names, sessionOf);
  const found = await Promise.all(ensures.map((item) => declaredSubject(request, item, names, live)));
  return found.filter((one) => one !== null);
}

async function declaredSubject(
  request: DriftRequest,
  item: PreparedStep,
  names: DeclaredNames,
  live: LiveSteps,
): Promise<Declared | null> {
  const stack = item.stack ?? UNSCOPED;
  if (request.stack !== null && stack !== request.stack) return null;
  // What is owned by another name, to be renamed by the next apply, is shown under that one.
  const { catalogue, declaration, step } = item;
  const desired = displayObject(declaration.desired);
  const urn =
    (await urnOfDeclared(item, names, live)) ??
    // Where it is to lie is not there yet, or can't be told.
    catalogue.urnOf(declaration, desired) ??
    step.address;
  const subject = { urn, stack, desired, owned: false, declaration, look: () => live.observe(item) };
  return { address: step.address, name: step.name, urn: names.urnOf(item), subject };
}

async function urnOfDeclared(item: PreparedStep, names: DeclaredNames, live: LiveSteps): Promise<string | null> {
  const owned = names.ownedOf(item);
  const known = owned?.urn ?? names.urnOf(item);
  if (owned !== null || (known !== null && !isRenamable(item.declaration))) return known;
  const found = await live.resolve(item);
  if (found.kind !== 'resolved') return known;
  // Owned under a place whose ids only the cloud knows, or by no name yet.
  return names.ownedAt(item, found.desired)?.urn ?? known ?? item.catalogue.urnOf(item.declaration, found.desired);
}

/** Null: it is something owned by another name, and shown under that one. */
async function entryOf(
  request: DriftRequest,
  subject: Subject,
  ownedIds: ReadonlySet<string>,
): Promise<DriftEntry | null> {
  const seen = await subject.look();
  if (!subject.owned && seen.kind === 'present' && seen.id !== null && ownedIds.has(seen.id)) return null;
  const recorded = subject.owned ? subject.desired : null;
  const fields = subject.declaration?.fields ?? {};
  const drift = verdictOf(recorded, seen, fields);
  const present = seen.kind === 'present' ? seen : null;
  const diff =
    drift === 'modified' && present !== null && isJsonObject(recorded)
      ? diffFields(recorded, present.actual, fields)
      : {};
  const ignored = ignoredOf(request.ignores, subject.urn, drift, Object.keys(diff), request.now);
  const entry: DriftEntry = {
    urn: subject.urn,
    stack: subject.stack,
    drift,
    fields: Object.keys(diff),
    diff,
    desired: subject.desired,
    actual: present?.actual ?? null,
    why: seen.kind === 'unreadable' || seen.kind === 'not_visible' ? seen.why.detail : null,
    ignored: ignored.whole,
    ignored_fields: ignored.fields,
    purge_time: present?.purgeTime ?? null,
  };
  request.onResult(entry);
  return entry;
}

function summaryOf(entries: readonly DriftEntry[]): DriftSummary {
  const counts: Record<Verdict | 'ignored', number> = {
    in_sync: 0,
    missing: 0,
    modified: 0,
    untracked: 0,
    not_managed: 0,
    unchecked: 0,
    ignored: 0,
  };
  for (const entry of entries) counts[entry.ignored === null ? entry.drift : 'ignored'] += 1;
  return counts;
}
