import { diagnostic } from '../../../src/core/codes.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json.ts';
import { displayObject } from '../../../src/core/value.ts';
import type {
  LifecycleProvider,
  OpenedProvider,
  ProviderIdentity,
  ProviderPool,
  ProviderRequest,
  ProviderStatus,
  WriteHooks,
  WriteOperation,
  WriteResult,
} from '../../../src/providers/lifecycle-provider.ts';
import { PROVIDER } from './actions.ts';
import { memoryCatalogue } from './catalogue.ts';
import type { Box, MemoryCloud, Mishap } from './cloud.ts';
import { boxResource, MemorySession, shelfOf, shelfResource } from './session.ts';
import { newSignal } from './signal.ts';

/** Opens providers over one in-memory cloud; a step without auth gets none. */
export class MemoryPool implements ProviderPool {
  readonly #cloud: MemoryCloud;
  readonly opened: ProviderRequest[] = [];

  constructor(cloud: MemoryCloud) {
    this.#cloud = cloud;
  }

  async open(request: ProviderRequest): Promise<OpenedProvider> {
    this.opened.push(request);
    if (request.auth === null)
      return { kind: 'unusable', why: diagnostic('AUTH_REQUIRED', 'the step has no auth block.') };
    if (request.auth.type === 'broken')
      return { kind: 'unusable', why: diagnostic('AUTHENTICATION', 'no credential could be obtained.') };
    return { kind: 'open', provider: new MemoryProvider(this.#cloud) };
  }

  async close(): Promise<void> {}
}

export class MemoryProvider implements LifecycleProvider {
  readonly identity: ProviderIdentity = { providerId: PROVIDER, scopeId: 'store', authenticationSource: 'test' };
  readonly capabilities = ['resource_lookup', 'create_resource', 'update_resource', 'delete_resource'] as const;
  readonly #cloud: MemoryCloud;

  constructor(cloud: MemoryCloud) {
    this.#cloud = cloud;
  }

  async checkAvailability(): Promise<ProviderStatus> {
    return { identity: this.identity, available: true, authenticated: null, errorCode: null };
  }

  async checkAuthentication(): Promise<ProviderStatus> {
    return { identity: this.identity, available: true, authenticated: true, errorCode: null };
  }

  openSession(): MemorySession {
    return new MemorySession(this.#cloud);
  }

  async close(): Promise<void> {}

  async write(operations: readonly WriteOperation[], hooks: WriteHooks): Promise<readonly WriteResult[]> {
    const urns = operations.map(urnOf);
    this.#cloud.calls.push({ kind: 'write', what: urns });
    this.#cloud.nonces.push(...operations.map((operation) => operation.nonce));
    this.#cloud.writesAtOnce += 1;
    this.#cloud.mostWritesAtOnce = Math.max(this.#cloud.mostWritesAtOnce, this.#cloud.writesAtOnce);
    try {
      await unlessAborted(hooks.signal, this.#cloud.pass(urns));
      if (hooks.signal.aborted) return operations.map(() => uncertain('given up before the answer came.'));
      return operations.map((operation) => this.#one(operation, hooks));
    } finally {
      this.#cloud.writesAtOnce -= 1;
    }
  }

  #one(operation: WriteOperation, hooks: WriteHooks): WriteResult {
    const pending = operation.pendingOperation;
    if (pending !== null) return this.#poll(operation, pending, hooks);
    const mishap = this.#cloud.takeMishap(urnOf(operation));
    return mishap === null ? this.#apply(operation) : this.#meet(operation, mishap, hooks);
  }

  #poll(operation: WriteOperation, pending: string, hooks: WriteHooks): WriteResult {
    hooks.onOperation(operation.declaration.address, pending, 1);
    if (!this.#cloud.isOperationDone(pending)) return stillRunning(pending);
    return { kind: 'done', ...this.#shown(operation), warnings: [] };
  }

  #meet(operation: WriteOperation, mishap: Mishap, hooks: WriteHooks): WriteResult {
    switch (mishap.kind) {
      case 'fail':
        return { kind: 'failed', why: mishap.why };
      case 'lose':
        if (mishap.applied) this.#apply(operation);
        return uncertain('the connection was reset after the request was sent.', mishap.operation);
      case 'pending':
        this.#cloud.startOperation(mishap.operation, () => this.#apply(operation));
        hooks.onOperation(operation.declaration.address, mishap.operation, 1);
        return stillRunning(mishap.operation);
      case 'stale':
        return { kind: 'stale', why: diagnostic('STALE', 'its etag is another one by now.') };
      case 'throw':
        throw new Error('a bug in the provider');
    }
  }

  #apply(operation: WriteOperation): WriteResult {
    switch (operation.declaration.action.resourceType) {
      case 'box':
        return this.#applyBox(operation);
      case 'shelf':
        return this.#applyShelf(operation);
      default:
        return this.#applyGrant(operation);
    }
  }

  #applyBox(operation: WriteOperation): WriteResult {
    const wanted = boxFields(displayObject(operation.desired));
    const name = String(operation.desired['name']);
    const box = this.#cloud.boxes.get(name);
    if (operation.change === 'create') return this.#createBox(operation, wanted, box);
    if (box === undefined) return operation.change === 'delete' ? NOTHING_THERE : gone(name);
    if (operation.observation !== null && operation.observation.etag !== String(box.etag))
      return { kind: 'stale', why: diagnostic('STALE', `${name} changed since it was looked at.`) };
    if (operation.change === 'delete') return this.#deleteBox(box);
    const changed: Box = {
      ...box,
      ...wanted,
      labels: { ...box.labels, ...wanted.labels },
      state: 'ACTIVE',
      etag: box.etag + 1,
    };
    this.#cloud.boxes.set(name, changed);
    return done(changed.id, boxResource(changed));
  }

  #createBox(operation: WriteOperation, wanted: Partial<Box>, existing: Box | undefined): WriteResult {
    const name = String(operation.desired['name']);
    if (existing !== undefined && operation.repeat) return done(existing.id, boxResource(existing));
    if (existing !== undefined)
      return { kind: 'failed', why: diagnostic('ALREADY_EXISTS', `there is a box ${name}. Adopt it.`) };
    this.#cloud.creations.push(urnOf(operation));
    const box = this.#cloud.addBox(name, wanted);
    return done(box.id, boxResource(box));
  }

  /** A box takes along what lies in it. */
  #deleteBox(box: Box): WriteResult {
    if (this.#cloud.retention)
      this.#cloud.boxes.set(box.name, { ...box, state: 'DELETE_REQUESTED', etag: box.etag + 1 });
    else this.#cloud.removeBox(box);
    return done(box.id, null);
  }

  #applyShelf(operation: WriteOperation): WriteResult {
    const { parent, title, note } = displayObject(operation.desired);
    const shelf = shelfOf(this.#cloud, operation.desired, operation.observation?.id ?? null);
    if (operation.change === 'create') {
      if (shelf !== null && !operation.repeat)
        return { kind: 'failed', why: diagnostic('ALREADY_EXISTS', `there is a shelf ${shelf.title}. Adopt it.`) };
      if (shelf !== null) return done(shelf.id, shelfResource(shelf));
      this.#cloud.creations.push(urnOf(operation));
      const made = this.#cloud.addShelf(String(parent), String(title), typeof note === 'string' ? note : null);
      return done(made.id, shelfResource(made));
    }
    if (shelf === null) return operation.change === 'delete' ? NOTHING_THERE : gone(String(title));
    if (operation.change === 'delete') {
      this.#cloud.shelves.delete(shelf.id);
      return done(shelf.id, null);
    }
    const changed = {
      ...shelf,
      parent: String(parent),
      title: String(title),
      note: typeof note === 'string' ? note : shelf.note,
      etag: shelf.etag + 1,
    };
    this.#cloud.shelves.set(shelf.id, changed);
    return done(shelf.id, shelfResource(changed));
  }

  #applyGrant(operation: WriteOperation): WriteResult {
    const urn = urnOf(operation);
    const grant = displayObject(operation.desired);
    const there = this.#cloud.grants.has(urn);
    if (operation.change === 'delete') {
      this.#cloud.grants.delete(urn);
      return there ? done(null, null) : NOTHING_THERE;
    }
    if (!this.#cloud.boxes.has(String(grant['box']))) return gone(String(grant['box']));
    if (!there) this.#cloud.creations.push(urn);
    this.#cloud.grants.add(urn);
    return there ? { kind: 'noop', id: null, resource: grant } : done(null, grant);
  }

  #shown({ declaration, desired, change }: WriteOperation): { readonly id: string | null; readonly resource: Json } {
    const box = this.#cloud.boxes.get(String(desired['name']));
    if (declaration.action.resourceType === 'box' && box !== undefined && change !== 'delete')
      return { id: box.id, resource: boxResource(box) };
    return { id: null, resource: null };
  }
}

const NOTHING_THERE: WriteResult = { kind: 'noop', id: null, resource: null };

function urnOf({ declaration, desired }: WriteOperation): string {
  return memoryCatalogue.urnOf(declaration, desired) ?? declaration.address;
}

function done(id: string | null, resource: Json): WriteResult {
  return { kind: 'done', id, resource, warnings: [] };
}

function gone(name: string): WriteResult {
  return { kind: 'failed', why: diagnostic('NOT_FOUND', `there is no ${name}.`) };
}

function uncertain(detail: string, operation: string | null = null): WriteResult {
  return { kind: 'uncertain', why: diagnostic('OUTCOME_UNKNOWN', detail, { operation }) };
}

function stillRunning(operation: string): WriteResult {
  return {
    kind: 'pending',
    operation,
    why: diagnostic('OPERATION_PENDING', `${operation} still runs.`, { operation }),
  };
}

/** Waits for something unless the signal comes first. */
async function unlessAborted(signal: AbortSignal, waiting: Promise<void>): Promise<void> {
  if (signal.aborted) return;
  const given = newSignal();
  signal.addEventListener('abort', given.fire, { once: true });
  await Promise.race([waiting, given.reached]);
  signal.removeEventListener('abort', given.fire);
}

function boxFields(desired: JsonObject): Partial<Box> {
  const text = (key: 'parent' | 'title' | 'color' | 'secret') =>
    typeof desired[key] === 'string' ? { [key]: desired[key] } : {};
  const labels = isJsonObject(desired['labels'])
    ? { labels: desired['labels'] as Readonly<Record<string, string>> }
    : {};
  return { ...text('parent'), ...text('title'), ...text('color'), ...text('secret'), ...labels };
}
