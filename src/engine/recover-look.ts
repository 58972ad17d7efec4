import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { type ProviderFact, UNSCOPED } from '../core/facts.ts';
import type { RecoverVerdict } from '../core/recover-report.ts';
import type { Declaration } from '../core/resource.ts';
import type { OpenIntent } from '../eventlog/event-log.ts';
import type { LifecycleProvider, OperationFinding, Target } from '../providers/lifecycle-provider.ts';
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
  if (reached.kind === 'unreachable') return unresolved(open, 'unreadable', reached.why);
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
  if (finding !== null) return unresolved(open, findingVerdict(finding), 'why' in finding ? finding.why : null);
  return unresolved(open, seen.kind === 'absent' ? 'not_found' : 'unreadable', 'why' in seen ? seen.why : null);
}

function findingVerdict({ kind }: OperationFinding): RecoverVerdict {
  return kind;
}

function unresolved(open: OpenIntent, verdict: RecoverVerdict, why: Diagnostic | null): Looked {
  const { urn } = open.intent;
  const hint =
    open.operationName !== null && open.operationName !== ''
      ? `Its operation ${open.operationName} may still run: apply the same digest again later.`
      : `Look for it in the cloud. When you know that it was never made or is gone: infra recover --abandon ${urn}`;
  return { open, settled: false, verdict, resourceId: null, facts: [], why, hint };
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
