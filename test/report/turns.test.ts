import { afterEach, expect, test, vi } from 'vitest';
import { dataset } from '../support/facts.ts';
import { run } from './figures/run.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Reports that computed for half a second were not counted among the key's concurrent reports: the timer that counts them ran after their end. */
test('a report that computes for long gives the event loop turns', async () => {
  const delivery = ['2025-03-04', '2025-03-05'].map((date) => ({ date, ad_group_id: 1, clicks: 1 }));
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 60;
    return now;
  });
  let turns = 0;
  const count = () => {
    turns += 1;
    setImmediate(count).unref();
  };
  setImmediate(count).unref();
  await run(dataset({ delivery }), { metrics: ['clicks'], dimensions: ['daily_date'] });
  expect(turns).toBeGreaterThan(2);
});
