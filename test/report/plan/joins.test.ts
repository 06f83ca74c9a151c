import { expect, test, vi } from 'vitest';
import { loadJoins } from '../../../shared/report/plan/joins.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { query } from './declared-source.ts';

/** With 100 filters on names of accounts, a year took 92 ms for one foreign owner and 207 ms for five. */
test('the owners of an advertiser are gone through once per report, so that its time does not count those that are not the caller’s', async () => {
  const source = memorySource(
    dataset({
      accounts: [1, 2, 3].map((id) => ({ id, name: `Account ${id}` })),
      advertisers: [{ id: 7, name: 'Seven', accountId: 2, accountIds: [1, 2, 3] }],
    }),
  );
  const plan = planReport({ ...query, dimensions: ['accounts', 'primaryAccountName'] });
  const joins = await loadJoins(source, [plan], {
    accountIds: new Set([1]),
    advertiserIds: [7],
    ownAdvertiserIds: [7],
  });
  const split = vi.spyOn(String.prototype, 'split');
  for (let day = 0; day < 30; day++) {
    expect(joins.valueOf('accounts', 7, 7)).toBe('Account 1');
    expect(joins.valueOf('primaryAccountName', 7, 7)).toBe('Account 1');
  }
  expect(split).toHaveBeenCalledTimes(2);
  split.mockRestore();
});
