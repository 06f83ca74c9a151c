import { expect, test } from 'vitest';
import { useTablePerTest } from '../../support/use-engine.ts';
import { loadRows } from '../support/load-rows.ts';
import { NETWORK } from '../support/network-rows.ts';

const made = useTablePerTest();
const CAMPAIGN = { id: 100, name: 'Spring', advertiserId: 10, status: 'ACTIVE', startDate: '2026-03-01' };
const BUDGET = { budget: 10, budgetType: 'DAILY' };
const LIFETIME = { budget: 310, budgetType: 'LIFETIME', endDate: '2026-03-31' };
const AD_GROUP = { id: 1000, name: 'Search', campaignId: 100, status: 'ACTIVE' };
const AD_GROUP_BUDGET = { ...BUDGET, startDate: '2026-03-02' };
/** Loaded days. */
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-05'];
const HISTORY = [
  { campaignId: 100, validFrom: '2026-02-01', budget: 20, budgetType: 'DAILY' },
  { campaignId: 100, validFrom: '2026-03-03', budget: 30, budgetType: 'DAILY' },
];

const ofCampaign = (days: string) =>
  `campaigns: the plan of 1 of the campaigns (among them 100) changes on days that are loaded: pacing of ${days} changes, too`;
const ofAdGroup = (days: string) => ofCampaign(days).replaceAll('campaigns', 'ad_groups').replace('100', '1000');
const ALL_DAYS = '2026-03-01 to 2026-03-03, 2026-03-05';

/** What is loaded: changes of the campaign and the ad group, and the file of budgets, if there is one. */
interface Plans {
  readonly campaign?: object;
  readonly adGroup?: object;
  readonly budgets?: readonly object[];
}

/** @returns the warnings of the second load about plans */
async function reload(before: Plans, after: Plans): Promise<readonly string[]> {
  const others = (NETWORK.campaigns ?? []).filter(({ id }) => id !== 100);
  const otherAdGroups = (NETWORK.ad_groups ?? []).filter(({ campaignId }) => campaignId !== 100);
  const load = async ({ campaign, adGroup, budgets }: Plans, facts: object) => {
    const listings = {
      campaigns: [{ ...CAMPAIGN, ...campaign }, { ...CAMPAIGN, id: 109 }, ...others],
      ad_groups: [{ ...AD_GROUP, ...adGroup }, ...otherAdGroups],
      ...(budgets && { budgets }),
    };
    const { outcome, warnings } = await loadRows({ ...NETWORK, ...listings, ...facts } as typeof NETWORK, made.table); // rows of the same form
    expect(outcome).toBe('loaded');
    return warnings;
  };
  await load(before, {
    'facts/pla/delivery': DAYS.map((daily_date) => ({ daily_date, ad_group_id: 1000, impressions: 1 })),
  });
  return (await load(after, {})).filter((warning) => warning.includes('pacing'));
}

test.each<readonly [string, Plans, Plans, readonly string[]]>([
  ['another budget', { campaign: BUDGET }, { campaign: { ...BUDGET, budget: 20 } }, [ofCampaign(ALL_DAYS)]],
  ['another type', { campaign: BUDGET }, { campaign: { ...BUDGET, budgetType: 'WEEKLY' } }, [ofCampaign(ALL_DAYS)]],
  ['an end', { campaign: BUDGET }, { campaign: { ...BUDGET, endDate: '2026-03-03' } }, [ofCampaign('2026-03-05')]],
  ['an end after all days', { campaign: BUDGET }, { campaign: { ...BUDGET, endDate: '2026-03-31' } }, []],
  [
    'another end of a total',
    { campaign: LIFETIME },
    { campaign: { ...LIFETIME, endDate: '2026-04-30' } },
    [ofCampaign(ALL_DAYS)],
  ],
  [
    'a later start',
    { campaign: BUDGET },
    { campaign: { ...BUDGET, startDate: '2026-03-03' } },
    [ofCampaign('2026-03-01 to 2026-03-02')],
  ],
  ['an earlier start', { campaign: BUDGET }, { campaign: { ...BUDGET, startDate: '2026-02-01' } }, []],
  ['the status DRAFT', { campaign: BUDGET }, { campaign: { ...BUDGET, status: 'DRAFT' } }, [ofCampaign(ALL_DAYS)]],
  ['the status ACTIVE after DRAFT', { campaign: { ...BUDGET, status: 'DRAFT' } }, { campaign: BUDGET }, []],
  ['the status PAUSED', { campaign: BUDGET }, { campaign: { ...BUDGET, status: 'PAUSED' } }, []],
  ['another name', { campaign: BUDGET }, { campaign: { ...BUDGET, name: 'Fall' } }, []],
  [
    'no history of past days',
    { campaign: BUDGET, budgets: HISTORY },
    { campaign: BUDGET, budgets: HISTORY.slice(1) },
    [ofCampaign('2026-03-01 to 2026-03-02')],
  ],
  [
    'no history at all',
    { campaign: BUDGET, budgets: HISTORY },
    { campaign: BUDGET, budgets: [] },
    [ofCampaign(ALL_DAYS)],
  ],
  [
    'a history without a day before all loaded ones',
    { budgets: [...HISTORY, { ...HISTORY[0], validFrom: '2026-01-01' }] },
    { budgets: HISTORY },
    [],
  ],
  [
    'a change after all days',
    { budgets: HISTORY },
    { budgets: [...HISTORY, { ...HISTORY[0], validFrom: '2026-03-06' }] },
    [],
  ],
  ['a budget for the first time', {}, { campaign: BUDGET }, [ofCampaign(ALL_DAYS)]],
  [
    'an ad group of another start',
    { adGroup: AD_GROUP_BUDGET },
    { adGroup: { ...AD_GROUP_BUDGET, startDate: '2026-03-03' } },
    [ofAdGroup('2026-03-02')],
  ],
  [
    'an ad group of the status DRAFT',
    { adGroup: AD_GROUP_BUDGET },
    { adGroup: { ...AD_GROUP_BUDGET, status: 'DRAFT' } },
    [ofAdGroup('2026-03-02 to 2026-03-03, 2026-03-05')],
  ],
  [
    'ad groups, by the status DRAFT',
    { adGroup: BUDGET },
    { campaign: { status: 'DRAFT' }, adGroup: BUDGET },
    [ofAdGroup(ALL_DAYS)],
  ],
  [
    'an ad group of another campaign',
    { adGroup: BUDGET },
    { adGroup: { ...BUDGET, campaignId: 109 } },
    [ofAdGroup(ALL_DAYS)],
  ],
])('a load that gives %s names the days whose pacing changes', async (_, before, after, warnings) => {
  expect(await reload(before, after)).toEqual(warnings);
});
