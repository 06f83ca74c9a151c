import { expect, test } from 'vitest';
import { Deadline, NO_DEADLINE, withDeadline } from '../../shared/lib/deadline.ts';

test.each([
  [100_000, 3_000],
  [3_000, 1_500],
  [0, 0],
  [-5, 0],
])('optional work may take at most half of the time left: with %d ms left, it may take %d ms', (left, expected) => {
  const deadline = new Deadline(10_000 + left, () => 10_000);
  expect(deadline.forOptional().msLeft).toBe(expected);
});

test('without a deadline, optional work has its time', () => {
  expect(NO_DEADLINE.forOptional().msLeft).toBe(3_000);
});

test('work that never ends is rejected at the deadline, and whether that is exceeded is read from the given clock', async () => {
  let now = 5_000;
  const deadline = new Deadline(5_010, () => now);
  const never = withDeadline(deadline, new Promise<void>(() => undefined));
  await expect(never).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  now = 6_000;
  expect(deadline.isExceeded).toBe(true);
});
