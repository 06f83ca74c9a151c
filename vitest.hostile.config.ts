import { defineConfig } from 'vitest/config';

/** Attacks on the whole service; `HOSTILE_MINUTES` and `HOSTILE_SEED` set how long and with which random choices. */
export default defineConfig({
  test: {
    include: ['test/hostile/**/*.test.ts'],
    expect: { requireAssertions: true },
    // only for tests that hang, as in vitest.config.ts
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
  },
});
