import '../../infra/preload.mjs';
import { defineConfig } from 'vitest/config';

const shared = {
  execArgv: ['--expose-gc'],
  expect: { requireAssertions: true, poll: { timeout: 60_000 } },
  // only for tests that hang, as in vitest.config.ts
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
};

/** Attacks on the whole service; `HOSTILE_MINUTES` and `HOSTILE_SEED` set how long and with which random choices. The tests of heavy traffic (`load/`) run after the others, one file at a time. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'attacks',
          include: ['test/hostile/**/*.test.ts'],
          exclude: ['test/hostile/load/**'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'traffic',
          include: ['test/hostile/load/**/*.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
