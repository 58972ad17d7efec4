import { createHash } from 'node:crypto';
import type { EmulatorKnobs } from '../options.ts';
import { emptyState, type Folder, type Project, type WorldState } from './state.ts';

/** The emulated cloud: its state, its clock and its sources of ids. */
export class World {
  state: WorldState = emptyState();
  knobs: EmulatorKnobs;
  /** Polls that a new operation needs; 0 = done in the first answer. */
  readonly operationPolls: number;
  /** Caps every page; undefined = as asked. */
  readonly forcedPageSize: number | undefined;
  /** Set by whoever changes the state; the server saves and clears it. */
  dirty = false;

  constructor(settings: { knobs: EmulatorKnobs; operationPolls: number; forcedPageSize: number | undefined }) {
    this.knobs = settings.knobs;
    this.operationPolls = settings.operationPolls;
    this.forcedPageSize = settings.forcedPageSize;
  }

  touch(): void {
    this.dirty = true;
  }

  private count(): number {
    this.touch();
    this.state.counter += 1;
    return this.state.counter;
  }

  /** A twelve-digit number, never given twice. The prime step keeps neighbours from looking sequential. */
  nextNumber(): string {
    const number = String(100_000_000_000 + ((this.count() * 7_368_787) % 899_999_999_981));
    return this.isNumberTaken(number) ? this.nextNumber() : number;
  }

  private isNumberTaken(number: string): boolean {
    const { folders, projects, organizations } = this.state;
    return (
      `folders/${number}` in folders || `projects/${number}` in projects || `organizations/${number}` in organizations
    );
  }

  /** Nineteen digits, as operation names carry them. */
  nextOperationNumber(): string {
    return String(1_000_000_000_000_000_000n + BigInt(this.count()) * 7_368_787_201n);
  }

  nextUuid(): string {
    const hex = createHash('sha256').update(`uuid ${this.count()}`).digest('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
  }

  /** Opaque: sixteen bytes of nothing in particular. */
  nextEtag(): string {
    return createHash('md5').update(`etag ${this.count()}`).digest('base64');
  }

  /** Microseconds since the epoch, strictly rising. */
  nextMicros(): number {
    this.touch();
    this.state.lastMicros = Math.max(Date.now() * 1000, this.state.lastMicros + 1);
    return this.state.lastMicros;
  }

  now(): string {
    const micros = this.nextMicros();
    const seconds = new Date(Math.floor(micros / 1000)).toISOString().slice(0, 19);
    return `${seconds}.${String(micros % 1_000_000).padStart(6, '0')}Z`;
  }

  findProject(idOrNumber: string): Project | undefined {
    const { projects, projectIds } = this.state;
    const name = Object.hasOwn(projectIds, idOrNumber) ? projectIds[idOrNumber] : `projects/${idOrNumber}`;
    return name !== undefined && Object.hasOwn(projects, name) ? projects[name] : undefined;
  }

  findFolder(name: string): Folder | undefined {
    return Object.hasOwn(this.state.folders, name) ? this.state.folders[name] : undefined;
  }

  hasOrganization(name: string): boolean {
    return Object.hasOwn(this.state.organizations, name);
  }

  parentOf(name: string): string | undefined {
    if (name.startsWith('folders/')) return this.findFolder(name)?.parent;
    if (name.startsWith('projects/')) return this.findProject(name.slice('projects/'.length))?.parent;
    return undefined;
  }

  /** The resource itself first, the organisation last. */
  lineage(name: string): readonly string[] {
    const chain = [name];
    let parent = this.parentOf(name);
    // A seed may hold a cycle; no request can make one.
    while (parent !== undefined && !chain.includes(parent)) {
      chain.push(parent);
      parent = this.parentOf(parent);
    }
    return chain;
  }

  /** What the services do some thirty days after a deletion; the id of a project stays taken. */
  purge(name: string): boolean {
    const project = name.startsWith('projects/') ? this.findProject(name.slice('projects/'.length)) : undefined;
    if ((project ?? this.findFolder(name))?.state !== 'DELETE_REQUESTED') return false;
    this.touch();
    delete this.state.policies[project?.name ?? name];
    if (project === undefined) delete this.state.folders[name];
    else delete this.state.projects[project.name];
    return true;
  }

  childFolders(parent: string): readonly Folder[] {
    return Object.values(this.state.folders).filter((folder) => folder.parent === parent);
  }

  childProjects(parent: string): readonly Project[] {
    return Object.values(this.state.projects).filter((project) => project.parent === parent);
  }

  /** Notes a change of the resource itself: a new etag and update time, and the lag of searches. */
  stamp(resource: Folder | Project): void {
    resource.updateTime = this.now();
    resource.etag = this.nextEtag();
    const lag = this.knobs.searchLagReads ?? 0;
    if (lag > 0) resource.searchLag = lag;
  }
}
