import { diagnostic } from '../../core/codes.ts';
import type {
  LifecycleProvider,
  ProviderIdentity,
  ProviderStatus,
  WriteOperation,
  WriteResult,
} from '../lifecycle-provider.ts';
import { openReads } from './cached-reads.ts';
import type { GoogleClient } from './client.ts';
import { writePolicy } from './iam-write.ts';
import { textAt } from './inputs.ts';
import { writeServices } from './service-write.ts';
import { openGoogleSession } from './session.ts';
import { writeSingle } from './single-write.ts';
import { SYSTEM_TIMING, type Timing } from './timing.ts';
import { failed, type Writing } from './writing.ts';

export interface GoogleProviderOptions {
  /** What `doctor` says of where authority comes from: `application default credentials (authorized_user)`. */
  readonly authenticationSource?: string;
  /** Organisation or folder that the run is about; empty where it is about none. */
  readonly scopeId?: string;
  /** Sent as x-goog-user-project by the client. */
  readonly quotaProject?: string | null;
  readonly timing?: Timing;
}

/** The live half of the Google provider, over a client that it closes with itself. */
export function createGoogleProvider(client: GoogleClient, options: GoogleProviderOptions = {}): LifecycleProvider {
  const identity: ProviderIdentity = {
    providerId: 'google',
    scopeId: options.scopeId ?? '',
    authenticationSource: options.authenticationSource ?? '',
  };
  const timing = options.timing ?? SYSTEM_TIMING;
  const turns = new Turns();
  return {
    identity,
    capabilities: ['inventory', 'resource_lookup', 'create_resource', 'update_resource', 'delete_resource'],
    checkAvailability: () => checkStatus(client, identity),
    checkAuthentication: () => checkStatus(client, identity),
    openSession: () => openGoogleSession(openReads(client)),
    write: (operations, hooks) =>
      write(operations, { client, timing, hooks, quotaProject: options.quotaProject ?? null }, turns),
    close: () => client.close(),
  };
}

/** The cheapest call that any identity may make: a search of organisations, which may be empty. */
async function checkStatus(client: GoogleClient, identity: ProviderIdentity): Promise<ProviderStatus> {
  const answer = await client.call({
    service: 'crm',
    method: 'GET',
    path: 'organizations:search',
    query: { pageSize: '1' },
    repeatability: 'read',
  });
  if (answer.kind === 'ok') return { identity, available: true, authenticated: true, errorCode: null };
  const why = answer.kind === 'refused' ? answer.failure.diagnostic : answer.diagnostic;
  if (why.code === 'AUTHENTICATION') return { identity, available: true, authenticated: false, errorCode: why.code };
  return {
    identity,
    available: answer.kind === 'refused' && answer.failure.status < 500,
    authenticated: answer.kind === 'refused' ? true : null,
    errorCode: why.code,
  };
}

/** One holder at a time of each policy and of each project's services. */
class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.last.set(key, mine);
    return mine;
  }
}

type Group = {
  readonly key: string;
  readonly kind: 'policy' | 'services' | 'single';
  readonly operations: WriteOperation[];
};

async function write(
  operations: readonly WriteOperation[],
  writing: Writing,
  turns: Turns,
): Promise<readonly WriteResult[]> {
  const groups = new Map<string, Group>();
  for (const operation of operations) {
    const { kind, key } = groupOf(operation);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { key, kind, operations: [operation] });
    else group.operations.push(operation);
  }
  const results = new Map<WriteOperation, WriteResult>();
  await Promise.all([...groups.values()].map((group) => writeGroup(group, writing, turns, results)));
  return operations.map(
    (operation) => results.get(operation) ?? failed(operation, diagnostic('BUG', 'A write ended without a result.')),
  );
}

function groupOf({ declaration, desired }: WriteOperation): Pick<Group, 'kind' | 'key'> {
  const { resourceType } = declaration.action;
  if (resourceType === 'binding') return { kind: 'policy', key: textAt(desired, 'resource') };
  if (resourceType === 'service') return { kind: 'services', key: `services:${textAt(desired, 'project_id')}` };
  return { kind: 'single', key: `${resourceType}:${declaration.address}` };
}

async function writeGroup(
  { key, kind, operations }: Group,
  writing: Writing,
  turns: Turns,
  results: Map<WriteOperation, WriteResult>,
): Promise<void> {
  const [first] = operations;
  if (first === undefined) return;
  const collect = (some: ReadonlyMap<WriteOperation, WriteResult>) => {
    for (const [operation, result] of some) results.set(operation, result);
  };
  if (kind === 'policy') collect(await turns.take(key, () => writePolicy(key, operations, writing)));
  else if (kind === 'services') collect(await turns.take(key, () => writeServices(operations, writing)));
  else results.set(first, await writeSingle(first, writing));
}
