import { notFound, RpcFailure } from '../cli/failures.ts';
import type { FakeYcKnobs } from '../options.ts';
import type { FakeYcState, Folder, Image, KindName, Of, Resource } from './state.ts';

/** The cloud of one call: what is there, and what a read of it shows. */
export class World {
  readonly state: FakeYcState;

  constructor(state: FakeYcState) {
    this.state = state;
  }

  get knobs(): FakeYcKnobs {
    return this.state.knobs;
  }

  now(): string {
    return `${new Date().toISOString().slice(0, 19)}Z`;
  }

  /** All that exist, seen or not. */
  all<K extends KindName>(kind: K): readonly Of<K>[] {
    return this.table(kind).filter((resource) => resource.deletedReads === undefined);
  }

  find<K extends KindName>(kind: K, id: string): Of<K> | undefined {
    return this.all(kind).find((resource) => resource.id === id);
  }

  inFolder<K extends KindName>(kind: K, folderId: string): readonly Of<K>[] {
    return this.all(kind).filter((resource) => resource.folderId === folderId);
  }

  /** What a read shows, by id; each read brings what lags a step nearer. */
  observe<K extends KindName>(kind: K, matches: (resource: Of<K>) => boolean): readonly Of<K>[] {
    return this.table(kind)
      .filter(matches)
      .filter((resource) => this.seen(kind, resource));
  }

  /** The status after `settled` has been reached, or on the way there. */
  status(resource: Resource, settled: string): string {
    if (resource.deletedReads !== undefined) return 'DELETING';
    if (this.isPending(resource.id)) return resource.lagStatus ?? settled;
    if ((resource.lagReads ?? 0) === 0) return settled;
    resource.lagReads = (resource.lagReads ?? 0) - 1;
    return resource.lagStatus ?? settled;
  }

  put<K extends KindName>(kind: K, resource: Of<K>): void {
    const table: Record<string, Of<K>> = this.state.resources[kind];
    table[resource.id] = resource;
  }

  /** From now on a read shows the status on the way for a while. */
  lag(resource: Resource, status: string): void {
    resource.lagStatus = status;
    resource.lagReads = this.knobs.statusLagReads ?? 0;
  }

  remove(kind: KindName, id: string): void {
    const reads = this.knobs.deleteLagReads ?? 0;
    const table: Record<string, Resource> = this.state.resources[kind];
    const resource = table[id];
    if (resource !== undefined && reads > 0) resource.deletedReads = reads;
    else delete table[id];
  }

  /** The folder for something new. */
  folderToFill(id: string): Folder {
    const folder = this.state.folders[id];
    if (folder === undefined) throw notFound(`Folder with id ${id} not found`);
    if (folder.forbidden) throw new RpcFailure('PermissionDenied', 'Permission denied');
    return folder;
  }

  /** An unknown folder and a foreign one can't be told apart by who lists them. */
  checkReadable(id: string): void {
    const folder = this.state.folders[id];
    if (folder === undefined || folder.forbidden) throw new RpcFailure('PermissionDenied', 'Permission denied');
  }

  image(id: string): Image | undefined {
    const image = this.state.images[id];
    if (image !== undefined || !this.knobs.anyImage || !/^fd8[a-z0-9]{17}$/.test(id)) return image;
    return { id, folderId: 'standard-images', createdAt: '2023-11-14T18:48:10Z', name: '', family: '', minDiskGib: 3 };
  }

  checkQuota(kind: KindName, folder: Folder): void {
    const name = QUOTAS[kind];
    const limit = this.knobs.quotas?.[name];
    if (limit === undefined) return;
    const used = this.all(kind).filter(({ folderId }) => this.state.folders[folderId]?.cloudId === folder.cloudId);
    if (used.length < limit) return;
    throw new RpcFailure(
      'ResourceExhausted',
      kind === 'instance' ? 'The limit on maximum number of instances has exceeded.' : `Quota limit ${name} exceeded`,
    );
  }

  private table<K extends KindName>(kind: K): readonly Of<K>[] {
    const table: Record<string, Of<K>> = this.state.resources[kind];
    return Object.values(table).sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  private seen(kind: KindName, resource: Resource): boolean {
    if ((resource.hiddenReads ?? 0) > 0) {
      resource.hiddenReads = (resource.hiddenReads ?? 0) - 1;
      return false;
    }
    if (resource.deletedReads === undefined) return true;
    if (resource.deletedReads === 0) {
      delete this.state.resources[kind][resource.id];
      return false;
    }
    resource.deletedReads -= 1;
    return true;
  }

  private isPending(id: string): boolean {
    return Object.values(this.state.operations).some(
      ({ pollsLeft, metadata }) => pollsLeft > 0 && Object.values(metadata).includes(id),
    );
  }
}

const QUOTAS: Readonly<Record<KindName, string>> = {
  network: 'vpc.networks.count',
  subnet: 'vpc.subnets.count',
  security_group: 'vpc.securityGroups.count',
  address: 'vpc.externalStaticAddresses.count',
  disk: 'compute.disks.count',
  instance: 'compute.instances.count',
};
