import { expect, test } from 'vitest';
import { LeasedQuota } from '../../../shared/identity/limits/leased-quota.ts';

const POLICY = { limit: 1_000, windowMs: 86_400_000, portion: 10, credit: 5, maxDebt: 0 };

/** Callers that accept an older sum did not read for a minute after a failure, and others read again at once. */
test('a sum that could not be read is read again after a second, however old a sum each caller accepts', async () => {
  let reads = 0;
  const failing = async (): Promise<never> => {
    reads += 1;
    throw new Error('the table is out of reach');
  };
  const quota = new LeasedQuota(POLICY, { add: failing, read: failing });
  const readsAt: number[] = [];
  for (let now = 1_000_000; now <= 1_004_000; now += 250) {
    const before = reads;
    expect([await quota.canLease(now, 60_000), await quota.canLease(now, 1_000)]).toEqual([true, true]);
    if (reads > before) readsAt.push(now - 1_000_000);
  }
  expect(readsAt).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  expect(reads).toBe(5);
});
