import '../infra/preload.mjs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The tests that take long and need nothing but npm, which `npm test` leaves out. Tests of the table’s own calls and of commits run again, on another emulator. */
export default defineConfig({
  test: {
    include: [
      'test/**/*.deep.test.ts',
      'test/oracle/oracle.test.ts',
      'test/store/commit/{commits,lost-lease}.test.ts',
      'test/store/listings/views.test.ts',
      'test/store/table/client.test.ts',
    ],
    env: { FIELDS_FILE: '', ORACLE_NETWORKS: '2,3,4', ORACLE_REPORTS: '60', TABLE_ENGINE: 'dynoxide' },
    execArgv: ['--expose-gc'],
    globalSetup: ['test/support/run-engine.ts'],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    // Only for tests that hang: on one busy core, a test takes up to 20 times as long as on two idle ones.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    maxWorkers: availableParallelism() + 1, // tests wait for processes and for the emulated table
  },
});
