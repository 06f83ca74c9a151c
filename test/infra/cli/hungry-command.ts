/** A command with a limit of memory. Its argument says what it fills. */
import { reportReading, runWithinMemory } from '../../../infra/cli/limit-memory.ts';
import { runCli } from '../../../infra/cli/run-cli.ts';

const LIMIT_MB = 300;
const kept: unknown[] = [];

await runCli(async () => {
  const onReading = reportReading();
  if (onReading === undefined) {
    process.exitCode = await runWithinMemory(LIMIT_MB);
    return;
  }
  onReading('facts/pla/delivery.csv');
  if (process.argv[2] === 'killed') process.kill(process.pid, 'SIGKILL');
  if (process.argv[2] === 'heap') for (;;) kept.push(Array(1_000).fill(kept.length));
  if (process.argv[2] === 'buffers') setInterval(() => kept.push(new Uint8Array(10_000_000).fill(1)), 1);
  else {
    process.stdout.write('done\n');
    process.exitCode = 7;
    process.disconnect();
  }
});
