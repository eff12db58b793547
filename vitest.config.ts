import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/support/**'],
    pool: 'forks',
    // Most tests wait for children rather than compute, so one core is no reason for one worker.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 20_000,
    hookTimeout: 20_000,
    retry: 0,
    bail: 0,
    reporters: ['default'],
  },
})
