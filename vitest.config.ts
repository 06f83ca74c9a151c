import './infra/preload.mjs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      '**/*.deep.test.ts',
      'test/real/**',
      'test/deploy/**',
      'test/clients/**',
      'test/browser/**',
      'test/hostile/**',
    ],
    globalSetup: ['test/support/run-engine.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    // Only for tests that hang: on one busy core, a test takes up to 20 times as long as on two idle ones.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    maxWorkers: availableParallelism() + 1, // tests wait for processes and for the emulated table
  },
});
