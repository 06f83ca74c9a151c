import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/real/**', 'test/deploy/**'],
    expect: { requireAssertions: true },
    testTimeout: 300_000,
    hookTimeout: 600_000,
    maxWorkers: 3,
  },
});
