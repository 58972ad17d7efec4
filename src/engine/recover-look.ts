import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import type { RecoverVerdict } from '../core/recover-report.ts';
import type { Declaration, Interrupted } from '../core/resource.ts';
import type { OpenIntent, OperationKind } from '../eventlog/event-log.ts';
import type { LifecycleProvider, Target } from '../providers/lifecycle-provider.ts';
import { settingsFor } from './readers.ts';
import type { Recovering } from './recover-context.ts';
import { findingOf, type Settlement, type Sight, settleIntent } from './settle.ts';

/** What a look at an interrupted request's resource came to. */
export interface Looked {
  readonly open: OpenIntent;
  /** Certain: it is written down and closed. */
  readonly settled: boolean;
  /** What was seen of the resource, whatever the request was for. */
  readonly verdict: RecoverVerdict;
  readonly resourceId: string | null;
  /** Null: not known. */
  readonly happened: boolean | null;
  /** What is recorded where it happened. */
  readonly facts: readonly ProviderFact[];
  readonly why: Diagnostic | null;
  readonly hint: string | null;
}

/** Reads what became of an interrupted request. */
export async function lookAtIntent(recovering: Recovering, open: OpenIntent): Promise<Looked> {
  const reached = await reach(recovering, open.intent.provider_fact);
  if (reached.kind === 'unreachable') {
    const resourceId = open.intent.provider_fact.resource_id ?? null;
    return unresolved(recovering, open, { verdict: 'unreadable', resourceId }, reached.why);
  }
  const { target, provider } = reached;
  const finding = await findingOf(open, provider, target);
  const session = provider.openSession();
  const seen = finding === null ? await session.observe(target) : ({ kind: 'absent' } as const);
  const item = { declaration: target.declaration, stack: stackOf(open), spec: target.declaration.action };
  const settlement = settleIntent(item, open, { seen, finding }, recovering.ownership);
  const { verdict, resourceId } = sightOf(open, settlement, { seen, finding });
  // A refusal that may also mean "does not exist" closes nothing of what was there before.
  const isCertain = settlement.verdict === 'done' || (settlement.verdict === 'not_applied' && verdict !== 'unreadable');
  const shown = finding ?? seen;
  if (!isCertain) return unresolved(recovering, open, { verdict, resourceId }, 'why' in shown ? shown.why : null);
  const happened = settlement.verdict === 'done';
  const hint = happened ? keptHint(open.intent.operation, recovering) : againHint(open.intent.operation);
  return { open, settled: true, happened, verdict, resourceId, facts: settlement.facts, why: null, hint };
}

/** What was made belongs to its stack from now on, whatever else its run did. */
function keptHint(operation: OperationKind, { request }: Recovering): string | null {
  if (operation !== 'create' || request.rollback) return null;
  return 'It is kept, and owned: the next apply goes on with it, and infra destroy removes it.';
}

/** No more than a look shows: of an update that takes several requests, some may have been done. */
function againHint(operation: OperationKind): string {
  if (operation === 'delete') return 'It is still there, and its deletion may be asked for again.';
  return operation === 'create'
    ? 'Nothing of it is there, and it may be asked for again.'
    : 'It is not, or not in all, as was asked for, which may be asked for again.';
}

type Seen = Pick<Looked, 'verdict' | 'resourceId'>;

function sightOf({ intent }: OpenIntent, { verdict }: Settlement, { seen, finding }: Sight): Seen {
  const known = intent.provider_fact.resource_id ?? null;
  if (finding !== null) return { verdict: finding.kind, resourceId: finding.kind === 'found' ? finding.id : null };
  // What is marked as deleted may be read for a while; what was never made is hidden as what one may not see is.
  const isHidden = seen.kind === 'not_visible' && intent.operation === 'create';
  if (seen.kind === 'absent' || isHidden || (intent.operation === 'delete' && verdict === 'done'))
    return { verdict: 'not_found', resourceId: known };
  return seen.kind === 'present'
    ? { verdict: 'found', resourceId: seen.id ?? known }
    : { verdict: 'unreadable', resourceId: known };
}

function unresolved({ ports, request }: Recovering, open: OpenIntent, seen: Seen, why: Diagnostic | null): Looked {
  const { urn, provider_fact: fact } = open.intent;
  const catalogue = ports.catalogues.get(fact.provider);
  const declaration = catalogue?.declarationOf(fact.resource_type, urn, fact.desired) ?? null;
  const lookup = declaration === null ? null : catalogue?.lookupOf?.(declaration, interrupted(open));
  const hint = hintOf(open, lookup ?? null, request.rollback);
  // What contradicts itself is named where one looks for what to do.
  const told = seen.verdict === 'conflict' && why !== null ? `${why.detail} ${hint}` : hint;
  return { ...seen, open, settled: false, happened: null, facts: [], why, hint: told };
}

function interrupted({ intent, operationName, namedOperation }: OpenIntent): Interrupted {
  return {
    change: intent.operation,
    nonce: intent.operation_id,
    resourceId: intent.provider_fact.resource_id ?? null,
    operation: namedOperation ?? operationName,
  };
}

function hintOf({ operationName, intent }: OpenIntent, lookup: string | null, rollback: boolean): string {
  const isNamed = operationName !== null && operationName !== '';
  if (lookup === null && isNamed)
    return `Its operation ${operationName} may still run: apply the same digest again later.`;
  const look = lookup === null ? 'Look for it in the cloud.' : `To look: ${lookup}.`;
  const command = rollback ? 'infra recover --rollback --abandon' : 'infra recover --abandon';
  return `${look} When you know that it was never made or is gone: ${command} ${intent.urn}`;
}

function stackOf({ intent }: OpenIntent): string | null {
  return intent.stack === UNSCOPED ? null : intent.stack;
}

export type Reached =
  | {
      readonly kind: 'reached';
      readonly provider: LifecycleProvider;
      readonly target: Target;
      readonly declaration: Declaration;
    }
  | { readonly kind: 'unreachable'; readonly why: Diagnostic };

/** The provider and the declaration behind a fact. */
export async function reach({ ports, request }: Recovering, fact: ProviderFact): Promise<Reached> {
  const catalogue = ports.catalogues.get(fact.provider);
  const declaration = catalogue?.declarationOf(fact.resource_type, fact.urn, fact.desired) ?? null;
  if (declaration === null)
    return {
      kind: 'unreachable',
      why: diagnostic('UNSUPPORTED', 'this version does not know how to read a resource of this kind.', {
        urn: fact.urn,
      }),
    };
  const { auth, endpoint, settings: said } = request.authOf(fact.stack, fact.provider);
  const settings = settingsFor(catalogue, declaration, said);
  const opened = await ports.pool.open({ provider: fact.provider, auth, endpoint, settings });
  if (opened.kind === 'unusable') return { kind: 'unreachable', why: { ...opened.why, urn: fact.urn } };
  const target: Target = {
    declaration,
    desired: declaration.desired,
    resourceId: fact.resource_id ?? null,
    pending: new Set(),
    forDelete: fact.verb === 'delete',
  };
  return { kind: 'reached', provider: opened.provider, target, declaration };
}
