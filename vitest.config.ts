import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    sequence: { shuffle: true },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // A process and its modules for each file would take as long again as the tests.
    isolate: false,
    setupFiles: ['test/support/each-file.ts'],
    // By default one core is left to the terminal; on two cores that would be half of the machine.
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      thresholds: { lines: 90, branches: 85 },
    },
  },
});
