import { invalidField } from '../cli/failures.ts';

interface Level {
  readonly cores: readonly number[];
  /** GB per core. */
  readonly memory: readonly number[];
  /** The most GB per core for machines of so many cores, where it is less. */
  readonly most?: Readonly<Record<number, number>>;
}

type Platform = Readonly<Record<number, Level>>;

/** From the documentation's page on performance levels. */
const PLATFORMS: Readonly<Record<string, Platform>> = {
  'standard-v1': {
    5: { cores: [2, 4], memory: [0.5, 1, 1.5, 2] },
    20: { cores: [2, 4], memory: steps(0.5, 4, 0.5) },
    100: { cores: [...steps(2, 16, 2), 20, 24, 28, 32], memory: steps(1, 8, 1) },
  },
  'standard-v2': {
    5: { cores: [2, 4], memory: [0.25, 0.5, 1, 1.5, 2] },
    20: { cores: [2, 4], memory: steps(0.5, 4, 0.5) },
    50: { cores: [2, 4], memory: steps(0.5, 4, 0.5) },
    100: { cores: [...steps(2, 16, 2), ...steps(20, 80, 4)], memory: steps(1, 16, 1) },
  },
  'standard-v3': {
    20: { cores: [2, 4], memory: steps(0.5, 4, 0.5) },
    50: { cores: [2, 4], memory: steps(0.5, 4, 0.5) },
    100: {
      cores: [...steps(2, 16, 2), ...steps(20, 96, 4)],
      memory: steps(1, 16, 1),
      most: {
        ...{ 24: 13, 28: 11, 32: 10, 44: 14, 48: 13, 52: 12, 56: 11, 60: 10, 64: 10, 68: 9 },
        ...{ 72: 8, 76: 8, 80: 8, 84: 7, 88: 7, 92: 6, 96: 6 },
      },
    },
  },
  'highfreq-v3': { 100: { cores: [...steps(2, 16, 2), ...steps(20, 56, 4)], memory: steps(1, 16, 1) } },
  'amd-v1': {
    20: { cores: [2, 4], memory: [0.5, 1, 1.5] },
    50: { cores: [2, 4], memory: steps(0.5, 4, 0.5) },
    100: { cores: [2, 4, 8, 16, 32, 48, 64, 96, 128], memory: steps(1, 6, 1) },
  },
  'standard-v4a': {
    20: { cores: [2, 4], memory: steps(0.5, 2, 0.5) },
    50: { cores: [2, 4], memory: steps(0.5, 4, 0.5) },
    100: { cores: [2, 4, 8, 16, 32, 48, 64, 96, 128, 224, 256, 288], memory: [1, 2, 4, 8] },
  },
  'highfreq-v4a': {
    20: { cores: [2, 4], memory: steps(0.5, 2, 0.5) },
    50: { cores: [2, 4], memory: steps(0.5, 4, 0.5) },
    100: { cores: [2, 4, 8, 16, 24, 32, 48, 80], memory: [1, 2, 4, 8, 10, 12] },
  },
};

export interface MachineSize {
  readonly platformId: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  readonly coreFraction: number;
}

/** The wording of these refusals is from memory. */
export function checkMachine({ platformId, cores, memory, coreFraction }: MachineSize): void {
  const platform = Object.hasOwn(PLATFORMS, platformId) ? PLATFORMS[platformId] : undefined;
  if (platform === undefined) throw invalidField('platform_id', `Platform "${platformId}" not found`);
  const level = platform[coreFraction];
  const unavailable = (what: string, allowed: readonly (number | string)[]) =>
    invalidField(
      'resources_spec',
      `the specified ${what} is not available on platform "${platformId}"; allowed: ${allowed.join(', ')}`,
    );
  if (level === undefined) throw unavailable('core fraction', Object.keys(platform));
  if (!level.cores.includes(cores)) throw unavailable('number of cores', level.cores);
  const perCore = memory / 2 ** 30 / cores;
  const allowed = level.memory.filter((gigabytes) => gigabytes <= (level.most?.[cores] ?? Number.POSITIVE_INFINITY));
  if (!allowed.includes(perCore))
    throw unavailable(
      'amount of memory',
      allowed.map((gigabytes) => gigabytes * cores),
    );
}

function steps(first: number, last: number, step: number): readonly number[] {
  return Array.from({ length: (last - first) / step + 1 }, (_, at) => first + at * step);
}
