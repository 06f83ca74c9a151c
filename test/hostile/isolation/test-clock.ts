import { vi } from 'vitest';

/** The clock of this process, which stands still unless the test moves it, so that two services can be observed at the same moment. */
export interface TestClock {
  /** The time since the clock was stopped. */
  readonly ms: number;
  set(ms: number): void;
  release(): void;
}

/** Above the time from which a report is expensive, so that the rows of its other pages are cached. */
const EXPENSIVE_MS = 600;
const MEASURES_COST = 'report/cached-report.ts';

/** All reports seem to be expensive: only what measures their cost sees that time passes. */
export function stopClock(): TestClock {
  const startedAt = Date.now();
  const origin = performance.now();
  let ms = 0;
  let readings = 0;
  vi.useFakeTimers({ toFake: ['Date'], now: startedAt });
  const now = vi.spyOn(performance, 'now').mockImplementation(() => {
    const stack = new Error().stack ?? '';
    if (stack.includes(MEASURES_COST) && !stack.includes('turns.ts')) readings += 1; // a report also reads the clock to take turns
    return origin + ms + readings * EXPENSIVE_MS;
  });
  return {
    get ms() {
      return ms;
    },
    set: (to) => {
      ms = to;
      readings = 0;
      vi.setSystemTime(startedAt + to);
    },
    release: () => {
      now.mockRestore();
      vi.useRealTimers();
    },
  };
}
