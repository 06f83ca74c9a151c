import { expect, test } from 'vitest';
import { CacheBudget, LruCache } from '../../shared/lib/lru-cache.ts';
import { FREEZES, stopClock } from '../support/test-clock.ts';

/** @returns those of the keys that are cached; they become the most recently used, in this order */
function cachedOf<Value>(cache: LruCache<Value>, keys: string): string[] {
  return [...keys].filter((key) => cache.get(key) !== undefined);
}

test('the least recently used entry is evicted when there are more than max', () => {
  const cache = new LruCache<number>({ max: 3 });
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index);
  expect(cache.get('a')).toBe(0);
  cache.set('d', 3);
  expect(cachedOf(cache, 'abcd')).toEqual(['a', 'c', 'd']);
});

test('an entry that is set again counts once, as the most recently used one', () => {
  const cache = new LruCache<number>({ max: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  cache.set('c', 4);
  expect(cachedOf(cache, 'abc')).toEqual(['a', 'c']);
  expect(cache.get('a')).toBe(3);
});

test('as many entries are evicted as the sizes require, and a value larger than max is not cached', () => {
  const cache = new LruCache<string>({ max: 10, sizeOf: (value) => value.length });
  cache.set('a', '1234');
  cache.set('b', '1234');
  cache.set('c', '1');
  cache.set('d', '123456789');
  expect(cachedOf(cache, 'abcd')).toEqual(['c', 'd']);
  cache.set('e', '12345678901');
  expect(cachedOf(cache, 'cde')).toEqual(['c', 'd']);
  cache.set('d', '12345678901');
  expect(cachedOf(cache, 'cd')).toEqual(['c']);
  cache.set('f', '123456789');
  expect(cachedOf(cache, 'cf')).toEqual(['c', 'f']);
});

test('an entry expires after its lifetime, which reading does not extend', () => {
  let now = 0;
  const cache = new LruCache<number>({ max: 2, ttlMs: 100, clock: () => now });
  cache.set('a', 1);
  now = 99;
  expect(cache.get('a')).toBe(1);
  now = 100;
  expect(cache.get('a')).toBeUndefined();
  cache.set('a', 2);
  now = 199;
  expect(cache.get('a')).toBe(2);
});

test('expired entries no longer take up space', () => {
  let now = 0;
  const cache = new LruCache<number>({ max: 2, ttlMs: 100, clock: () => now });
  cache.set('a', 1);
  now = 50;
  cache.set('b', 2);
  now = 100;
  expect(cache.get('a')).toBeUndefined();
  cache.set('c', 3);
  expect(cachedOf(cache, 'bc')).toEqual(['b', 'c']);
});

test.each(FREEZES)('entries of an instance %s expire', (_, clocksAfter) => {
  const clock = stopClock();
  using _clock = { [Symbol.dispose]: clock.release };
  const cache = new LruCache<number>({ ttlMs: 100 });
  cache.set('a', 1);
  clock.advance(0, 99);
  expect(cache.get('a')).toBe(1);
  clock.advance(...clocksAfter(100));
  expect(cache.get('a')).toBeUndefined();
});

test('caches that share a budget evict whatever of theirs was used least recently, also when an entry grows', () => {
  const budget = new CacheBudget(10);
  const [texts, lists] = [
    new LruCache<string>({ max: budget, sizeOf: (value) => value.length }),
    new LruCache<readonly number[]>({ max: budget, sizeOf: (value) => value.length }),
  ];
  texts.set('a', '1234');
  lists.set('b', [1, 2, 3]);
  texts.set('c', '12');
  expect([budget.size, budget.evictions]).toEqual([9, 0]);
  expect(texts.get('a')).toBe('1234');
  texts.grow('c', 3);
  expect([lists.has('b'), texts.has('a'), texts.has('c'), budget.size, budget.evictions]).toEqual([
    false,
    true,
    true,
    9,
    1,
  ]);
  budget.empty();
  expect([texts.has('a'), texts.has('c'), budget.size, budget.evictions]).toEqual([false, false, 0, 3]);
  lists.set('d', [1, 2, 3, 4, 5]);
  expect([lists.has('d'), budget.size]).toEqual([true, 5]);
});
