import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { FORMAT_VERSION } from '../core/plan.ts';
import type { RecoverEntry, RecoverReport } from '../core/recover-report.ts';
import type { OpenIntent, RowBody, RowContext } from '../eventlog/event-log.ts';
import { ownershipOf } from './ownership.ts';
import type { EnginePorts } from './ports.ts';
import type { Recovering, RecoverRequest } from './recover-context.ts';
import { type Looked, lookAtIntent } from './recover-look.ts';
import { rollBackRuns } from './recover-rollback.ts';
import { newExecutionId } from './walk-state.ts';

/**
 * Settles open intents by reading: records what is certain and says what is not. Nothing is made again, and nothing is
 * deleted but, with `rollback`, what a nonce proves. Throws DiagnosticError where it can't start.
 */
export async function recover(ports: EnginePorts, request: RecoverRequest): Promise<RecoverReport> {
  if (!ports.log.writable)
    throw new DiagnosticError([
      diagnostic('LOG_READ_ONLY', `${ports.log.url} can only be read, and a recovery must record what it finds.`),
    ]);
  const before = await ports.log.read(request.target);
  refuseUnknown(request, chosen(before.openIntents, request));
  const stacks = [...new Set(chosen(before.openIntents, request).map(({ intent }) => intent.stack))].sort();
  const locks = await ports.log.lock(stacks, request.settings.lockTimeoutMs);
  if (stacks.length > 0) ports.emit({ type: 'lock_acquired', stacks });
  try {
    return await recoverLocked(ports, request);
  } finally {
    await locks.release();
  }
}

function chosen(open: readonly OpenIntent[], { stack }: RecoverRequest): readonly OpenIntent[] {
  return open.filter(({ intent }) => stack === null || intent.stack === stack);
}

function refuseUnknown({ abandon }: RecoverRequest, open: readonly OpenIntent[]): void {
  const known = new Set(open.map(({ intent }) => intent.urn));
  const unknown = abandon.filter((urn) => !known.has(urn));
  if (unknown.length === 0) return;
  throw new DiagnosticError(
    unknown.map((urn) =>
      diagnostic('USAGE', `--abandon ${urn}: no interrupted request of this URN is open.`, {
        urn,
        hint: 'infra recover lists what is open',
      }),
    ),
  );
}

async function recoverLocked(ports: EnginePorts, request: RecoverRequest): Promise<RecoverReport> {
  await ports.log.verify();
  const log = await ports.log.read(request.target);
  const { actor, version } = request.settings;
  const context: RowContext = { execution_id: newExecutionId(ports), actor, infra: version, target: request.target };
  const recovering: Recovering = { ports, request, context, ownership: ownershipOf(ports, log.model) };
  const open = chosen(log.openIntents, request);
  const abandoned = open.filter(({ intent }) => request.abandon.includes(intent.urn));
  const closed = await abandon(recovering, abandoned);
  const looked: Looked[] = [];
  for (const item of open) if (!abandoned.includes(item)) looked.push(await settle(recovering, item));
  const undone = request.rollback
    ? await rollBackRuns(recovering, looked, abandoned)
    : { rolledBack: [], gone: [], kept: [], diagnostics: [] };
  const removed = new Set([...undone.rolledBack, ...undone.gone].map(requestOf));
  const settled = looked.filter((each) => each.settled).map(entryOf);
  return {
    format_version: FORMAT_VERSION,
    command: 'recover',
    target: request.target,
    resolved: [...settled.filter((entry) => !removed.has(requestOf(entry))), ...undone.gone],
    unresolved: [...looked.filter((each) => !each.settled).map(entryOf), ...undone.kept],
    rolled_back: undone.rolledBack,
    abandoned: closed,
    head: await ports.log.head(),
    diagnostics: [
      ...log.diagnostics,
      ...(request.rollback && open.length === 0 ? [nothingToRollBack(request)] : []),
      ...looked.flatMap(({ why }): readonly Diagnostic[] => (why === null ? [] : [why])),
      ...undone.diagnostics,
    ],
  };
}

function nothingToRollBack({ stack }: RecoverRequest): Diagnostic {
  const where = stack === null ? '' : ` of stack ${stack}`;
  return diagnostic('NOTHING_TO_ROLL_BACK', `There is no interrupted run${where} to roll back.`, {
    hint: 'infra destroy removes what a stack owns.',
  });
}

function abandonedRow({ sequence, operationName }: OpenIntent): RowBody {
  return {
    type: 'provider.outcome',
    intent_sequence: sequence,
    status: 'abandoned',
    code: null,
    operation_name: operationName,
  };
}

/** Looks, and writes down at once what is certain. */
async function settle(recovering: Recovering, open: OpenIntent): Promise<Looked> {
  const looked = await lookAtIntent(recovering, open);
  if (!looked.settled) return looked;
  const done = looked.facts.length > 0;
  const outcome: RowBody = {
    type: 'provider.outcome',
    intent_sequence: open.sequence,
    status: done ? 'done' : 'failed',
    code: done ? null : 'NOT_APPLIED',
    operation_name: open.operationName,
  };
  const rows: RowBody[] = [
    outcome,
    ...looked.facts.map((fact) => ({ type: 'provider.fact' as const, provider_fact: fact })),
  ];
  await recovering.ports.log.append(recovering.context, rows);
  for (const fact of looked.facts) recovering.ports.emit({ type: 'fact', provider_fact: fact });
  return looked;
}

/** Closes by hand, after a look whose end changes nothing of that. */
async function abandon(recovering: Recovering, open: readonly OpenIntent[]): Promise<readonly RecoverEntry[]> {
  if (open.length === 0) return [];
  const looked: Looked[] = [];
  for (const item of open) looked.push(await lookAtIntent(recovering, item));
  await recovering.ports.log.append(recovering.context, open.map(abandonedRow));
  return looked.map((each) => ({
    ...entryOf(each),
    happened: null,
    hint: each.verdict === 'found' ? 'It was there when it was closed: infra plan shows how it stands.' : null,
  }));
}

/** One request about one resource: all of a run share its nonce. */
function requestOf({ urn, operation_id }: RecoverEntry): string {
  return `${operation_id} ${urn}`;
}

function entryOf({ open: { intent }, verdict, resourceId, happened, hint }: Looked): RecoverEntry {
  const { urn, address, operation_id, operation } = intent;
  return { urn, address, operation_id, verdict, resource_id: resourceId, hint, operation, happened };
}
