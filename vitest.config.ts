import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    sequence: { shuffle: true },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // By default one core is left to the terminal; on two cores that would be half of the machine.
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      thresholds: { lines: 90, branches: 85 },
    },
  },
});
