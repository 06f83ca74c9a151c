import { defineConfig } from 'vitest/config';

/** The stack deployed by the ordinary command line to an AWS emulator; `npm run test:deploy` starts it. */
export default defineConfig({
  test: {
    include: ['test/deploy/**/*.test.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    fileParallelism: false,
    sequence: { shuffle: false, concurrent: false },
    bail: 0,
  },
});
