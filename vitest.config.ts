import './infra/preload.mjs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const OTHER_SUITES = ['deploy', 'real', 'clients', 'browser', 'hostile'].map((name) => `test/${name}/**`);

/** They replace modules, or must load them first. All other files of a worker share what they import, which takes a third of the run. */
const ISOLATED = [
  'test/http/report-trips.test.ts',
  'test/http/custom-fields.test.ts',
  'test/oracle/oracle.test.ts',
  'test/report/lost-measures.test.ts',
  'test/report/plan/memory.test.ts',
];

export default defineConfig({
  test: {
    env: { FIELDS_FILE: '' }, // not the operator’s own
    execArgv: ['--expose-gc'], // as functions have it
    globalSetup: ['test/support/run-engine.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    // Only for tests that hang: on one busy core, a test takes up to 20 times as long as on two idle ones.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    maxWorkers: availableParallelism() + 1, // tests wait for processes and for the emulated table
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ['**/*.deep.test.ts', ...OTHER_SUITES, ...ISOLATED],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
    ],
  },
});
