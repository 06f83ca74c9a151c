import { vi } from 'vitest';

/** The clock of this process, which stands still unless the test moves it, so that two services can be observed at the same moment. */
export interface TestClock {
  /** The time since the clock was stopped. */
  readonly ms: number;
  set(ms: number): void;
  release(): void;
}

/** Stops the clock of this process. */
export function stopClock(): TestClock {
  const startedAt = Date.now();
  const origin = performance.now();
  let ms = 0;
  vi.useFakeTimers({ toFake: ['Date'], now: startedAt });
  const now = vi.spyOn(performance, 'now').mockImplementation(() => origin + ms);
  return {
    get ms() {
      return ms;
    },
    set: (to) => {
      ms = to;
      vi.setSystemTime(startedAt + to);
    },
    release: () => {
      now.mockRestore();
      vi.useRealTimers();
    },
  };
}
