import { diagnostic } from '../../core/codes.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { WriteOperation, WriteResult } from '../lifecycle-provider.ts';
import type { ApiFailure } from './client.ts';
import { type ApiRequest, segment } from './define-resource.ts';
import { textAt } from './inputs.ts';
import { LOOKS_MS, looksWithin } from './looks.ts';
import { text } from './observing.ts';
import type { Answer } from './reads.ts';
import { ENABLE_BATCH } from './resources/service.ts';
import { failed, freshReads, pending, resume, type Sent, send, uncertain, type Writing } from './writing.ts';

type Results = Map<WriteOperation, WriteResult>;

/** Refusals that speak of the project or the caller: the same for every service of a batch. */
const OF_THE_WHOLE = new Set(['PERMISSION_DENIED', 'AUTHENTICATION', 'API_DISABLED', 'QUOTA_PROJECT', 'THROTTLED']);

function nameOf(operation: WriteOperation): string {
  return textAt(operation.desired, 'service');
}

function projectOf(operation: WriteOperation): string {
  return textAt(operation.desired, 'project_id');
}

/** All changes to the services of one project, one request after the other: enables in batches, then disables. */
export async function writeServices(operations: readonly WriteOperation[], writing: Writing): Promise<Results> {
  const results: Results = new Map();
  await resumeAll(operations, results, writing);
  const left = (change: 'delete' | 'other') =>
    operations.filter(
      (operation) => !results.has(operation) && (operation.change === 'delete') === (change === 'delete'),
    );
  const enables = left('other');
  for (let at = 0; at < enables.length; at += ENABLE_BATCH)
    await enable(enables.slice(at, at + ENABLE_BATCH), results, writing);
  await disableAll(left('delete'), results, writing);
  return results;
}

/** Several steps may wait for one operation of an earlier run; whatever it did shows in the list. */
async function resumeAll(operations: readonly WriteOperation[], results: Results, writing: Writing): Promise<void> {
  const names = new Set(
    operations.flatMap(({ pendingOperation }) =>
      pendingOperation === null || pendingOperation === '' ? [] : [pendingOperation],
    ),
  );
  for (const name of names) {
    const waiting = operations.filter((operation) => operation.pendingOperation === name);
    const sent = await resume(writing, waiting, 'serviceusage', name);
    if (sent.kind === 'pending')
      for (const operation of waiting) results.set(operation, pending(operation, name, sent.why));
    else if (sent.kind === 'ok') await believe(waiting, results, writing, BY_ITS_WORD);
    else await believe(waiting, results, writing, { delays: [0], unseen: () => null, unreadable: () => null });
  }
}

async function enable(batch: readonly WriteOperation[], results: Results, writing: Writing): Promise<void> {
  if (batch.length === 0) return;
  const sent = await send(writing, batch, enableRequest(batch));
  switch (sent.kind) {
    case 'ok':
      return enabled(batch, sent.body, results, writing);
    case 'refused':
      return enableRefused(batch, sent.failure, results, writing);
    default:
      return notSettled(batch, sent, results, writing);
  }
}

/** One service alone is enabled by its own method: a batch of one is refused. */
function enableRequest(batch: readonly WriteOperation[]): ApiRequest {
  const [first] = batch;
  const parent = `projects/${segment(first === undefined ? '' : projectOf(first))}/services`;
  if (batch.length === 1 && first !== undefined)
    return { service: 'serviceusage', method: 'POST', path: `${parent}/${segment(nameOf(first))}:enable`, body: {} };
  return {
    service: 'serviceusage',
    method: 'POST',
    path: `${parent}:batchEnable`,
    body: { serviceIds: batch.map(nameOf) },
  };
}

async function enabled(
  batch: readonly WriteOperation[],
  body: JsonObject | null,
  results: Results,
  writing: Writing,
): Promise<void> {
  for (const operation of batch) {
    const message = failureIn(body, nameOf(operation));
    if (message !== null)
      results.set(
        operation,
        failed(operation, diagnostic('REQUEST_REFUSED', `${nameOf(operation)} was not enabled: ${message}`)),
      );
  }
  await believe(
    batch.filter((operation) => !results.has(operation)),
    results,
    writing,
    BY_ITS_WORD,
  );
}

/** A batch that is done may still list services that it left out. */
function failureIn(body: JsonObject | null, name: string): string | null {
  const failures = body?.['failures'];
  if (!Array.isArray(failures)) return null;
  const entry: unknown = failures.find((item: unknown) => isJsonObject(item) && text(item, 'serviceId') === name);
  return isJsonObject(entry) ? text(entry, 'errorMessage') : null;
}

/** The services that a refusal names are dropped and the rest is sent again; where it names none, each half by itself. */
async function enableRefused(
  batch: readonly WriteOperation[],
  failure: ApiFailure,
  results: Results,
  writing: Writing,
): Promise<void> {
  const named = namedIn(failure);
  const culprits = batch.filter((operation) => named.has(nameOf(operation)));
  const isWhole = batch.length === 1 || OF_THE_WHOLE.has(failure.diagnostic.code);
  if (isWhole) {
    for (const operation of batch) results.set(operation, failed(operation, failure.diagnostic));
  } else if (culprits.length > 0 && culprits.length < batch.length) {
    for (const operation of culprits) results.set(operation, failed(operation, failure.diagnostic));
    await enable(
      batch.filter((operation) => !culprits.includes(operation)),
      results,
      writing,
    );
  } else {
    const half = Math.ceil(batch.length / 2);
    await enable(batch.slice(0, half), results, writing);
    await enable(batch.slice(half), results, writing);
  }
}

/** Every service name that a refusal mentions, wherever it does. */
function namedIn({ message, metadata, violations }: ApiFailure): ReadonlySet<string> {
  const texts = [
    message,
    ...Object.entries(metadata).flatMap(([key, value]) =>
      key.startsWith('service') && key !== 'service' ? [value] : [],
    ),
    ...violations.map((item) => item.subject),
  ];
  return new Set(texts.flatMap((item) => item.split(/[^a-z0-9.-]+/)).map((word) => word.replace(/\.$/, '')));
}

async function notSettled(
  batch: readonly WriteOperation[],
  sent: Exclude<Sent, { kind: 'ok' | 'refused' }>,
  results: Results,
  writing: Writing,
): Promise<void> {
  if (sent.kind === 'lost') {
    const unknown = (operation: WriteOperation) => uncertain(operation, sent.why);
    return believe(batch, results, writing, { delays: LOOKS_MS.slice(0, 3), unseen: unknown, unreadable: unknown });
  }
  for (const operation of batch) {
    if (sent.kind === 'pending') results.set(operation, pending(operation, sent.operation, sent.why));
    if (sent.kind === 'unsent') results.set(operation, failed(operation, sent.why));
  }
}

/** How a change is looked for, and what it comes to where the list does not show it or can't be read. */
interface Belief {
  readonly delays: readonly number[];
  readonly unseen: (operation: WriteOperation) => WriteResult | null;
  readonly unreadable: (operation: WriteOperation) => WriteResult | null;
}

const NOT_SHOWN = diagnostic(
  'OUTCOME_UNKNOWN',
  'The operation is done, but the list of enabled services does not show it yet.',
);

/** After an operation that is done; a list that can't be read leaves it to the operation's word. */
const BY_ITS_WORD: Belief = {
  delays: LOOKS_MS,
  unseen: (operation) => uncertain(operation, NOT_SHOWN),
  unreadable: () => ({ kind: 'done', id: null, resource: null, warnings: [] }),
};

/** A change is believed when the list shows it. */
async function believe(
  batch: readonly WriteOperation[],
  results: Results,
  writing: Writing,
  belief: Belief,
): Promise<void> {
  const open = () => batch.filter((operation) => !results.has(operation));
  let isReadable = true;
  const delays = batch[0] === undefined ? [] : looksWithin(belief.delays, batch[0].poll);
  for (const delay of delays) {
    const [first] = open();
    if (first === undefined || !isReadable) break;
    await writing.timing.sleep(delay, writing.hooks.signal);
    const list = await freshReads(writing, batch).enabledServices(projectOf(first));
    isReadable = list.kind === 'ok';
    settleByList(open(), list, results);
  }
  for (const operation of open()) {
    const result = (isReadable ? belief.unseen : belief.unreadable)(operation);
    if (result !== null) results.set(operation, result);
  }
}

function settleByList(
  batch: readonly WriteOperation[],
  list: Answer<ReadonlyMap<string, JsonObject>>,
  results: Results,
): void {
  if (list.kind === 'failed') return;
  for (const operation of batch) {
    const resource = list.value.get(nameOf(operation)) ?? null;
    if ((operation.change === 'delete') === (resource === null))
      results.set(operation, { kind: 'done', id: null, resource, warnings: [] });
  }
}

/** Services that others depend on wait for those to go; a round that frees nothing is the last. */
async function disableAll(operations: readonly WriteOperation[], results: Results, writing: Writing): Promise<void> {
  let round = operations;
  for (let before = -1; round.length > 0 && round.length !== before; ) {
    before = round.length;
    for (const operation of round) await disable(operation, results, writing);
    round = operations.filter((operation) => isBlockedByDependents(results.get(operation)));
  }
}

function isBlockedByDependents(result: WriteResult | undefined): boolean {
  return result?.kind === 'failed' && result.why.code === 'SERVICE_HAS_DEPENDENTS';
}

async function disable(operation: WriteOperation, results: Results, writing: Writing): Promise<void> {
  if (operation.observation === null) return void results.set(operation, { kind: 'noop', id: null, resource: null });
  const path = `projects/${segment(projectOf(operation))}/services/${segment(nameOf(operation))}:disable`;
  const sent = await send(writing, [operation], {
    service: 'serviceusage',
    method: 'POST',
    path,
    body: { disableDependentServices: false, checkIfServiceHasUsage: 'SKIP' },
  });
  results.delete(operation);
  if (sent.kind === 'ok') return believe([operation], results, writing, BY_ITS_WORD);
  if (sent.kind !== 'refused') return notSettled([operation], sent, results, writing);
  const list = await freshReads(writing, []).enabledServices(projectOf(operation));
  const isOff = list.kind === 'ok' && !list.value.has(nameOf(operation));
  results.set(
    operation,
    isOff ? { kind: 'noop', id: null, resource: null } : failed(operation, sent.failure.diagnostic),
  );
}
