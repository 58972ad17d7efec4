import { diagnostic } from '../../../src/core/codes.ts';
import type { Diagnostic } from '../../../src/core/diagnostics.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { Declaration, Observation } from '../../../src/core/resource.ts';
import type { GuardSpec } from '../../../src/core/step.ts';
import { displayObject, type ValueObject } from '../../../src/core/value.ts';
import type { ReadResult, ReadSession, Resolution, Target } from '../../../src/providers/lifecycle-provider.ts';
import { memoryCatalogue } from './catalogue.ts';
import type { Box, MemoryCloud, Shelf } from './cloud.ts';

const BY_NAME = 'by-name/';

/** One phase of reading; what it saw once it does not ask for again. */
export class MemorySession implements ReadSession {
  readonly #cloud: MemoryCloud;
  readonly #seen = new Map<string, Observation>();

  constructor(cloud: MemoryCloud) {
    this.#cloud = cloud;
  }

  async resolve({ desired }: Target): Promise<Resolution> {
    const parent = desired['parent'];
    if (typeof parent !== 'string' || !parent.startsWith(BY_NAME)) return { kind: 'resolved', desired };
    this.#cloud.calls.push({ kind: 'resolve', what: [parent] });
    const box = this.#cloud.boxes.get(parent.slice(BY_NAME.length));
    if (box === undefined) return { kind: 'failed', why: diagnostic('NOT_FOUND', `there is no box ${parent}.`) };
    return { kind: 'resolved', desired: { ...desired, parent: box.id } };
  }

  async observe(target: Target): Promise<Observation> {
    const { declaration, desired } = target;
    if (declaration.needs.some((address) => target.pending.has(address)) && declaration.action.resourceType !== 'box')
      return { kind: 'absent' };
    const key = memoryCatalogue.urnOf(declaration, desired) ?? JSON.stringify(displayObject(desired));
    const asked = `${target.forDelete} ${key}`;
    const seen = this.#seen.get(asked) ?? this.#look(target, key);
    this.#seen.set(asked, seen);
    return seen;
  }

  #look(target: Target, key: string): Observation {
    this.#cloud.calls.push({ kind: 'observe', what: [key] });
    this.#cloud.onObserve(key);
    const name = nameOf(target.declaration, target.desired);
    const problem = this.#cloud.unreadable.get(name);
    if (problem !== undefined) return { kind: 'unreadable', why: problem };
    if (this.#cloud.hidden.has(name))
      return { kind: 'not_visible', why: diagnostic('NOT_VISIBLE', `${name} does not exist, or may not be seen.`) };
    return observe(this.#cloud, target);
  }

  async read(_declaration: Declaration, desired: ValueObject): Promise<ReadResult> {
    const name = String(desired['name']);
    this.#cloud.calls.push({ kind: 'read', what: [name] });
    const problem = this.#cloud.unreadable.get(name);
    if (problem !== undefined) return { kind: 'failed', why: problem };
    const box = this.#cloud.boxes.get(name);
    if (box === undefined) return { kind: 'failed', why: diagnostic('NOT_FOUND', `there is no box ${name}.`) };
    return { kind: 'done', resource: boxResource(box) };
  }

  async checkGuard(guard: GuardSpec, parents: readonly string[]): Promise<readonly Diagnostic[]> {
    this.#cloud.calls.push({ kind: 'guard', what: parents });
    const organization = `organizations/${guard.requireOrg}`;
    const name = this.#cloud.organizations.get(organization);
    if (guard.requireOrgDisplayName !== null && name !== guard.requireOrgDisplayName)
      return [diagnostic('GUARD', `${organization} is named ${String(name)}.`)];
    return parents
      .filter((parent) => rootOf(this.#cloud, parent) !== organization)
      .map((parent) => diagnostic('GUARD', `${parent} does not lie under ${organization}.`));
  }
}

function nameOf(declaration: Declaration, desired: ValueObject): string {
  if (declaration.action.resourceType === 'grant') return `grants:${String(desired['box'])}`;
  return String(desired['name'] ?? desired['title']);
}

function rootOf(cloud: MemoryCloud, place: string): string {
  const box = cloud.boxById(place);
  return box === null ? place : rootOf(cloud, box.parent);
}

/** What is there now, without counting as a read. */
export function observe(cloud: MemoryCloud, target: Target): Observation {
  const { declaration, desired, resourceId, forDelete } = target;
  switch (declaration.action.resourceType) {
    case 'box': {
      const box = cloud.boxes.get(String(desired['name']));
      if (box === undefined) return { kind: 'absent' };
      const blocker = forDelete ? cloud.blockers.get(box.name) : undefined;
      return present(box.id, boxActual(box), box.etag, box.state, boxResource(box), blocker);
    }
    case 'shelf': {
      const shelf = shelfOf(cloud, desired, resourceId);
      if (shelf === null) return { kind: 'absent' };
      return present(shelf.id, shelfActual(shelf), shelf.etag, 'ACTIVE', shelfResource(shelf), undefined);
    }
    default: {
      const urn = memoryCatalogue.urnOf(declaration, desired) ?? '';
      if (!cloud.grants.has(urn)) return { kind: 'absent' };
      return present(null, displayObject(desired), null, 'bound', displayObject(desired), undefined);
    }
  }
}

function present(
  id: string | null,
  actual: JsonObject,
  etag: number | null,
  state: string,
  resource: JsonObject,
  blocker: Diagnostic | undefined,
): Observation {
  return {
    kind: 'present',
    id,
    actual,
    etag: etag === null ? null : String(etag),
    state,
    purgeTime: state === 'DELETE_REQUESTED' ? '2026-02-01T00:00:00Z' : null,
    resource,
    warnings: [],
    blockers: blocker === undefined ? [] : [blocker],
  };
}

export function shelfOf(cloud: MemoryCloud, desired: ValueObject, resourceId: string | null): Shelf | null {
  const named = [...cloud.shelves.values()].find(
    (shelf) => shelf.parent === desired['parent'] && shelf.title === desired['title'],
  );
  return named ?? (resourceId === null ? null : (cloud.shelves.get(resourceId) ?? null));
}

function boxActual({ name, parent, title, labels, color, secret }: Box): JsonObject {
  return { name, parent, title, labels, color, secret };
}

export function boxResource(box: Box): JsonObject {
  return {
    id: box.id,
    name: box.id,
    boxName: box.name,
    parent: box.parent,
    title: box.title,
    labels: box.labels,
    etag: String(box.etag),
  };
}

function shelfActual({ parent, title, note }: Shelf): JsonObject {
  return { parent, title, note };
}

export function shelfResource(shelf: Shelf): JsonObject {
  return { id: shelf.id, name: shelf.id, parent: shelf.parent, title: shelf.title, note: shelf.note };
}
