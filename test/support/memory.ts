import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

/** The second collection completes the first, which frees arrays in the background. */
export function collectGarbage(): void {
  gc();
  gc();
}

/** @returns the peak memory of this process, in KiB. On Linux, `resourceUsage` begins with what the process that started this one had. */
export function peakMemory(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}
