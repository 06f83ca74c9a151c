import { createRequire } from 'node:module';

const dynalite = createRequire(import.meta.url).resolve('dynalite');
const requireFromLevel = createRequire(createRequire(dynalite).resolve('level'));

/**
 * Loads dynalite's native module in the calling thread. Without this, Node unloads its code when dynalite's thread ends, while a thread of the module is
 * still compacting the data: the process then crashes with SIGSEGV.
 */
export function keepNativeModuleLoaded(): void {
  requireFromLevel('classic-level');
}

/**
 * In the calling thread, makes dynalite close the iterators of its queries. It calls their method `return`, which those of abstract-level lack; without it,
 * each query takes native memory (80 KB for 20 items of 8 KB) until the table is closed.
 */
export function addIteratorReturn(): void {
  const { AbstractKeyIterator, AbstractValueIterator } = requireFromLevel('abstract-level');
  for (const { prototype } of [AbstractKeyIterator, AbstractValueIterator]) {
    prototype.return = function close(this: { close(): Promise<void> }) {
      return this.close();
    };
  }
}
