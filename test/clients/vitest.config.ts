import '../../infra/preload.mjs';
import { defineConfig } from 'vitest/config';

/** Third-party programs that call the API or read its files; `npm run test:clients` installs and runs them. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    fileParallelism: false,
  },
});
