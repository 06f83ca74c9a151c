/** A thread of a load: codes sections and looks for repeated rows, and then encodes one day after another. */
import { parentPort } from 'node:worker_threads';
import { SectionCoder } from './code-section.ts';
import type { CodingMessage } from './coding-pool.ts';
import { encodeDay } from './encode-day.ts';
import { findRepeats } from './find-repeats.ts';

let coder: SectionCoder | undefined;

parentPort?.on('message', async (message: CodingMessage) => {
  if (message.kind === 'references') {
    coder = new SectionCoder(message.references, message.problemLimit);
    return;
  }
  if (message.kind === 'repeats') {
    parentPort?.postMessage(findRepeats(message.day));
    return;
  }
  if (message.kind === 'day') {
    coder = undefined; // all sections are coded, and a day may take most of the memory
    parentPort?.postMessage(encodeDay(message.day));
    return;
  }
  if (coder === undefined) throw new Error('sections cannot be coded before the references are set');
  const coded = await coder.code(message.file, message.section);
  parentPort?.postMessage(coded, coded.facts === undefined ? [] : [coded.facts.bytes.buffer]);
});
