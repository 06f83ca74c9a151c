import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

/** The second collection completes the first, which frees arrays in the background. */
export function collectGarbage(): void {
  gc();
  gc();
}
