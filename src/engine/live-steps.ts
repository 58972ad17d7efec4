import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { UNSCOPED } from '../core/facts.ts';
import type { Observation } from '../core/resource.ts';
import { isKnown, referencesIn, type ValueObject } from '../core/value.ts';
import type { ReadSession, Target } from '../providers/lifecycle-provider.ts';
import type { DeclaredNames } from './declared-names.ts';
import { urnOf } from './findings.ts';
import { loadEvaluator } from './load-evaluator.ts';
import { isNameTaken } from './namesake.ts';
import type { Prepared, PreparedStep } from './prepare.ts';
import { type Looking, readSessions, settingsFor } from './readers.ts';
import { resolveDesired } from './resolve.ts';
import { resultData, type StepResult } from './results.ts';

type Unreadable = { readonly kind: 'unreadable'; readonly why: Diagnostic };

/** A step's desired with all that only the cloud knows: other steps' results, and places that are written as names. */
export type LiveDesired = { readonly kind: 'resolved'; readonly desired: ValueObject } | Unreadable;

/** What the steps of a playbook stand for in the cloud: found as a plan finds it, and by reading alone. */
export interface LiveSteps {
  /** What of it depends on something that is not there stays unknown. */
  resolve(item: PreparedStep): Promise<LiveDesired>;
  /** Each is looked for once: many things lie in one folder. */
  observe(item: PreparedStep): Promise<Observation>;
}

/** How looks take what they do not get to see. */
export interface LookRules {
  /**
   * What is hidden, in a place of a name that nothing has, or of a name that something else has, is taken to be absent,
   * and so is what lies in it. Else that can't be told.
   */
  readonly hiddenIsAbsent: boolean;
}

interface Looks {
  readonly rules: LookRules;
  readonly looking: Looking;
  readonly prepared: Prepared;
  /** As what the log owns a step's resource. */
  readonly ownedOf: DeclaredNames['ownedOf'];
  readonly sessionOf: ReturnType<typeof readSessions>;
  readonly seen: Map<string, Promise<Seen>>;
}

/** A look at a step's resource, with what other steps may take from it; null: it is not there, or can't be seen. */
interface Seen {
  readonly observation: Observation;
  readonly result: StepResult | null;
}

/** Looks that share their sessions with the caller's own. */
export function liveSteps(
  looking: Looking,
  prepared: Prepared,
  { ownedOf }: Pick<DeclaredNames, 'ownedOf'>,
  sessionOf = readSessions(),
  rules: LookRules = { hiddenIsAbsent: false },
): LiveSteps {
  const looks: Looks = { rules, looking, prepared, ownedOf, sessionOf, seen: new Map() };
  return {
    resolve: async (item) => {
      const reached = await reach(looks, item);
      return reached.kind === 'reached' ? { kind: 'resolved', desired: reached.target.desired } : reached;
    },
    observe: async (item) => (await see(looks, item)).observation,
  };
}

function see(looks: Looks, item: PreparedStep): Promise<Seen> {
  const { address } = item.step;
  const seen = looks.seen.get(address) ?? look(looks, item);
  looks.seen.set(address, seen);
  return seen;
}

async function look(looks: Looks, item: PreparedStep): Promise<Seen> {
  const reached = await reach(looks, item);
  if (reached.kind === 'unreadable')
    return { observation: isNowhere(looks, reached.why) ? { kind: 'absent' } : reached, result: null };
  const { session, target } = reached;
  const observation = withoutNamesake(looks, await session.observe(target));
  if (observation.kind !== 'present') return { observation, result: null };
  const data = resultData(item, urnOf(item, target.desired), observation.resource);
  return { observation, result: { data, complete: true } };
}

/** A place by a name that nothing has: nothing lies there. */
function isNowhere({ rules }: Looks, why: Diagnostic): boolean {
  return rules.hiddenIsAbsent && why.code === 'NOT_FOUND';
}

/** What something else has the name of is not there itself. */
function withoutNamesake({ rules }: Looks, seen: Observation): Observation {
  return rules.hiddenIsAbsent && isNameTaken(seen) ? { kind: 'absent' } : seen;
}

type Reached = { readonly kind: 'reached'; readonly session: ReadSession; readonly target: Target } | Unreadable;

async function reach(looks: Looks, item: PreparedStep): Promise<Reached> {
  const referred = await resolveReferences(looks, item);
  if (referred.kind === 'unreadable') return referred;
  const { looking, ownedOf, sessionOf } = looks;
  const { step, declaration, catalogue } = item;
  const { auth, endpoint, settings } = looking.authOf(item.stack ?? UNSCOPED, step.provider, step);
  const opened = await looking.readers.open({
    provider: step.provider,
    auth,
    endpoint,
    settings: settingsFor(catalogue, declaration, settings),
  });
  if (opened.kind === 'unusable') return { kind: 'unreadable', why: opened.why };
  const session = sessionOf(opened.provider);
  const target: Target = {
    declaration,
    desired: referred.desired,
    resourceId: ownedOf(item)?.resourceId ?? null,
    pending: referred.absent,
    forDelete: false,
  };
  const resolved = await session.resolve(target);
  if (resolved.kind === 'failed') return { kind: 'unreadable', why: resolved.why };
  return { kind: 'reached', session, target: { ...target, desired: resolved.desired } };
}

type Referred =
  | { readonly kind: 'referred'; readonly desired: ValueObject; readonly absent: ReadonlySet<string> }
  | Unreadable;

/** Puts in what other steps' resources tell as they are; what is not there makes nothing known. */
async function resolveReferences(looks: Looks, item: PreparedStep): Promise<Referred> {
  const { desired } = item.declaration;
  const absent = new Set(looks.rules.hiddenIsAbsent ? await missingAmong(looks, item.declaration.needs) : []);
  if (isKnown(desired)) return { kind: 'referred', desired, absent };
  const results = new Map<string, StepResult>();
  for (const address of new Set(referencesIn(desired).map((reference) => reference.address))) {
    const told = await tellOf(looks, looks.prepared.declared.get(address));
    if (told.kind === 'unreadable') return told;
    if (told.kind === 'absent') absent.add(address);
    if (told.kind === 'told') results.set(address, told.result);
  }
  try {
    const evaluate = await loadEvaluator(looks.prepared);
    const resolved = resolveDesired(item, desired, (address) => results.get(address), evaluate);
    return { kind: 'referred', desired: resolved, absent };
  } catch (error) {
    const [why] = error instanceof DiagnosticError ? error.diagnostics : [];
    if (why === undefined) throw error;
    return { kind: 'unreadable', why };
  }
}

/** Which of these are not there, or on their way out: nothing can lie in them. */
async function missingAmong(looks: Looks, addresses: readonly string[]): Promise<readonly string[]> {
  const missing = await Promise.all(
    addresses.map(async (address) => {
      const item = looks.prepared.declared.get(address);
      if (item?.spec.kind !== 'ensure') return [];
      const { observation: seen } = await see(looks, item);
      const isGoing = seen.kind === 'present' && seen.state === 'DELETE_REQUESTED';
      return isGoing || seen.kind === 'absent' || seen.kind === 'not_visible' ? [address] : [];
    }),
  );
  return missing.flat();
}

type Told =
  | { readonly kind: 'told'; readonly result: StepResult }
  | { readonly kind: 'absent' }
  /** Only an apply would tell. */
  | { readonly kind: 'nothing' }
  | Unreadable;

async function tellOf(looks: Looks, item: PreparedStep | undefined): Promise<Told> {
  if (item?.spec.kind === 'read') return await readFor(looks, item);
  if (item?.spec.kind !== 'ensure') return { kind: 'nothing' };
  const { observation, result } = await see(looks, item);
  if (observation.kind === 'not_visible' && looks.rules.hiddenIsAbsent) return { kind: 'absent' };
  if (observation.kind === 'unreadable' || observation.kind === 'not_visible')
    return { kind: 'unreadable', why: observation.why };
  return result === null ? { kind: 'absent' } : { kind: 'told', result };
}

async function readFor(looks: Looks, item: PreparedStep): Promise<Told> {
  const reached = await reach(looks, item);
  if (reached.kind === 'unreadable') return reached;
  const { session, target } = reached;
  if (!isKnown(target.desired)) return { kind: 'nothing' };
  const answer = await session.read(item.declaration, target.desired);
  if (answer.kind === 'failed') return { kind: 'unreadable', why: answer.why };
  return { kind: 'told', result: { data: resultData(item, null, answer.resource), complete: true } };
}
