import { diagnostic } from '../../core/codes.ts';
import {
  byId,
  type Discovery,
  type DraftedScope,
  type DraftRequest,
  type ProviderResource,
  type ResourceReference,
} from '../../core/inventory.ts';
import type { CommandResult, CommandRunner } from '../command-runner.ts';
import type {
  InventoryProvider,
  LifecycleProvider,
  ProviderIdentity,
  ProviderStatus,
  WriteOperation,
  WriteResult,
} from '../lifecycle-provider.ts';
import { type Answer, YcClient } from './client.ts';
import { create } from './create.ts';
import { type KindName, type Live, oneOf, pluralOf } from './define-kind.ts';
import { failureDiagnostic, failureOf, type YcFailure } from './errors.ts';
import { ownerProblem } from './inventory-owner.ts';
import { draftFolder } from './inventory-steps.ts';
import { findKind, KINDS } from './kinds.ts';
import { PROVIDER_ID, providerResource } from './observed.ts';
import { sharedReads } from './reads.ts';
import { recoveryOf } from './recovery.ts';
import { remove } from './remove.ts';
import { openSession } from './session.ts';
import type { YandexSettings } from './settings.ts';
import { update } from './update.ts';
import type { UserDataPlace } from './user-data.ts';
import { failed, taskOf, type Writing } from './writing.ts';

export interface YandexOptions {
  readonly runner: CommandRunner;
  readonly settings: YandexSettings;
  /** A profile of the command line, named by the caller's configuration. */
  readonly profile: string;
  readonly userData: UserDataPlace;
}

const VERSION = /Yandex Cloud CLI \d+\.\d+\.\d+/;

/** The read half, and nothing that could write: what drift, inventory, import and adopt are handed. */
export function createYandexReader(options: YandexOptions): InventoryProvider {
  const client = new YcClient(options.runner, options.settings, options.profile);
  return readerOn(client, options.settings);
}

/** The live half of the Yandex provider: one folder under one profile. */
export function createYandexProvider(options: YandexOptions): LifecycleProvider & InventoryProvider {
  const client = new YcClient(options.runner, options.settings, options.profile);
  const writing: Writing = { client, place: options.userData };
  return {
    ...readerOn(client, options.settings),
    capabilities: ['inventory', 'resource_lookup', 'create_resource', 'update_resource', 'delete_resource'],
    write: (operations) => Promise.all(operations.map((operation) => writeOne(operation, writing))),
    recovery: recoveryOf(writing),
  };
}

function readerOn(client: YcClient, { folderId }: YandexSettings): InventoryProvider {
  const identity: ProviderIdentity = {
    providerId: PROVIDER_ID,
    scopeId: folderId,
    authenticationSource: 'cli-profile',
  };
  return {
    identity,
    capabilities: ['inventory', 'resource_lookup'],
    kinds: KINDS.map(({ kind }) => kind),
    checkAvailability: () => checkAvailability(client, identity),
    checkAuthentication: () => checkAuthentication(client, identity),
    openSession: () => openSession(sharedReads(client), folderId),
    listResources: (kind) => listResources(client, kind),
    getResource: (reference) => getResource(client, identity, reference),
    discoverInventory: () => discoverInventory(client),
    draftSteps: (request) => draftSteps(client, request),
    close: () => Promise.resolve(),
  };
}

async function checkAvailability(client: YcClient, identity: ProviderIdentity): Promise<ProviderStatus> {
  const errorCode = versionProblem(await client.version());
  return { identity, available: errorCode === null, authenticated: null, errorCode };
}

/** What is wrong with an answer to `--version`; null: it is that of a `yc`. */
export function versionProblem(result: CommandResult): YcFailure['code'] | null {
  if (!result.isSuccess) return failureOf(result, []).code;
  return VERSION.test(result.stdout) ? null : 'INVALID_RESPONSE';
}

/** That the folder can be read says that the profile works, not that each kind may be read. */
async function checkAuthentication(client: YcClient, identity: ProviderIdentity): Promise<ProviderStatus> {
  const answer = await client.folder();
  if (answer.kind === 'ok') {
    const isActive = answer.value.status === 'ACTIVE';
    return { identity, available: true, authenticated: isActive, errorCode: isActive ? null : 'CONFLICT' };
  }
  const { code, isDefinite } = answer.failure;
  const isRefused = code === 'AUTHENTICATION' || code === 'PERMISSION_DENIED' || code === 'NOT_FOUND';
  return { identity, available: !isDefinite, authenticated: isRefused ? false : null, errorCode: code };
}

async function listResources(client: YcClient, kind: string): Promise<Discovery<readonly ProviderResource[]>> {
  const definition = findKind(kind);
  if (definition === null) return { kind: 'failed', why: unsupported(kind) };
  const answer = await client.list(definition);
  return discovered(answer, `The list of ${pluralOf(kind)}`, (lives) =>
    lives.map((live) => providerResource(live, client.settings.folderId)).sort(byId),
  );
}

function unsupported(kind: string) {
  const known = KINDS.map((item) => item.kind).join(', ');
  return diagnostic('UNSUPPORTED', `There is no kind ${JSON.stringify(kind.slice(0, 60))} here.`, {
    hint: `Kinds: ${known}.`,
  });
}

function discovered<T, U>(answer: Answer<T>, what: string, use: (value: T) => U): Discovery<U> {
  return answer.kind === 'ok'
    ? { kind: 'complete', found: use(answer.value) }
    : { kind: 'failed', why: failureDiagnostic(answer.failure, what) };
}

async function getResource(
  client: YcClient,
  identity: ProviderIdentity,
  reference: ResourceReference,
): Promise<Discovery<ProviderResource>> {
  if (reference.provider_id !== identity.providerId || reference.scope_id !== identity.scopeId) {
    const detail = `A reference to ${reference.provider_id}/${reference.scope_id} was given to ${identity.providerId}/${identity.scopeId}.`;
    return { kind: 'failed', why: diagnostic('SCOPE_MISMATCH', detail) };
  }
  const definition = findKind(reference.kind);
  if (definition === null) return { kind: 'failed', why: unsupported(reference.kind) };
  const answer = await client.get(definition, reference.id);
  return discovered(answer, `The ${reference.kind} ${reference.id}`, (live) =>
    providerResource(live, client.settings.folderId),
  );
}

/** Kind after kind; one that can't be read makes the whole an error. */
async function discoverInventory(client: YcClient): Promise<Discovery<readonly ProviderResource[]>> {
  const found: ProviderResource[] = [];
  for (const { kind } of KINDS) {
    const listed = await listResources(client, kind);
    if (listed.kind === 'failed') return listed;
    found.push(...listed.found);
  }
  return { kind: 'complete', found };
}

/** The folder as a playbook would declare it; likewise complete or an error. */
async function draftSteps(client: YcClient, request: DraftRequest): Promise<Discovery<DraftedScope>> {
  const problem = ownerProblem(request);
  if (problem !== null) return { kind: 'failed', why: diagnostic('INVALID_VALUE', problem, { retryable: false }) };
  const found = new Map<KindName, readonly Live[]>();
  for (const definition of KINDS) {
    const answer = await client.list(definition);
    if (answer.kind === 'failed')
      return { kind: 'failed', why: failureDiagnostic(answer.failure, `The list of ${pluralOf(definition.kind)}`) };
    found.set(definition.kind, answer.value);
  }
  return { kind: 'complete', found: draftFolder(found, client.settings.folderId, request) };
}

async function writeOne(operation: WriteOperation, writing: Writing): Promise<WriteResult> {
  const task = taskOf(operation);
  if (task === null)
    return failed(
      { operation },
      diagnostic('BLOCKED', 'Something that it needs is still not known; nothing was sent.'),
    );
  switch (operation.change) {
    case 'create':
      return create(task, writing);
    case 'update':
      return update(task, writing);
    case 'delete':
      return remove(task, writing);
    case 'move':
    case 'undelete':
      return failed(
        task,
        diagnostic('UNSUPPORTED', `Yandex Cloud has no ${operation.change} of ${oneOf(task.definition.kind)}.`),
      );
  }
}
