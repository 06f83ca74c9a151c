import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Budget, forEachConcurrently, mapInOrder } from '../../shared/lib/concurrency.ts';

test('no more members than the limit are under way, and all are done', async () => {
  let underWay = 0;
  let most = 0;
  const done: number[] = [];
  await forEachConcurrently([5, 1, 4, 2, 3, 0], 3, async (ms) => {
    most = Math.max(most, ++underWay);
    await sleep(ms);
    underWay--;
    done.push(ms);
  });
  expect(most).toBe(3);
  expect(done.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
});

test('after an error nothing further is started, and it is thrown when the rest has ended', async () => {
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

test('work begins while it fits into the budget; what is larger than the budget runs alone', async () => {
  const budget = new Budget(10);
  let cost = 0;
  const together: number[] = [];
  const run = (own: number) =>
    budget.run(own, async () => {
      cost += own;
      together.push(cost);
      await sleep(1);
      cost -= own;
    });
  await Promise.all([4, 6, 5, 100, 3, 3].map(run));
  expect(together).toHaveLength(6);
  expect(together.filter((it) => it > 10)).toEqual([100]);
});

test('work that fails gives its part of the budget back', async () => {
  const budget = new Budget(1);
  await expect(budget.run(1, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await budget.run(1, async () => 'next')).toBe('next');
});

describe('work on members as they come', () => {
  async function* members(count: number, taken: number[], error?: Error): AsyncGenerator<number> {
    for (let i = 0; i < count; i++) {
      taken.push(i);
      yield i;
    }
    if (error !== undefined) throw error;
  }

  test('is answered in their order, whatever ends first; not more are taken ahead than allowed', async () => {
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

  test('an error of the source comes after the results of what came before it', async () => {
    const found: number[] = [];
    const readAll = async () => {
      for await (const result of mapInOrder(members(4, [], new Error('the source')), 3, async (member) => member))
        found.push(result);
    };
    await expect(readAll()).rejects.toThrow('the source');
    expect(found).toEqual([0, 1, 2, 3]);
  });

  test('an error of the work comes when its turn comes', async () => {
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
