/** A thread of a load: codes one section after another, and then encodes one day after another. */
import { parentPort } from 'node:worker_threads';
import { SectionCoder } from './code-section.ts';
import type { CodingMessage } from './coding-pool.ts';
import { type EncodedDay, encodeDay } from './encode-day.ts';

let coder: SectionCoder | undefined;

parentPort?.on('message', async (message: CodingMessage) => {
  if (message.kind === 'references') {
    coder = new SectionCoder(message.references, message.problemLimit);
    return;
  }
  if (message.kind === 'day') {
    coder = undefined; // all sections are coded, and a day may take most of the memory
    const encoded = encodeDay(message.day);
    parentPort?.postMessage(encoded, buffersOf(encoded.rolled));
    return;
  }
  if (coder === undefined) throw new Error('sections cannot be coded before the references are set');
  const coded = await coder.code(message.file, message.section);
  parentPort?.postMessage(coded, coded.facts === undefined ? [] : [coded.facts.bytes.buffer]);
});

/** @returns the memory of the rows, for its transfer */
function buffersOf(rolled: EncodedDay['rolled']): ArrayBuffer[] {
  const arrays = [...rolled.values()].flatMap(({ keys, measures, users }) => [
    ...[...keys.values()].map(({ codes }) => codes),
    ...measures.values(),
    ...(users === undefined ? [] : [users.offsets, users.hashes]),
  ]);
  return [...new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer))]; // no array is in shared memory
}
