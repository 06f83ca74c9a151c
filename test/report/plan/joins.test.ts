import { expect, test, vi } from 'vitest';
import { loadJoins } from '../../../shared/report/plan/joins.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { query } from './declared-source.ts';

/** With 100 filters on names of accounts, a year took 92 ms for one foreign owner and 207 ms for five. */
test('the owners of an advertiser are read once per report, so that its time does not disclose how many are not the caller’s', async () => {
  const source = memorySource(
    dataset({
      accounts: [1, 2, 3].map((id) => ({ id, name: `Account ${id}` })),
      advertisers: [{ id: 7, name: 'Seven', accountId: 2, accountIds: [1, 2, 3] }],
    }),
  );
  const plan = planReport({ ...query, dimensions: ['accounts', 'primaryAccountName'] });
  const joins = await loadJoins(
    source,
    [plan],
    {
      accountIds: new Set([1]),
      advertiserIds: [7],
      ownAdvertiserIds: [7],
    },
    SETTINGS,
  );
  const split = vi.spyOn(String.prototype, 'split');
  for (let day = 0; day < 30; day++) {
    expect(joins.valueOf('accounts', 7, 7)).toBe('Account 1');
    expect(joins.valueOf('primaryAccountName', 7, 7)).toBe('Account 1');
  }
  expect(split).toHaveBeenCalledTimes(2); // once per dimension
  split.mockRestore();
});

/** 300 advertisers of the same 25,000 accounts took 1.8 GB. */
test('the names of accounts are joined once for all advertisers of the same owners', async () => {
  const accountIds = Array.from({ length: 3_000 }, (_, i) => 1_000_000 + i); // longer than what V8 hashes
  const advertisers = [7, 8, 9].map((id) => ({
    ...{ id, name: `Advertiser ${id}`, accountId: 1, accountIds: id === 9 ? accountIds.slice(0, 2) : accountIds },
  }));
  const accounts = accountIds.map((id) => ({ id, name: `Account ${id}` }));
  const plan = planReport({ ...query, dimensions: ['accounts'] });
  const scope = { accountIds: new Set(accountIds), advertiserIds: [7, 8, 9], ownAdvertiserIds: [7, 8, 9] };
  const joins = await loadJoins(memorySource(dataset({ accounts, advertisers })), [plan], scope, SETTINGS);
  const join = vi.spyOn(Array.prototype, 'join');
  const [seven, eight, nine] = [7, 8, 9].map((id) => joins.valueOf('accounts', id, id));
  const joined = join.mock.calls.length;
  join.mockRestore();
  expect(joined).toBe(2);
  expect([eight, nine]).toEqual([seven, 'Account 1000000, Account 1000001']);
});
