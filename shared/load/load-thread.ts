/** A thread of a load: does one task after another. */
import { parentPort } from 'node:worker_threads';
import { type CodeTask, type EncodeTask, type KnowTask, LoadWork } from './load-work.ts';

const work = new LoadWork();

parentPort?.on('message', async (task: KnowTask | CodeTask | EncodeTask) => {
  if (task.kind === 'know') work.know(task);
  else parentPort?.postMessage(task.kind === 'code' ? await work.code(task) : work.encode(task));
});
