import type { FakeYcSeed } from '../options.ts';
import type { FakeYcState } from './state.ts';

/** Long ago, and the same in every state. */
const SEEDED_AT = '2023-11-14T18:48:10Z';
const CLOUD = 'b1gfakecloud00000001';

/** Adds what is missing; changes and removes nothing, but for profiles and knobs. */
export function applySeed(state: FakeYcState, seed: FakeYcSeed): void {
  for (const folder of seed.folders ?? []) {
    state.folders[folder.id] ??= {
      id: folder.id,
      cloudId: folder.cloudId ?? CLOUD,
      createdAt: SEEDED_AT,
      name: folder.name ?? `folder-${folder.id.slice(-4)}`,
      status: folder.status ?? 'ACTIVE',
      forbidden: folder.forbidden ?? false,
    };
  }
  for (const image of seed.images ?? []) {
    state.images[image.id] ??= {
      id: image.id,
      folderId: image.folderId ?? 'standard-images',
      createdAt: SEEDED_AT,
      name: image.name ?? `image-${image.id.slice(-4)}`,
      family: image.family ?? '',
      minDiskGib: image.minDiskGib ?? 3,
    };
  }
  if (seed.profiles !== undefined) state.profiles = seed.profiles;
  state.knobs = { ...state.knobs, ...seed.knobs };
}
