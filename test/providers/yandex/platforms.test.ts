import { describe, expect, it } from 'vitest';
import { genericProblem, platformProblem } from '../../../src/providers/yandex/platforms.ts';

const FEW = [2, 4];
const QUARTERS = [0.5, 1, 1.5, 2];
const HALVES = [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4];
const EVEN = [2, 4, 6, 8, 10, 12, 14, 16];
const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);
const large = (cores: readonly number[], most: number) => ['standard-v3', 100, cores, upTo(most)] as const;

/** The table of the vendor, spelled out: platform, core fraction, cores, GiB per core. */
const TABLE: readonly (readonly [string, number, readonly number[], readonly number[]])[] = [
  ['standard-v1', 5, FEW, QUARTERS],
  ['standard-v1', 20, FEW, HALVES],
  ['standard-v1', 100, [...EVEN, 20, 24, 28, 32], upTo(8)],
  ['standard-v2', 5, FEW, [0.25, 0.5, 1, 1.5, 2]],
  ['standard-v2', 20, FEW, HALVES],
  ['standard-v2', 50, FEW, HALVES],
  ['standard-v2', 100, [...EVEN, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80], upTo(16)],
  ['standard-v3', 20, FEW, HALVES],
  ['standard-v3', 50, FEW, HALVES],
  ['standard-v3', 100, [...EVEN, 20], upTo(16)],
  large([24], 13),
  large([28], 11),
  large([32], 10),
  large([36, 40], 16),
  large([44], 14),
  large([48], 13),
  large([52], 12),
  large([56], 11),
  large([60, 64], 10),
  large([68], 9),
  large([72, 76, 80], 8),
  large([84, 88], 7),
  large([92, 96], 6),
  ['highfreq-v3', 100, [...EVEN, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56], upTo(16)],
  ['amd-v1', 20, FEW, [0.5, 1, 1.5]],
  ['amd-v1', 50, FEW, HALVES],
  ['amd-v1', 100, [2, 4, 8, 16, 32, 48, 64, 96, 128], upTo(6)],
  ['standard-v4a', 20, FEW, QUARTERS],
  ['standard-v4a', 50, FEW, HALVES],
  ['standard-v4a', 100, [2, 4, 8, 16, 32, 48, 64, 96, 128, 224, 256, 288], [1, 2, 4, 8]],
  ['highfreq-v4a', 20, FEW, QUARTERS],
  ['highfreq-v4a', 50, FEW, HALVES],
  ['highfreq-v4a', 100, [2, 4, 8, 16, 24, 32, 48, 80], [1, 2, 4, 8, 10, 12]],
];
const PER_CORE = [0.25, ...HALVES, 3.75, ...upTo(17)];

describe('what a platform has', () => {
  it.each([...new Set(TABLE.map(([platform]) => platform))])(
    '%s: what the table says, and nothing else',
    (platform) => {
      const all = [5, 20, 50, 100].flatMap((fraction) =>
        upTo(300).flatMap((cores) => PER_CORE.map((perCore) => ({ fraction, cores, perCore }))),
      );
      const isOffered = ({ fraction, cores, perCore }: (typeof all)[number]) =>
        TABLE.some(
          ([name, part, counts, memory]) =>
            name === platform && part === fraction && counts.includes(cores) && memory.includes(perCore),
        );
      const isTaken = ({ perCore, ...machine }: (typeof all)[number]) =>
        platformProblem({ ...machine, platform, memory: machine.cores * perCore, zone: null }) === null;
      expect(all.filter(isTaken)).toEqual(all.filter(isOffered));
    },
  );

  it.each([
    [2, 2, null],
    [36, 256, null],
    [80, 1, null],
    [3, 2, 'cores'],
    [38, 2, 'cores'],
    [84, 2, 'cores'],
    [2, 257, 'memory_gib'],
    [2, 1000, 'memory_gib'],
  ])('without a platform: %i cores and %i GiB', (cores, memory, key) => {
    expect(genericProblem(cores, memory)?.key ?? null).toBe(key);
  });
});
