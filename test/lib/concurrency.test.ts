import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { forEachConcurrently, mapInOrder } from '../../shared/lib/concurrency.ts';

test('processes all members, at most as many concurrently as the limit says', async () => {
  let running = 0;
  let max = 0;
  const done: number[] = [];
  await forEachConcurrently([5, 1, 4, 2, 3, 0], 3, async (ms) => {
    max = Math.max(max, ++running);
    await sleep(ms);
    running--;
    done.push(ms);
  });
  expect(max).toBe(3);
  expect(done.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
});

test('starts nothing after an error, and throws the error when the rest has ended', async () => {
  const started: number[] = [];
  let ended = false;
  const running = forEachConcurrently([1, 2, 3, 4], 2, async (member) => {
    started.push(member);
    await sleep(member === 1 ? 20 : 1);
    if (member === 2) throw new Error('two');
    ended = true;
  });
  await expect(running).rejects.toThrow('two');
  expect(ended).toBe(true);
  expect(started).toEqual([1, 2]);
});

describe('mapInOrder', () => {
  async function* members(count: number, taken: number[], error?: Error): AsyncGenerator<number> {
    for (let i = 0; i < count; i++) {
      taken.push(i);
      yield i;
    }
    if (error !== undefined) throw error;
  }

  test('yields results in the order of the members, whatever ends first, and takes no more members ahead than allowed', async () => {
    const taken: number[] = [];
    const found: number[] = [];
    for await (const result of mapInOrder(members(8, taken), 3, async (member) => {
      await sleep(member % 2 === 0 ? 8 : 1);
      return member * 10;
    })) {
      found.push(result);
      expect(taken.length).toBeLessThanOrEqual(found.length + 2);
    }
    expect(found).toEqual([0, 10, 20, 30, 40, 50, 60, 70]);
  });

  test('throws an error of the source after the results of the members before it', async () => {
    const found: number[] = [];
    const readAll = async () => {
      for await (const result of mapInOrder(members(4, [], new Error('the source')), 3, async (member) => member))
        found.push(result);
    };
    await expect(readAll()).rejects.toThrow('the source');
    expect(found).toEqual([0, 1, 2, 3]);
  });

  test('throws an error of the work when its turn comes', async () => {
    const found: number[] = [];
    const readAll = async () => {
      for await (const result of mapInOrder(members(9, []), 4, async (member) => {
        if (member === 2) throw new Error('two');
        return member;
      })) {
        found.push(result);
      }
    };
    await expect(readAll()).rejects.toThrow('two');
    expect(found).toEqual([0, 1]);
  });
});
