import { expect, test } from 'vitest';
import { useTablePerTest } from '../../support/use-engine.ts';
import { loadRows } from '../support/load-rows.ts';
import { NETWORK } from '../support/network-rows.ts';

const made = useTablePerTest();
const CAMPAIGN = { id: 100, name: 'Spring', advertiserId: 10, status: 'ACTIVE', startDate: '2026-03-01' };
const BUDGET = { budget: 10, budgetType: 'DAILY' };
const WARNING =
  'campaigns: budget or end date of 1 of the campaigns (among them 100) change after the start of the flight: pacing of past days changes, too';

async function reload(before: object, after: object): Promise<readonly string[]> {
  const others = (NETWORK.campaigns ?? []).filter(({ id }) => id !== 100);
  const load = async (more: object) =>
    (await loadRows({ ...NETWORK, campaigns: [{ ...CAMPAIGN, ...more }, ...others] }, made.table)).warnings;
  await load(before);
  return (await load(after)).filter((warning) => warning.includes('pacing'));
}

test.each([
  ['another budget', BUDGET, { ...BUDGET, budget: 20 }, [WARNING]],
  ['another period of the budget', BUDGET, { ...BUDGET, budgetType: 'WEEKLY' }, [WARNING]],
  ['another end date', BUDGET, { ...BUDGET, endDate: '2999-03-31' }, [WARNING]],
  ['another name', BUDGET, { ...BUDGET, name: 'Fall' }, []],
  [
    'another budget before the flight',
    { ...BUDGET, startDate: '2999-01-01' },
    { budget: 20, budgetType: 'DAILY', startDate: '2999-01-01' },
    [],
  ],
])('a load that gives a campaign %s says whether pacing of the past changes', async (_, before, after, warnings) => {
  expect(await reload(before, after)).toEqual(warnings);
});
