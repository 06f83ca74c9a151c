import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Limiter } from '../../shared/lib/limiter.ts';

test('so many tasks run at once and no more, in the order they came', async () => {
  const limiter = new Limiter(3);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      limiter.run(async () => {
        begun.push(index);
        running += 1;
        most = Math.max(most, running);
        await sleep(index % 4);
        running -= 1;
        return index;
      }),
    ),
  );
  expect(most).toBe(3);
  expect(begun).toEqual(results);
});

test('a task that fails gives its place to the next', async () => {
  const limiter = new Limiter(1);
  const failing = limiter.run(() => Promise.reject(new Error('no')));
  const next = limiter.run(async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
  expect(await limiter.run(async () => 'again')).toBe('again');
});
