import { defineConfig } from 'vitest/config';

/** The tests over data that others recorded. It lies beside the repository, so they are apart from `npm test`. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
