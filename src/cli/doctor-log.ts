import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import { listLocks } from '../eventlog/lock.ts';
import { describeHolder } from '../eventlog/lock-holder.ts';
import { brokenChain } from '../eventlog/verify.ts';
import { count } from '../views/text.ts';
import type { OpenedLogs } from './compose-logs.ts';
import { type Finding, failed, ok, skipped, warned } from './doctor-finding.ts';
import { readOfTarget } from './other-targets.ts';
import { keptNotice, type Place } from './place.ts';
import { withLogs } from './reading.ts';
import type { WorkflowCall } from './workflow-types.ts';

/** What can be said of the event log: whether it can be read and written, its chain, and who holds it. */
export async function checkLog(call: WorkflowCall, place: Place, target: string): Promise<readonly Finding[]> {
  const [kept] = keptNotice(call.host, place, call.flags.emulator);
  const logFindings = await withLogs(call, place, async ({ log, chained }) => [
    await readable(call, log, target),
    await writable(place, log.writable),
    chained === null ? skipped('log chain', 'A log on a server has no chain.') : await soundChain(chained),
  ]);
  return [
    ...logFindings,
    await lockHolders(call, place),
    kept === undefined ? ok('log kept', `Facts go to ${urlOf(place)}.`) : warned('log kept', kept),
  ];
}

function urlOf({ eventlog }: Place): string {
  return eventlog.kind === 'file' ? eventlog.path : eventlog.kind === 'server' ? eventlog.url : 'stdin';
}

async function readable(call: WorkflowCall, log: OpenedLogs['log'], said: string): Promise<Finding> {
  return await attempt('log readable', async () => {
    const { state } = await readOfTarget(call, { said, looks: false, read: (target) => log.read(target) });
    const { model, openIntents } = state;
    if (openIntents.length === 0) return ok('log readable', `${model.owned.size} owned, nothing open.`);
    const { length } = openIntents;
    const detail = `${count(length, 'request')} of interrupted runs ${length === 1 ? 'is' : 'are'} open.`;
    return warned('log readable', diagnostic('OUTCOME_UNKNOWN', detail, { hint: 'infra recover' }));
  });
}

async function writable({ eventlog }: Place, isWritable: boolean): Promise<Finding> {
  if (!isWritable) return skipped('log writable', 'It can only be read: apply needs another one.');
  if (eventlog.kind !== 'file') return ok('log writable', 'It takes rows.');
  const path = await nearest(eventlog.path);
  return await access(path, constants.W_OK).then(
    () => ok('log writable', eventlog.path),
    () => failed('log writable', diagnostic('LOG_WRITE', `${path} may not be written to.`)),
  );
}

/** The file, or the folder in which it would be made. */
async function nearest(path: string): Promise<string> {
  for (let current = path; ; current = dirname(current))
    if ((await stat(current).catch(() => null)) !== null || current === dirname(current)) return current;
}

async function soundChain(chained: NonNullable<OpenedLogs['chained']>): Promise<Finding> {
  return await attempt('log chain', async () => {
    const { rows, firstBad } = await chained.walk(null);
    if (firstBad === null) return ok('log chain', rows === 0 ? 'The log is empty.' : `${rows} rows, each as written.`);
    return failed('log chain', brokenChain(firstBad, chained.url));
  });
}

async function lockHolders({ host }: WorkflowCall, { eventlog }: Place): Promise<Finding> {
  if (eventlog.kind !== 'file') return skipped('locks', 'Only a file is locked here.');
  const locks = await listLocks(dirname(eventlog.path), host.hostname);
  if (locks.length === 0) return ok('locks', 'Nothing is locked.');
  const dead = locks.find(({ liveness }) => liveness === 'dead');
  const text = locks
    .map(({ holder, liveness }) => `${holder.locks}: ${describeHolder(holder)}, ${liveness}`)
    .join('; ');
  if (dead === undefined) return warned('locks', diagnostic('LOCK_HELD', `${text}.`));
  const hint = `infra unlock ${dead.holder.id}`;
  return failed('locks', diagnostic('LOCK_STALE', `${text}.`, { hint }));
}

async function attempt(name: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return failed(name, firstOf(error));
  }
}

function firstOf({ diagnostics }: DiagnosticError): Diagnostic {
  return diagnostics[0] ?? diagnostic('BUG', 'an error without a reason');
}
