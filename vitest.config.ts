import { defineConfig } from 'vitest/config';

/** What starts processes: each start copies the page tables of the one that starts it, so a worker had better be new and small. */
const WITH_PROCESSES = [
  'test/e2e/**/*.test.ts',
  'test/safety/**/*.test.ts',
  'test/providers/yandex/child-process.test.ts',
  'test/cli/child-process.test.ts',
  'test/emulator/yc/**/*.test.ts',
  'test/cases/plans-and-interruptions.test.ts',
];

export default defineConfig({
  test: {
    setupFiles: ['test/support/each-file.ts'],
    sequence: { shuffle: true },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // By default one core is left to the terminal; on two cores that would be half of the machine.
    maxWorkers: 2,
    projects: [
      // A process and its modules for each file would take as long again as the tests.
      {
        extends: true,
        test: { name: 'inside', include: ['test/**/*.test.ts'], exclude: WITH_PROCESSES, isolate: false },
      },
      { extends: true, test: { name: 'processes', include: WITH_PROCESSES } },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      thresholds: { lines: 90, branches: 85 },
    },
  },
});
