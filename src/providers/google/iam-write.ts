import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { JsonObject } from '../../core/json.ts';
import type { WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import type { ApiFailure } from './client.ts';
import { nameSegments } from './define-resource.ts';
import { missingMember, unsupportedRole } from './failure-iam.ts';
import {
  addGrant,
  type Grant,
  grantsSetting,
  hasGrant,
  isDowngraded,
  isSettable,
  policyDowngraded,
  removeGrant,
} from './iam-policy.ts';
import { sameMember } from './members.ts';
import { text } from './observing.ts';
import { grantOf, POLICY_VERSION, policyService } from './resources/binding.ts';
import { failed, freshReads, PROPAGATION_MS, send, uncertain, type Writing } from './writing.ts';

/** Whole read-modify-writes after which a policy that keeps changing is given up. */
const MAX_ROUNDS = 8;
const BACKOFF_MS = 1_000;
const BACKOFF_CAP_MS = 30_000;

type Results = Map<WriteOperation, WriteResult>;

interface Entry {
  readonly operation: WriteOperation;
  readonly grant: Grant;
  readonly removes: boolean;
}

/** What the rounds of one policy remember. */
interface Course {
  readonly resource: string;
  readonly results: Results;
  open: readonly Entry[];
  /** A write without an answer: it may have happened. */
  lost: Diagnostic | null;
  /** A write was sent by this run: what then is as desired is its work. */
  sent: boolean;
  conflicts: number;
  waits: number;
}

/** All grants and removals of one policy: one read and one write, again as a whole where someone else was faster. */
export async function writePolicy(
  resource: string,
  operations: readonly WriteOperation[],
  writing: Writing,
): Promise<Results> {
  const results: Results = new Map();
  const open = operations.map((operation) => ({
    operation,
    grant: grantOf(operation.desired),
    removes: operation.change === 'delete',
  }));
  await settle({ resource, results, open, lost: null, sent: false, conflicts: 0, waits: 0 }, writing);
  return results;
}

async function settle(course: Course, writing: Writing): Promise<void> {
  while (course.open.length > 0) {
    const policy = await readPolicy(course, writing);
    if (policy === null) return;
    closeSettled(course, policy);
    refuseLockouts(course, policy);
    if (course.open.length === 0) return;
    await writeRound(course, policy, writing);
  }
}

/** Null where the policy can't be read or written: then everything that is open has ended. */
async function readPolicy(course: Course, writing: Writing): Promise<JsonObject | null> {
  const answer = await freshReads(
    writing,
    course.open.map(({ operation }) => operation),
  ).policy(course.resource);
  if (answer.kind === 'failed') {
    closeAll(course, (operation) =>
      course.lost === null ? failed(operation, answer.why) : uncertain(operation, course.lost),
    );
    return null;
  }
  const why = isDowngraded(answer.value)
    ? policyDowngraded(course.resource)
    : text(answer.value, 'etag') === ''
      ? noEtag(course.resource)
      : null;
  if (why === null) return answer.value;
  closeAll(course, (operation) => failed(operation, why));
  return null;
}

function noEtag(resource: string): Diagnostic {
  return diagnostic(
    'INVALID_RESPONSE',
    `The policy of ${resource} came without an etag; written back it would overwrite what others change meanwhile.`,
  );
}

/** What is as desired has ended: by this run where it has sent something, else nothing had to be sent. */
function closeSettled(course: Course, policy: JsonObject): void {
  for (const entry of course.open) {
    if (hasGrant(policy, entry.grant) === entry.removes) continue;
    const resource = resourceOf(course.resource, entry);
    close(
      course,
      entry,
      course.sent ? { kind: 'done', id: null, resource, warnings: [] } : { kind: 'noop', id: null, resource },
    );
  }
}

/** What a grant leaves for others to refer to: itself, never the policy with everybody else's. */
function resourceOf(resource: string, { grant, removes }: Entry): JsonObject | null {
  return removes
    ? null
    : {
        resource,
        role: grant.role,
        member: grant.member,
        ...(grant.condition === null ? {} : { condition: grant.condition }),
      };
}

/** A removal after which nobody could set this policy is refused, unless the caller allowed it. */
function refuseLockouts(course: Course, policy: JsonObject): void {
  if (!isSettable(policy, course.resource) || isSettable(changed(policy, course.open), course.resource)) return;
  for (const entry of course.open) {
    if (!entry.removes || entry.operation.allowSelfLockout || !grantsSetting(entry.grant, course.resource)) continue;
    const detail = `${entry.grant.role} for ${entry.grant.member} is the last grant in the policy of ${course.resource} by which this policy can be set.`;
    close(
      course,
      entry,
      failed(
        entry.operation,
        diagnostic('SELF_LOCKOUT', detail, { hint: 'Grant it to someone else first, or pass --allow-self-lockout.' }),
      ),
    );
  }
}

function changed(policy: JsonObject, entries: readonly Entry[]): JsonObject {
  return entries.reduce(
    (result, { grant, removes }) => (removes ? removeGrant(result, grant) : addGrant(result, grant)),
    policy,
  );
}

async function writeRound(course: Course, policy: JsonObject, writing: Writing): Promise<void> {
  const entries = course.open;
  const body = { policy: { ...changed(policy, entries), version: POLICY_VERSION }, updateMask: 'bindings,etag' };
  const request = {
    service: policyService(course.resource),
    method: 'POST',
    path: `${nameSegments(course.resource)}:setIamPolicy`,
    body,
  } as const;
  const sent = await send(
    writing,
    entries.map(({ operation }) => operation),
    request,
  );
  switch (sent.kind) {
    case 'ok':
      course.sent = true;
      course.lost = null;
      // The answer is the policy as written; where it does not show ours, the next round's read decides.
      closeSettled(course, sent.body ?? {});
      if (course.open.length > 0) await conflict(course, notKept(course.resource), writing);
      return;
    case 'lost':
      course.sent = true;
      course.lost = sent.why;
      return conflict(course, sent.why, writing);
    case 'refused':
      return refused(course, sent.failure, writing);
    default:
      closeAll(course, (operation) =>
        course.lost === null ? failed(operation, sent.why) : uncertain(operation, course.lost),
      );
  }
}

function notKept(resource: string): Diagnostic {
  return diagnostic(
    'INVALID_RESPONSE',
    `The policy of ${resource} was written, and the answer does not show the change.`,
  );
}

/** Waits a random while, longer each time, for the next whole round; after the last one everything open has ended. */
async function conflict(course: Course, why: Diagnostic, writing: Writing): Promise<void> {
  course.conflicts += 1;
  if (course.conflicts < MAX_ROUNDS && !writing.hooks.signal.aborted) {
    const bound = Math.min(BACKOFF_CAP_MS, BACKOFF_MS * 2 ** (course.conflicts - 1));
    return writing.timing.sleep(writing.timing.random() * bound, writing.hooks.signal);
  }
  const lost = course.lost;
  const detail = `The policy of ${course.resource} was changed by someone else in each of ${course.conflicts} attempts: ${why.detail}`;
  const given = diagnostic('CONFLICT', detail, {
    retryable: true,
    hint: 'Find out what else writes this policy, then run again.',
  });
  closeAll(course, (operation) => (lost === null ? failed(operation, given) : uncertain(operation, lost)));
}

async function refused(course: Course, failure: ApiFailure, writing: Writing): Promise<void> {
  if (failure.status === 412 || (failure.status === 409 && failure.canonical !== 'ALREADY_EXISTS'))
    return conflict(course, failure.diagnostic, writing);
  const culprits = course.open.filter((entry) => isNamed(entry, failure));
  const delay = PROPAGATION_MS[course.waits];
  const isFresh =
    failure.diagnostic.code === 'MEMBER_NOT_FOUND' && culprits.some(({ operation }) => operation.freshDependencies);
  if (isFresh && delay !== undefined && !writing.hooks.signal.aborted) {
    course.waits += 1;
    return writing.timing.sleep(delay, writing.hooks.signal);
  }
  if (culprits.length > 0) return closeThose(course, culprits, failure.diagnostic);
  const isForeign = missingMember(failure) !== null;
  if (course.open.length === 1 || isForeign || failure.status === 403 || failure.status === 401) {
    const why = isForeign ? foreignEntry(course.resource, failure) : failure.diagnostic;
    return closeThose(course, course.open, why);
  }
  await halve(course, writing);
}

/** Whether a refusal names the entry: its member, or its role. */
function isNamed({ grant, removes }: Entry, failure: ApiFailure): boolean {
  if (removes) return false;
  const address = missingMember(failure);
  const [, ...rest] = grant.member.split(':');
  if (address !== null) return rest.join(':').toLowerCase() === address.toLowerCase();
  const role = unsupportedRole(failure);
  if (role !== null) return role === grant.role;
  return failure.violations.some(({ subject }) => sameMember(subject, grant.member));
}

function foreignEntry(resource: string, failure: ApiFailure): Diagnostic {
  const detail = `${failure.diagnostic.detail} It is not an entry of this playbook: it stands in the policy of ${resource} already.`;
  return { ...failure.diagnostic, detail, hint: 'Remove that entry from the policy, then run again.' };
}

/** The refusal names nobody: each half is tried by itself. */
async function halve(course: Course, writing: Writing): Promise<void> {
  const half = Math.ceil(course.open.length / 2);
  const [first, second] = [course.open.slice(0, half), course.open.slice(half)];
  for (const open of [first, second]) await settle({ ...course, open }, writing);
  course.open = [];
}

function close(course: Course, entry: Entry, result: WriteResult): void {
  course.results.set(entry.operation, result);
  course.open = course.open.filter((other) => other !== entry);
}

function closeThose(course: Course, entries: readonly Entry[], why: Diagnostic): void {
  for (const entry of entries) close(course, entry, failed(entry.operation, why));
}

function closeAll(course: Course, result: (operation: WriteOperation) => WriteResult): void {
  for (const entry of course.open) close(course, entry, result(entry.operation));
}
