import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Interval between checks: short, because a load may fill the memory within seconds. */
const CHECK_MS = 100;
/**
 * @param signal that has ended the process, though this one did not send it: V8 does if the heap is full, and Linux if the machine's memory is
 * @param file as for `explainMemory`
 * @returns what has happened and what to do, as the end of a sentence that begins with the file or the load; undefined for other signals
 */
export function explainSignal(signal: NodeJS.Signals | null, file: string | undefined, limitMb: number) {
  if (signal === 'SIGABRT') return explainMemory(file, limitMb);
  if (signal !== 'SIGKILL') return undefined;
  const reason = 'was killed from outside, perhaps because the memory of the machine was full: load again, or in parts';
  return file === undefined ? reason : `was read last when the load ${reason}`;
}

/**
 * @param file the file that was read last; undefined if none was being read
 * @returns what to do, as the end of a sentence that begins with the file or the load
 */
export function explainMemory(file: string | undefined, limitMb: number): string {
  const advice = file === undefined ? 'load fewer days at a time' : 'split it';
  return `needs more memory than ${limitMb.toLocaleString('en-US')} MB: ${advice}`;
}

/**
 * Calls `onExceeded` while the resident memory of the child and of this process (heaps, buffers and what the allocator keeps) is above the limit. On systems
 * other than Linux, only the limit of the child's heap has an effect.
 * @returns a function that ends the watch
 */
export function watchMemory(child: ChildProcess, limitMb: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() / 2 ** 20 + residentMb(child) > limitMb) onExceeded();
  }, CHECK_MS);
  return () => clearInterval(timer);
}

/** @returns the resident memory of the process; 0 if it has ended, or if the system is not Linux */
function residentMb({ pid }: ChildProcess): number {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 2 ** 10;
  } catch {
    return 0;
  }
}
