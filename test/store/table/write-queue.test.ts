import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../shared/store/table/item.ts';
import { WriteQueue } from '../../../shared/store/table/write-queue.ts';
import { WriteRate } from '../../../shared/store/table/write-rate.ts';

const itemsOf = (from: number, count: number, bytes: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ pk: 'x', sk: String(from + index), bytes: new Uint8Array(bytes) }));

test('at most 20 MB are being written at a time', async () => {
  const bytes = new Uint8Array(100_000); // shared by all items, to save memory
  let inProgress = 0;
  let max = 0;
  let written = 0;
  const queue = new WriteQueue(async (items) => {
    inProgress += items.length;
    max = Math.max(max, inProgress);
    await sleep(1);
    inProgress -= items.length;
    written += items.length;
  });
  for (let number = 0; number < 10_000; number += 5) {
    await queue.add(Array.from({ length: 5 }, (_, index) => ({ pk: 'x', sk: String(number + index), bytes })));
  }
  await queue.drain();
  expect(written).toBe(10_000);
  expect(max * 100_000).toBeLessThan(20_000_000);
});

test('small items are written in groups of 400, each item once', async () => {
  const groups: string[][] = [];
  const queue = new WriteQueue(async (items) => {
    groups.push(items.map(({ sk }) => sk));
  });
  await Promise.all([0, 1, 2].map((group) => queue.add(itemsOf(group * 400, 400, 1))));
  await queue.drain();
  await queue.drain();
  expect(groups.map((group) => group.length)).toEqual([400, 400, 400]);
  expect(new Set(groups.flat()).size).toBe(1_200);
});

test('all calls after a failed write throw its error', async () => {
  const failure = new Error('the store is gone');
  const queue = new WriteQueue(async () => {
    await sleep(1);
    throw failure;
  });
  await queue.add(itemsOf(0, 500, 1));
  await sleep(5);
  await expect(queue.add(itemsOf(500, 1, 1))).rejects.toBe(failure);
  await expect(queue.drain()).rejects.toBe(failure);
});

/**
 * Sends requests of 25 units for some seconds to a table that accepts `capacity` units per second (a token bucket of `burstSeconds`). The clock is simulated.
 */
function simulate(
  capacity: number,
  seconds: number,
  burstSeconds = 1,
): { accepted: number; rejected: number; rate: WriteRate } {
  let now = 0;
  const rate = new WriteRate(() => now);
  let bucket = capacity * burstSeconds;
  let refilledAt = 0;
  let [accepted, rejected] = [0, 0];
  const request = 25;
  while (now < seconds * 1_000) {
    now += 5 + rate.reserve(request); // a round trip, and the wait that the rate imposes
    bucket = Math.min(capacity * burstSeconds, bucket + ((now - refilledAt) / 1_000) * capacity);
    refilledAt = now;
    const taken = Math.min(request, Math.floor(bucket));
    bucket -= taken;
    accepted += taken;
    rejected += request - taken;
    rate.accept(taken);
    if (taken < request) rate.reject();
  }
  return { accepted, rejected, rate };
}

describe('the rate of a writer', () => {
  test('is unlimited as long as the table does not throttle', () => {
    const rate = new WriteRate();
    for (let i = 0; i < 1_000; i++) expect(rate.reserve(1_000)).toBe(0);
    expect(rate.unitsPerSecond).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([50, 400, 1_000, 4_000])(
    'swings around what the table accepts, %s units per second, and few are rejected',
    (capacity) => {
      const { accepted, rejected, rate } = simulate(capacity, 120);
      expect(accepted / 120).toBeGreaterThan(0.75 * capacity);
      expect(rejected / (accepted + rejected)).toBeLessThan(0.1);
      expect(rate.unitsPerSecond).toBeLessThan(1.3 * capacity);
    },
  );

  test('decreases once for all requests that were in flight when the table began to throttle', () => {
    let now = 0;
    const rate = new WriteRate(() => now);
    rate.accept(2_000);
    now = 1_000;
    for (let i = 0; i < 20; i++) rate.reject();
    expect(rate.unitsPerSecond).toBeCloseTo(0.7 * 2_000, 5); // accepted within 1 s
  });

  /** Regression: the units of 50 ms were divided by the 2 s of the window: after two minutes, such a load wrote 294 units per second of 1,000. */
  test('is not far below what the table accepts if it throttles right at the beginning', () => {
    expect(simulate(1_000, 60, 0.2).accepted / 60).toBeGreaterThan(600);
  });

  test('never falls below 5 units per second, at which 10 units wait for 2 s', () => {
    let now = 0;
    const rate = new WriteRate(() => now);
    for (let i = 0; i < 100; i++) {
      now += 2_000;
      rate.reject();
    }
    expect(rate.unitsPerSecond).toBeGreaterThanOrEqual(5);
    expect(rate.reserve(10)).toBeLessThanOrEqual(2_000);
  });

  test('throws the reason of the signal that aborts while it waits', async () => {
    const rate = new WriteRate();
    rate.reject(); // 5 units per second
    const deadline = new AbortController();
    const waiting = rate.acquire(10_000, deadline.signal);
    const reason = new Error('the load was stopped');
    deadline.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test('measures for how long everything was rejected, not for how long nothing was sent', () => {
    let now = 0;
    const rate = new WriteRate(() => now);
    rate.accept(1);
    now = 60_000;
    rate.reject();
    now = 90_000;
    rate.reject();
    expect(rate.stalledMs).toBe(30_000);
    rate.accept(1);
    expect(rate.stalledMs).toBe(0);
  });
});
