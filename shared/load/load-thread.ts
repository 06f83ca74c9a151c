/** A thread of a load: does one task after another. */
import { parentPort } from 'node:worker_threads';
import { type KnowTask, LoadWork, type Task } from './load-work.ts';

const work = new LoadWork();

parentPort?.on('message', async (task: KnowTask | Task) => {
  if (task.kind === 'know') {
    work.know(task);
    return;
  }
  const { answer, buffers } = await work.perform(task);
  parentPort?.postMessage(answer, buffers);
});
