import { diagnostic } from '../../core/codes.ts';
import { diffFields } from '../../core/diff.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Observation } from '../../core/resource.ts';
import type { WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import { ACTIONS, isResource } from './actions.ts';
import type { ApiFailure } from './client.ts';
import { type Collision, decideAnew, isCollision, MAX_COLLISIONS, mayFollow } from './collision.ts';
import type { ApiRequest, ResourceDefinition } from './define-resource.ts';
import { inPart, isWhole } from './in-part.ts';
import { LOOKS_MS, looksWithin } from './looks.ts';
import { text } from './observing.ts';
import { backoff } from './retry.ts';
import {
  about,
  bare,
  failed,
  freshReads,
  PROPAGATION_MS,
  pending,
  resume,
  type Sent,
  send,
  uncertain,
  type Writing,
} from './writing.ts';

/** How often a lost write is looked for. */
const LOST_LOOKS = 3;
/** How often one create is sent at most. */
const MAX_CREATES = 6;

export function definitionOf(operation: WriteOperation): ResourceDefinition {
  const definition = ACTIONS.get(operation.declaration.action.name)?.definition;
  if (definition === undefined || !isResource(definition))
    throw new TypeError(`${operation.declaration.action.name} writes nothing`);
  return definition;
}

/** Folders, projects and billing links: one resource, its requests one after the other. */
export async function writeSingle(operation: WriteOperation, writing: Writing): Promise<WriteResult> {
  if (operation.change === 'delete' && operation.observation === null)
    return { kind: 'noop', id: null, resource: null };
  const resumed = await resumePending(operation, writing);
  if (resumed !== null) return resumed;
  return sendAll(operation, writing);
}

/** How far the requests of one step have got. */
interface Course {
  operation: WriteOperation;
  queue: readonly ApiRequest[];
  /** What was sent and is done, and the last answer. */
  readonly before: ApiRequest[];
  body: JsonObject | null;
  collisions: number;
}

/** Sends what a change needs, one request after the other; what met another's change is decided anew on a new read. */
async function sendAll(operation: WriteOperation, writing: Writing): Promise<WriteResult> {
  const course: Course = { operation, queue: inSendingOrder(operation), before: [], body: null, collisions: 0 };
  for (;;) {
    const [request, ...rest] = course.queue;
    if (request === undefined)
      return course.before.length === 0 ? unneeded(course.operation) : done(course.operation, course.body, writing);
    const sent = await sendPatiently(course.operation, withEtag(course, request), writing);
    if (sent.kind === 'ok') {
      course.before.push(request);
      course.body = sent.body;
      course.queue = rest;
      continue;
    }
    if (sent.kind === 'lost' && operation.change === 'create')
      return createAgain({ operation, request, writing, sent, until: boundOf(operation, writing) });
    const end = isCollision(course.operation, request, sent)
      ? await lookAfterCollision(course, request, sent, writing)
      : await conclude(course.operation, request, sent, writing);
    if (end !== null)
      return isWhole(end, course.before)
        ? end
        : inPart(end, operation, course.before, await look(operation, writing, 1));
  }
}

/** Null where it goes on with what a new read asks for. */
async function lookAfterCollision(
  course: Course,
  request: ApiRequest,
  sent: Collision,
  writing: Writing,
): Promise<WriteResult | null> {
  await writing.timing.sleep(backoff(course.collisions, writing.timing.random), writing.hooks.signal);
  const { operation } = course;
  const seen = await look(operation, writing, 1);
  if (isAsDesired(operation, seen))
    return course.before.length === 0 ? alreadySo(operation, seen) : doneBySight(operation, seen);
  const decided = decideAnew(operation, seen, sent);
  if ('end' in decided) return decided.end;
  course.collisions += 1;
  const goesOn = mayFollow(request) && course.collisions < MAX_COLLISIONS && !writing.hooks.signal.aborted;
  if (!goesOn) return failed(operation, sent.failure.diagnostic);
  course.operation = decided.anew;
  course.queue = inSendingOrder(decided.anew);
  return null;
}

function alreadySo(operation: WriteOperation, seen: Observation): WriteResult {
  return unneeded({ ...operation, observation: seen.kind === 'present' ? seen : operation.observation });
}

function unneeded({ observation }: WriteOperation): WriteResult {
  return { kind: 'noop', id: observation?.id ?? null, resource: observation?.resource ?? null };
}

/** A create whose answer was lost. */
interface LostCreate {
  readonly operation: WriteOperation;
  readonly request: ApiRequest;
  readonly writing: Writing;
  readonly sent: Extract<Sent, { kind: 'lost' }>;
  /** When to give up, by the clock of the run. */
  readonly until: number;
}

function boundOf({ poll, timeoutMs }: WriteOperation, { timing }: Writing): number {
  return timing.now() + Math.min(poll.maxWaitSecs * 1000, timeoutMs ?? Number.POSITIVE_INFINITY);
}

/**
 * Looks for what a lost create made, and where nothing shows it sends the create again: ids of projects and names of
 * sibling folders are unique, so there can't be two. From then on "exists already" may mean the first attempt.
 */
async function createAgain({ operation, request, writing, sent, until }: LostCreate): Promise<WriteResult> {
  const repeat = { ...operation, repeat: true };
  let lost = sent;
  for (let tries = 1; ; tries += 1) {
    const seen = await look(operation, writing, LOST_LOOKS);
    if (isAsDesired(operation, seen)) return doneBySight(operation, seen);
    const isGone = !lost.accepted && (seen.kind === 'absent' || seen.kind === 'not_visible');
    if (!isGone || tries >= MAX_CREATES) return uncertain(operation, lost.why);
    await writing.timing.sleep(backoff(tries, writing.timing.random), writing.hooks.signal);
    if (writing.hooks.signal.aborted || writing.timing.now() >= until) return uncertain(operation, lost.why);
    const next = await sendPatiently(repeat, request, writing);
    if (next.kind === 'ok') return done(repeat, next.body, writing);
    // What could not be sent says nothing of what was sent before it.
    if (next.kind === 'unsent') return uncertain(operation, lost.why);
    if (next.kind !== 'lost') return conclude(repeat, request, next, writing);
    lost = next;
  }
}

/** What is deleted comes back before anything else can be changed. */
function inSendingOrder(operation: WriteOperation): readonly ApiRequest[] {
  const requests = definitionOf(operation).requests(operation);
  const first = requests.filter((request) => request.path.endsWith(':undelete'));
  return [...first, ...requests.filter((request) => !first.includes(request))];
}

/** A PATCH names the state that it was decided on; after another request of the step that is the one it answered. */
function withEtag({ operation, before, body }: Course, request: ApiRequest): ApiRequest {
  const etag = before.length === 0 ? (operation.observation?.etag ?? null) : text(body ?? {}, 'etag') || null;
  return request.method === 'PATCH' && etag !== null && isJsonObject(request.body)
    ? { ...request, body: { ...request.body, etag } }
    : request;
}

/** Waits out refusals that pass where this run made or deleted what the request depends on. */
async function sendPatiently(operation: WriteOperation, request: ApiRequest, writing: Writing): Promise<Sent> {
  const passing = operation.freshDependencies ? (definitionOf(operation).passesWhenFresh ?? []) : [];
  for (const delay of [...PROPAGATION_MS, null]) {
    const sent = await send(writing, [operation], request);
    const passes = sent.kind === 'refused' && passing.some((code) => code === sent.failure.diagnostic.code);
    if (!passes || delay === null || writing.hooks.signal.aborted) return sent;
    await writing.timing.sleep(delay, writing.hooks.signal);
  }
  throw new TypeError('unreachable: the last round returns');
}

/** Null where nothing was pending, or where it is gone without having had an effect. */
async function resumePending(operation: WriteOperation, writing: Writing): Promise<WriteResult | null> {
  const name = operation.pendingOperation;
  if (name === null || name === '') return null;
  const sent = await resume(writing, [operation], 'crm', name);
  if (sent.kind === 'pending') return pending(operation, name, sent.why);
  if (sent.kind === 'refused') return refused(operation, null, sent.failure, writing);
  const seen = await look(operation, writing, sent.kind === 'ok' ? LOST_LOOKS : 1);
  return isAsDesired(operation, seen) ? doneBySight(operation, seen) : null;
}

async function conclude(
  operation: WriteOperation,
  request: ApiRequest,
  sent: Exclude<Sent, { kind: 'ok' }>,
  writing: Writing,
): Promise<WriteResult> {
  switch (sent.kind) {
    case 'unsent':
      return failed(operation, sent.why);
    case 'pending':
      return pending(operation, sent.operation, sent.why);
    case 'refused':
      return refused(operation, request, sent.failure, writing);
    case 'lost': {
      const seen = await look(operation, writing, LOST_LOOKS);
      return isAsDesired(operation, seen) ? doneBySight(operation, seen) : uncertain(operation, sent.why);
    }
  }
}

async function refused(
  operation: WriteOperation,
  request: ApiRequest | null,
  failure: ApiFailure,
  writing: Writing,
): Promise<WriteResult> {
  const explained = await definitionOf(operation).onRefused?.({
    operation,
    request,
    failure,
    reads: () => freshReads(writing, []),
    sleep: (ms) => writing.timing.sleep(ms, writing.hooks.signal),
  });
  if (explained !== undefined && explained !== null) return explained;
  const isGone = operation.change === 'delete' && (failure.status === 404 || failure.status === 403);
  if (isGone && isAsDesired(operation, await look(operation, writing, 1)))
    return { kind: 'noop', id: operation.observation?.id ?? null, resource: null };
  if (failure.canonical === 'ABORTED' && failure.status === 409 && operation.change !== 'create') {
    const why = diagnostic(
      'STALE',
      `It was changed by someone else since it was looked at: ${failure.diagnostic.detail}`,
      { hint: 'Plan again.' },
    );
    return { kind: 'stale', why: about(operation, why) };
  }
  return failed(operation, failure.diagnostic);
}

/** What the cloud shows now; looked at again while it is not as desired. */
async function look(operation: WriteOperation, writing: Writing, looks: number): Promise<Observation> {
  const { declaration, desired, observation } = operation;
  let seen: Observation = { kind: 'absent' };
  for (const delay of looksWithin(LOOKS_MS.slice(0, looks), operation.poll)) {
    await writing.timing.sleep(delay, writing.hooks.signal);
    const target = {
      declaration,
      desired,
      resourceId: observation?.id ?? null,
      pending: new Set<string>(),
      forDelete: false,
    };
    seen = await definitionOf(operation).observe(target, freshReads(writing, []));
    if (isAsDesired(operation, seen)) break;
  }
  return seen;
}

function isAsDesired({ change, desired, declaration }: WriteOperation, seen: Observation): boolean {
  const isThere = seen.kind === 'present' && seen.state !== 'DELETE_REQUESTED';
  if (change === 'delete') return seen.kind === 'absent' || (seen.kind === 'present' && !isThere);
  return isThere && Object.keys(diffFields(desired, seen.actual, declaration.fields)).length === 0;
}

function doneBySight(operation: WriteOperation, seen: Observation): WriteResult {
  const resource: Json = seen.kind === 'present' ? seen.resource : null;
  const id = seen.kind === 'present' ? seen.id : (operation.observation?.id ?? null);
  return { kind: 'done', id, resource, warnings: seen.kind === 'present' ? seen.warnings : [] };
}

/** The answer is believed where it is the resource; an answer without one is looked up. */
async function done(operation: WriteOperation, body: JsonObject | null, writing: Writing): Promise<WriteResult> {
  const { answerProblem, answerWarnings } = definitionOf(operation);
  if (body !== null && text(body, 'name') !== '') {
    const problem = answerProblem?.(operation, body) ?? null;
    if (problem !== null) return failed(operation, diagnostic('INVALID_RESPONSE', problem));
    const id = /^(folders|projects)\/\d+$/.test(text(body, 'name'))
      ? text(body, 'name')
      : (operation.observation?.id ?? null);
    return { kind: 'done', id, resource: bare(body), warnings: answerWarnings?.(operation, body) ?? [] };
  }
  const seen = await look(operation, writing, LOOKS_MS.length);
  const why = diagnostic('OUTCOME_UNKNOWN', 'The API said that it is done, but a read does not show it yet.');
  return isAsDesired(operation, seen) ? doneBySight(operation, seen) : uncertain(operation, why);
}
