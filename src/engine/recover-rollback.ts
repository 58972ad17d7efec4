import type { Diagnostic } from '../core/diagnostics.ts';
import type { RecoverEntry } from '../core/recover-report.ts';
import type { OpenIntent } from '../eventlog/event-log.ts';
import { logProblemOf } from './append-rows.ts';
import { type Create, createsOf, runsOf } from './interrupted-runs.ts';
import { keepersOf } from './keepers.ts';
import type { Recovering } from './recover-context.ts';
import { type Looked, reach } from './recover-look.ts';
import { notProvable, type Undone, undoCreate } from './undo.ts';

export interface RolledBack {
  readonly rolledBack: readonly RecoverEntry[];
  /** What a read of its id showed to be gone before anything was sent. */
  readonly gone: readonly RecoverEntry[];
  readonly kept: readonly RecoverEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Undoes, newest first, what the interrupted runs made in the stacks where something of theirs is open, or was closed by
 * hand just now. Kept is what is protected, what may come to life yet, and what either of them needs.
 */
export async function rollBackRuns(
  recovering: Recovering,
  looked: readonly Looked[],
  abandoned: readonly OpenIntent[],
): Promise<RolledBack> {
  const { history } = recovering.request;
  const runs = await runsOf(history, [...looked.map(({ open }) => open), ...abandoned]);
  // What is still open is told as that: nothing proves that there is something to delete.
  const open = looked.filter(({ settled }) => !settled);
  const urns = new Set(open.map(({ open: { intent } }) => intent.urn));
  const creates = (await createsOf(history, runs)).filter(({ made }) => !urns.has(made.urn));
  const keepers = keepersOf(recovering, creates, open);
  const entries: { readonly undone: Undone; readonly entry: RecoverEntry }[] = [];
  for (const create of creates.reverse()) {
    const why = keepers.whyKept(create.made);
    const undone: Undone = why === null ? await undo(recovering, create) : { kind: 'kept', why };
    if (undone.kind === 'kept' || undone.kind === 'uncertain') keepers.keep(create);
    entries.push({ undone, entry: entryOf(create, undone) });
  }
  const of = (...kinds: readonly Undone['kind'][]) =>
    entries.flatMap(({ undone, entry }) => (kinds.includes(undone.kind) ? [entry] : []));
  return {
    rolledBack: of('deleted'),
    gone: of('absent'),
    kept: of('kept', 'uncertain'),
    diagnostics: entries.flatMap(({ undone }) => ('why' in undone ? [undone.why] : [])),
  };
}

function entryOf({ intent, made }: Create, undone: Undone): RecoverEntry {
  const { urn, address, operation_id } = intent;
  const base = { urn, address, operation_id, resource_id: made.resource_id ?? null } as const;
  switch (undone.kind) {
    case 'deleted':
      return { ...base, verdict: 'found', hint: null, operation: 'create', happened: true };
    case 'absent':
      return { ...base, verdict: 'not_found', hint: null, operation: 'delete', happened: true };
    case 'kept':
      return {
        ...base,
        verdict: verdictOf(undone.why),
        hint: hintOf(undone.why),
        operation: 'delete',
        happened: false,
      };
    case 'uncertain': {
      const hint = undone.why.hint ?? 'infra recover --rollback goes on with it.';
      return { ...base, operation_id: undone.nonce, verdict: 'unreadable', hint, operation: 'delete', happened: null };
    }
  }
}

const REFUSALS: readonly string[] = ['CONFLICT', 'NOT_OURS', 'PROTECTED', 'UNSUPPORTED'];

function verdictOf({ code }: Diagnostic): RecoverEntry['verdict'] {
  return REFUSALS.includes(code) ? 'conflict' : 'unreadable';
}

function hintOf({ hint }: Diagnostic): string {
  return hint ?? 'It is kept, and owned as before: infra destroy removes it when nothing stands in its way.';
}

async function undo(recovering: Recovering, { intent, made }: Create): Promise<Undone> {
  const reached = await reach(recovering, made);
  if (reached.kind === 'unreachable') return { kind: 'kept', why: reached.why };
  const { recovery } = reached.provider;
  const id = made.resource_id;
  if (recovery === undefined || id === undefined) return { kind: 'kept', why: notProvable(intent.address) };
  const { ports, context, request } = recovering;
  try {
    return await undoCreate(ports, context, {
      address: intent.address,
      made,
      id,
      nonce: intent.operation_id,
      target: { ...reached.target, forDelete: true },
      recovery,
      digest: intent.digest,
      timeoutMs: request.settings.timeoutMs,
    });
  } catch (error) {
    return { kind: 'kept', why: logProblemOf(error) };
  }
}
