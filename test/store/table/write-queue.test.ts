import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Item } from '../../../shared/store/table/item.ts';
import { WriteQueue } from '../../../shared/store/table/write-queue.ts';

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
