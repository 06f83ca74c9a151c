import '../../infra/preload.mjs';
import { defineConfig } from 'vitest/config';

/** The explorer in a real browser; `npm run test:browser`. All files share one stage and one browser. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/browser/open-stage.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
