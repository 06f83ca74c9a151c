import { vi } from 'vitest';

/** The clock of this process, which stands still unless the test moves it, so that two services can be observed at the same moment. */
export interface TestClock {
  /** The time since the clock was stopped. */
  readonly ms: number;
  set(ms: number): void;
  release(): void;
}

/** Longer than EXPENSIVE_MS of cached-report.ts, so that every report is cached. */
const COST_MS = 600;
/** The file that measures the cost of a report; its readings are recognized by the stack trace. */
const COST_MEASURING_FILE = 'report/cached-report.ts';

/** Stops the clock. Only readings of the file that measures the cost of reports differ, each by 600 ms, so every report counts as expensive. */
export function stopClock(): TestClock {
  const startedAt = Date.now();
  const origin = performance.now();
  let ms = 0;
  let readings = 0;
  vi.useFakeTimers({ toFake: ['Date'], now: startedAt });
  const now = vi.spyOn(performance, 'now').mockImplementation(() => {
    return origin + ms + (callerOf(new Error().stack).includes(COST_MEASURING_FILE) ? ++readings * COST_MS : 0);
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

/** @returns the line of the trace that names the caller of the clock */
function callerOf(stack = ''): string {
  const frames = stack.split('\n').slice(1);
  return frames.find((frame) => !frame.includes('test-clock.ts') && !frame.includes('node_modules')) ?? '';
}
