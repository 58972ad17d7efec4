import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import type { RecoverVerdict } from '../core/recover-report.ts';
import type { Declaration, Interrupted } from '../core/resource.ts';
import type { OpenIntent } from '../eventlog/event-log.ts';
import type { LifecycleProvider, Target } from '../providers/lifecycle-provider.ts';
import { settingsFor } from './readers.ts';
import type { Recovering } from './recover-context.ts';
import { findingOf, settleIntent } from './settle.ts';

/** What a look at an interrupted request's resource came to. */
export interface Looked {
  readonly open: OpenIntent;
  /** Certain: it is written down and closed. */
  readonly settled: boolean;
  readonly verdict: RecoverVerdict;
  readonly resourceId: string | null;
  /** What is recorded where it happened. */
  readonly facts: readonly ProviderFact[];
  readonly why: Diagnostic | null;
  readonly hint: string | null;
}

/** Reads what became of an interrupted request. */
export async function lookAtIntent(recovering: Recovering, open: OpenIntent): Promise<Looked> {
  const reached = await reach(recovering, open.intent.provider_fact);
  if (reached.kind === 'unreachable') return unresolved(recovering, open, 'unreadable', reached.why);
  const { target, provider } = reached;
  const finding = await findingOf(open, provider, target);
  const session = provider.openSession();
  const seen = finding === null ? await session.observe(target) : ({ kind: 'absent' } as const);
  const item = { declaration: target.declaration, stack: stackOf(open), spec: target.declaration.action };
  const { verdict, facts } = settleIntent(item, open, { seen, finding }, recovering.ownership);
  const resourceId = facts.at(0)?.resource_id ?? null;
  if (verdict === 'done') return { open, settled: true, verdict: 'found', resourceId, facts, why: null, hint: null };
  if (verdict === 'not_applied')
    return { open, settled: true, verdict: 'not_found', resourceId: null, facts: [], why: null, hint: null };
  const left = finding?.kind ?? (seen.kind === 'absent' ? 'not_found' : 'unreadable');
  const shown = finding ?? seen;
  return unresolved(recovering, open, left, 'why' in shown ? shown.why : null);
}

function unresolved({ ports }: Recovering, open: OpenIntent, verdict: RecoverVerdict, why: Diagnostic | null): Looked {
  const { urn, provider_fact: fact } = open.intent;
  const catalogue = ports.catalogues.get(fact.provider);
  const declaration = catalogue?.declarationOf(fact.resource_type, urn, fact.desired) ?? null;
  const lookup = declaration === null ? null : catalogue?.lookupOf?.(declaration, interrupted(open));
  return { open, settled: false, verdict, resourceId: null, facts: [], why, hint: hintOf(open, lookup ?? null) };
}

function interrupted({ intent, operationName, namedOperation }: OpenIntent): Interrupted {
  return {
    change: intent.operation,
    nonce: intent.operation_id,
    resourceId: intent.provider_fact.resource_id ?? null,
    operation: namedOperation ?? operationName,
  };
}

function hintOf({ operationName, intent }: OpenIntent, lookup: string | null): string {
  const isNamed = operationName !== null && operationName !== '';
  if (lookup === null && isNamed)
    return `Its operation ${operationName} may still run: apply the same digest again later.`;
  const look = lookup === null ? 'Look for it in the cloud.' : `To look: ${lookup}.`;
  return `${look} When you know that it was never made or is gone: infra recover --abandon ${intent.urn}`;
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
