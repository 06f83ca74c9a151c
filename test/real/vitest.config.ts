import '../../infra/preload.mjs';
import { defineConfig } from 'vitest/config';

/** The tests over third-party data, which lies beside the repository; `npm test` leaves them out. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
