import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { forEachConcurrently, Limiter, mapInOrder } from '../../shared/lib/concurrency.ts';
import { Deadline, NO_DEADLINE, withDeadline } from '../../shared/lib/deadline.ts';

describe('forEachConcurrently', () => {
  test('processes all members, at most as many at a time as the limit', async () => {
    let inProgress = 0;
    let max = 0;
    const done: number[] = [];
    await forEachConcurrently([5, 1, 4, 2, 3, 0], 3, async (ms) => {
      max = Math.max(max, ++inProgress);
      await sleep(ms);
      inProgress--;
      done.push(ms);
    });
    expect(max).toBe(3);
    expect(done.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('starts nothing more after an error, and throws it after the tasks in progress have ended', async () => {
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

  test('throws an error of the members, too, only after the tasks in progress have ended', async () => {
    function* members() {
      yield 1;
      throw new Error('members');
    }
    let ended = false;
    const running = forEachConcurrently(members(), 2, async () => {
      await sleep(20);
      ended = true;
    });
    await expect(running).rejects.toThrow('members');
    expect(ended).toBe(true);
  });
});

describe('a limiter', () => {
  test('runs as many tasks concurrently as its capacity, in the order of the calls', async () => {
    const limiter = new Limiter(3);
    const started: number[] = [];
    let inProgress = 0;
    let max = 0;
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        limiter.run(async () => {
          started.push(index);
          max = Math.max(max, ++inProgress);
          await sleep(index % 4);
          inProgress--;
          return index;
        }),
      ),
    );
    expect(max).toBe(3);
    expect(started).toEqual(results);
  });

  test('keeps the costs of concurrent tasks within its capacity, and runs larger tasks alone', async () => {
    const limiter = new Limiter(10);
    let total = 0;
    const totals: number[] = [];
    const run = (cost: number) =>
      limiter.run(async () => {
        total += cost;
        totals.push(total);
        await sleep(1);
        total -= cost;
      }, cost);
    await Promise.all([4, 6, 5, 100, 3, 3].map(run));
    expect(totals).toHaveLength(6);
    expect(totals.filter((sum) => sum > 10)).toEqual([100]);
  });

  test('does not let small tasks overtake a large one', async () => {
    const limiter = new Limiter(10);
    const started: number[] = [];
    const run = (cost: number) =>
      limiter.run(async () => {
        started.push(cost);
        await sleep(1);
      }, cost);
    await Promise.all([6, 9, 1, 2].map(run));
    expect(started).toEqual([6, 9, 1, 2]);
  });

  test('frees the capacity of a task that fails', async () => {
    const limiter = new Limiter(1);
    const failing = limiter.run(() => Promise.reject(new Error('failed')));
    const next = limiter.run(async () => 'next');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('next');
    expect(await limiter.run(async () => 'later')).toBe('later');
  });
});

describe('mapInOrder', () => {
  async function* members(count: number, taken: number[], error?: Error): AsyncGenerator<number> {
    for (let i = 0; i < count; i++) {
      taken.push(i);
      yield i;
    }
    if (error !== undefined) throw error;
  }

  test('yields the results in the order of the members, and takes no more members ahead than allowed', async () => {
    const taken: number[] = [];
    const found: number[] = [];
    const work = async (member: number) => {
      await sleep(member % 2 === 0 ? 8 : 1);
      return member * 10;
    };
    for await (const result of mapInOrder(members(8, taken), 3, work)) {
      found.push(result);
      expect(taken.length).toBeLessThanOrEqual(found.length + 2); // of the 3 in progress, one has just been yielded
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

  test('throws an error of the work in the place of its result', async () => {
    const found: number[] = [];
    const work = async (member: number) => {
      if (member === 2) throw new Error('two');
      return member;
    };
    const readAll = async () => {
      for await (const result of mapInOrder(members(9, []), 4, work)) found.push(result);
    };
    await expect(readAll()).rejects.toThrow('two');
    expect(found).toEqual([0, 1]);
  });

  test('ends only when the work in progress has ended, so that the caller can then clean up after it', async () => {
    const ended: number[] = [];
    const work = async (member: number) => {
      if (member === 0) throw new Error('zero');
      await sleep(10);
      ended.push(member);
    };
    const readAll = async () => {
      for await (const _ of mapInOrder(members(9, []), 3, work));
    };
    await expect(readAll()).rejects.toThrow('zero');
    expect(ended).toEqual([1, 2]);
  });
});

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
