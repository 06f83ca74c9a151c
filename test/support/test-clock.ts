import { vi } from 'vitest';

const HOUR = 3_600_000;

/**
 * Lambda freezes an instance between two requests. Its monotonic clock may stand still meanwhile, and its wall clock may be set. By how much the clocks of an instance
 * have advanced when it is used again after `ms`.
 */
export const FREEZES: readonly (readonly [string, (ms: number) => readonly [wallMs: number, monotonicMs: number]])[] = [
  ['whose monotonic clock has stood still', (ms) => [ms, 0]],
  ['whose wall clock was set back by an hour', (ms) => [ms - HOUR, ms]],
  ['whose wall clock was set forward by an hour, and whose monotonic clock has stood still', (ms) => [ms + HOUR, 0]],
];

/** The clocks of this process, which stand still unless the test moves them, so that an instance can be frozen, and two services observed at the same moment. */
export interface TestClock {
  /** What the wall clock has advanced since the clocks were stopped. */
  readonly ms: number;
  /** Sets both clocks to so long after they were stopped. */
  set(ms: number): void;
  /** Advances the clocks. @param monotonicMs absent: as much as the wall clock, which may also be set back */
  advance(wallMs: number, monotonicMs?: number): void;
  release(): void;
}

/** Stops the clocks of this process. */
export function stopClock(): TestClock {
  const startedAt = Date.now();
  const origin = performance.now();
  let [wall, monotonic] = [0, 0];
  vi.useFakeTimers({ toFake: ['Date'], now: startedAt });
  const now = vi.spyOn(performance, 'now').mockImplementation(() => origin + monotonic);
  const show = (wallMs: number, monotonicMs: number) => {
    [wall, monotonic] = [wallMs, monotonicMs];
    vi.setSystemTime(startedAt + wall);
  };
  return {
    get ms() {
      return wall;
    },
    set: (to) => show(to, to),
    advance: (wallMs, monotonicMs = wallMs) => show(wall + wallMs, monotonic + monotonicMs),
    release: () => {
      now.mockRestore();
      vi.useRealTimers();
    },
  };
}
