import '../../infra/preload.mjs';
import { defineConfig } from 'vitest/config';

/** The stack, deployed with the project's own commands to an AWS emulator or already on AWS; `npm run test:deploy`. */
export default defineConfig({
  test: {
    include: ['test/deploy/**/*.test.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    fileParallelism: false,
  },
});
