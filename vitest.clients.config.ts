import { defineConfig } from 'vitest/config';

/** Programs of others that call the API or read its files; `npm run test:clients` installs them. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    fileParallelism: false,
  },
});
