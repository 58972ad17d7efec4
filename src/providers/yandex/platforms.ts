/** One line of the platform table: which vCPU counts go with which GiB of memory per vCPU. */
interface Offer {
  readonly fraction: number;
  readonly cores: readonly number[];
  readonly perCore: readonly number[];
}

const HALVES = steps(0.5, 4, 0.5);
const FEW = [2, 4];
const EVEN = steps(2, 16, 2);

function steps(from: number, to: number, by: number): readonly number[] {
  return Array.from({ length: Math.round((to - from) / by) + 1 }, (_, index) => from + index * by);
}

function offer(fraction: number, cores: readonly number[], perCore: readonly number[]): Offer {
  return { fraction, cores, perCore };
}

/** Full cores of standard-v3 beyond 20: the more there are, the less memory each may have. */
const LARGE_V3 = (
  [
    [[24], 13],
    [[28], 11],
    [[32], 10],
    [[36, 40], 16],
    [[44], 14],
    [[48], 13],
    [[52], 12],
    [[56], 11],
    [[60, 64], 10],
    [[68], 9],
    [[72, 76, 80], 8],
    [[84, 88], 7],
    [[92, 96], 6],
  ] as const
).map(([cores, most]) => offer(100, cores, steps(1, most, 1)));

/** As Yandex Cloud publishes it. */
const PLATFORMS: Readonly<Record<string, readonly Offer[]>> = {
  'standard-v1': [
    offer(5, FEW, [0.5, 1, 1.5, 2]),
    offer(20, FEW, HALVES),
    offer(100, [...EVEN, 20, 24, 28, 32], steps(1, 8, 1)),
  ],
  'standard-v2': [
    offer(5, FEW, [0.25, 0.5, 1, 1.5, 2]),
    offer(20, FEW, HALVES),
    offer(50, FEW, HALVES),
    offer(100, [...EVEN, ...steps(20, 80, 4)], steps(1, 16, 1)),
  ],
  'standard-v3': [
    offer(20, FEW, HALVES),
    offer(50, FEW, HALVES),
    offer(100, [...EVEN, 20], steps(1, 16, 1)),
    ...LARGE_V3,
  ],
  'highfreq-v3': [offer(100, [...EVEN, ...steps(20, 56, 4)], steps(1, 16, 1))],
  'amd-v1': [
    offer(20, FEW, [0.5, 1, 1.5]),
    offer(50, FEW, HALVES),
    offer(100, [2, 4, 8, 16, 32, 48, 64, 96, 128], steps(1, 6, 1)),
  ],
  'standard-v4a': [
    offer(20, FEW, [0.5, 1, 1.5, 2]),
    offer(50, FEW, HALVES),
    offer(100, [2, 4, 8, 16, 32, 48, 64, 96, 128, 224, 256, 288], [1, 2, 4, 8]),
  ],
  'highfreq-v4a': [
    offer(20, FEW, [0.5, 1, 1.5, 2]),
    offer(50, FEW, HALVES),
    offer(100, [2, 4, 8, 16, 24, 32, 48, 80], [1, 2, 4, 8, 10, 12]),
  ],
};

export const PLATFORM_IDS = Object.keys(PLATFORMS);
/** The region of Kazakhstan has this one alone. */
const ONLY_IN_KZ = 'standard-v3';

export interface Machine {
  readonly platform: string;
  readonly fraction: number;
  readonly cores: number;
  readonly memory: number;
  /** Null while it is not known. */
  readonly zone: string | null;
}

/** Of a machine whose platform the command line chooses: what there is on any of them. */
const ANY_CORES = [...steps(2, 36, 2), ...steps(40, 80, 4)];
const ANY_MEMORY_GIB = 256;

export function genericProblem(
  cores: number,
  memory: number,
): { readonly key: string; readonly detail: string } | null {
  if (!ANY_CORES.includes(cores))
    return { key: 'cores', detail: `Without platform_id a machine has ${ANY_CORES.join(', ')} cores, not ${cores}.` };
  if (memory <= ANY_MEMORY_GIB) return null;
  return {
    key: 'memory_gib',
    detail: `Without platform_id a machine has at most ${ANY_MEMORY_GIB} GiB of memory, not ${memory}.`,
  };
}

/** What is wrong with a machine's shape, and at which input; null: it is offered. */
export function platformProblem(machine: Machine): { readonly key: string; readonly detail: string } | null {
  const { platform, fraction, cores, memory, zone } = machine;
  const offers = PLATFORMS[platform] ?? [];
  if (zone?.startsWith('kz') === true && platform !== ONLY_IN_KZ)
    return { key: 'platform_id', detail: `In ${zone} there is no ${platform}, only ${ONLY_IN_KZ}.` };
  const fitting = offers.filter((item) => item.fraction === fraction);
  if (fitting.length === 0) {
    const known = [...new Set(offers.map((item) => item.fraction))].join(', ');
    return { key: 'core_fraction', detail: `${platform} has no core fraction of ${fraction} %; it has ${known}.` };
  }
  const sized = fitting.find((item) => item.cores.includes(cores));
  if (sized === undefined) {
    const known = fitting.flatMap((item) => item.cores).join(', ');
    return { key: 'cores', detail: `${platform} at ${fraction} % has no ${cores} cores; it has ${known}.` };
  }
  if (sized.perCore.includes(memory / cores)) return null;
  const known = sized.perCore.map((each) => each * cores).join(', ');
  return {
    key: 'memory_gib',
    detail: `${platform} at ${fraction} % with ${cores} cores has ${known} GiB of memory, not ${memory}.`,
  };
}
