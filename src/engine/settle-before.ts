import { type OwnershipModel, startFold } from '../core/fold.ts';
import type { OpenIntent } from '../eventlog/event-log.ts';
import { type LookContext, lookAtDeclared } from './declared-look.ts';
import { declaredNames } from './declared-names.ts';
import { ownershipOf } from './ownership.ts';
import type { LogView, PlanContext } from './plan-context.ts';
import { sessionOpener } from './plan-run.ts';
import type { EnginePorts } from './ports.ts';
import type { Prepared, PreparedStep } from './prepare.ts';
import { findingOf, type Settlement, settleIntent } from './settle.ts';

/** What the log shows once the interrupted requests are settled that may have made or changed something. */
export interface SettledBefore {
  readonly model: OwnershipModel;
  readonly settledBefore: ReadonlyMap<string, Settlement>;
}

interface Waiting {
  readonly item: PreparedStep;
  readonly open: OpenIntent;
}

/**
 * Settles, in memory, what earlier runs set out to make or to change. A verb that takes its steps from what is owned has
 * to know that first; an interrupted deletion is settled with its own step, which may take it up again.
 */
export async function settleBefore(
  ports: EnginePorts,
  prepared: Prepared,
  { model, openIntents }: LogView,
  open: PlanContext['open'],
): Promise<SettledBefore> {
  const waiting = openOf(ports, prepared, model, openIntents);
  if (waiting.length === 0) return { model, settledBefore: new Map() };
  const context: LookContext = {
    ports,
    prepared,
    ownership: ownershipOf(ports, model),
    sessionOf: sessionOpener(new Map()),
  };
  const settled = await Promise.all(
    waiting.map(async (one) => [one.item.step.address, await settle(context, one, open)] as const),
  );
  const fold = startFold(model);
  for (const [, { facts }] of settled) for (const fact of facts) fold.add(fact);
  return { model: fold.model, settledBefore: new Map(settled) };
}

function openOf(
  ports: EnginePorts,
  prepared: Prepared,
  model: OwnershipModel,
  openIntents: readonly OpenIntent[],
): readonly Waiting[] {
  if (openIntents.length === 0) return [];
  const names = declaredNames(ports, prepared, model);
  const byUrn = new Map(openIntents.map((open) => [open.intent.urn, open]));
  return [...prepared.steps.values()].flatMap((item) => {
    if (item.spec.kind !== 'ensure' || item.held !== null) return [];
    const open = byUrn.get(names.urnOf(item) ?? '');
    return open === undefined || open.intent.operation === 'delete' ? [] : [{ item, open }];
  });
}

async function settle(
  context: LookContext,
  { item, open }: Waiting,
  openProvider: PlanContext['open'],
): Promise<Settlement> {
  const opened = await openProvider(item);
  if (opened.kind === 'unusable') return { open, verdict: 'unresolved', facts: [] };
  const { declaration } = item;
  const target = {
    declaration,
    desired: declaration.desired,
    resourceId: null,
    pending: new Set<string>(),
    forDelete: false,
  };
  // Where a nonce tells, what the resource looks like otherwise says nothing.
  const finding = await findingOf(open, opened.provider, target);
  const seen = finding === null ? (await lookAtDeclared(context, item)).seen : ({ kind: 'absent' } as const);
  return settleIntent(item, open, { seen, finding }, context.ownership);
}
