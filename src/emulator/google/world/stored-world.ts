import type { EmulatorSeed } from '../options.ts';
import { applyRoots, applySeed } from './seed.ts';
import { emptyState } from './state.ts';
import { StateFile } from './state-file.ts';
import type { World } from './world.ts';

/** A world and the file that keeps it and shares it with other processes, where there is one. */
export class StoredWorld {
  private readonly world: World;
  private readonly seed: EmulatorSeed;
  private readonly file: StateFile | null;

  /** Throws StateFileError where the file can't be used. */
  constructor(world: World, seed: EmulatorSeed, path: string | undefined) {
    this.world = world;
    this.seed = seed;
    this.file = path === undefined ? null : new StateFile(path);
    if (this.file === null) applySeed(world, seed);
    else this.open(this.file);
  }

  /** Back to the first seed; no id returns. */
  startAfresh(): void {
    const { counter, lastMicros } = this.world.state;
    this.world.state = { ...emptyState(), counter, lastMicros };
    this.world.touch();
    applySeed(this.world, this.seed);
  }

  /** Handles one request over the newest state, and keeps what it changed. */
  exchange<T>(method: string, handle: () => T): T {
    const { file } = this;
    if (file === null) return handle();
    if (method === 'GET') {
      this.refresh(file);
      const answer = handle();
      if (!this.world.dirty) return answer;
      // A read that changes something (a poll, a lag that passes) is read again with the file locked.
      file.forget();
    }
    return file.locked(() => {
      this.refresh(file);
      const answer = handle();
      this.save(file);
      return answer;
    });
  }

  private open(file: StateFile): void {
    file.locked(() => {
      if (this.refresh(file)) applyRoots(this.world, this.seed);
      this.save(file);
    });
  }

  /** Whether the file holds a state; where it holds none, the world is that of the seed. */
  private refresh(file: StateFile): boolean {
    this.world.dirty = false;
    const kept = file.read();
    if (kept.kind === 'state') this.world.state = kept.state;
    if (kept.kind === 'none') this.startAfresh();
    return kept.kind !== 'none';
  }

  private save(file: StateFile): void {
    if (this.world.dirty) file.write(this.world.state);
    this.world.dirty = false;
  }
}
