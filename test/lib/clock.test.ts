import { expect, test } from 'vitest';
import { combineClocks } from '../../shared/lib/clock.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** @returns what a clock has advanced, each time after the wall clock and the monotonic clock have advanced by some milliseconds */
function advance(steps: readonly (readonly [wallMs: number, monotonicMs: number])[]): number[] {
  let [wall, monotonic] = [1e12, 5_000];
  const clock = combineClocks(
    () => wall,
    () => monotonic,
  );
  const startedAt = clock();
  return steps.map(([wallMs, monotonicMs]) => {
    [wall, monotonic] = [wall + wallMs, monotonic + monotonicMs];
    return clock() - startedAt;
  });
}

test.each<[string, Parameters<typeof advance>[0], readonly number[]]>([
  [
    'both',
    [
      [500, 500],
      [SECOND, SECOND],
    ],
    [500, 1_500],
  ],
  [
    'the wall clock, while the monotonic clock stands still',
    [
      [900, 0],
      [HOUR, 0],
      [SECOND, SECOND],
    ],
    [900, HOUR + 900, HOUR + 1_900],
  ],
  [
    'the monotonic clock, while the wall clock stands still',
    [
      [0, 900],
      [0, HOUR],
    ],
    [900, HOUR + 900],
  ],
  [
    'the monotonic clock, when the wall clock was set back',
    [
      [-HOUR, SECOND],
      [-HOUR, 5],
    ],
    [SECOND, SECOND + 5],
  ],
  [
    'the wall clock, when it was set back and the monotonic clock then stands still',
    [
      [-HOUR, 5],
      [SECOND, 0],
    ],
    [5, SECOND + 5],
  ],
  [
    'the wall clock, when it was set forward, and neither when it is set back again',
    [
      [HOUR, 5],
      [-HOUR, 0],
      [SECOND, 0],
    ],
    [HOUR, HOUR, HOUR + SECOND],
  ],
  [
    'the wall clock, when it was set back during a pause, and the monotonic clock then stands still',
    [
      [HOUR, 2 * HOUR],
      [SECOND, 0],
    ],
    [2 * HOUR, 2 * HOUR + SECOND],
  ],
])('a clock advances with %s', (_, steps, expected) => {
  expect(advance(steps)).toEqual(expected);
});

test('a clock that is read often runs as fast as its clocks, although one of them is rounded', () => {
  let time = 0;
  const clock = combineClocks(
    () => Math.floor(time),
    () => time,
  );
  const startedAt = clock();
  for (let step = 0; step < 100_000; step += 1) {
    time += 0.1;
    clock();
  }
  expect(Math.round((clock() - startedAt) / 100)).toBe(100);
});
