/** A thread of the encode pool: takes one day after another. */
import { parentPort } from 'node:worker_threads';
import type { EncodeTask } from './encode-pool.ts';
import { encodeSpilled } from './encode-spilled.ts';

parentPort?.on('message', ({ table, day, spilled }: EncodeTask) => {
  parentPort?.postMessage(encodeSpilled(table, day, spilled));
});
