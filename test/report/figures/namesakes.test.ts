import { expect, test } from 'vitest';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

/** Advertisers 1 and 2 of one name; campaigns 10, 11 and 20 of one name; ad groups 1 and 2, of different campaigns, too; two sizes of one product. */
const DATA = dataset({
  advertisers: [1, 2].map((id) => ({ id, name: 'Acme', accountId: 1, accountIds: [1] })),
  campaigns: [10, 11, 12, 20].map((id) => ({
    id,
    advertiserId: id === 20 ? 2 : 1,
    name: id === 12 ? 'Fall' : 'Spring',
  })),
  ad_groups: [
    { id: 1, advertiserId: 1, campaignId: 10, name: 'One' },
    { id: 2, advertiserId: 1, campaignId: 11, name: 'One' },
    { id: 3, advertiserId: 1, campaignId: 12, name: 'Three' },
    { id: 4, advertiserId: 1, campaignId: 12, name: 'Four' },
    { id: 20, advertiserId: 2, campaignId: 20, name: 'Twenty' },
  ],
  creatives: [
    { key: 'a', advertiserId: 1, name: 'Film' },
    { key: 'b', advertiserId: 1, name: 'Film' },
    { key: 'c', advertiserId: 2, name: 'Film' },
  ],
  products: ['1', '2'].map((upc) => ({ upc: upc.padStart(13, '0'), advertiserId: 1, name: 'Rye' })),
  delivery: [
    { date: '2025-03-01', ad_group_id: 1, creative_key: 'a', entity_id: '0000000000001', impressions: 1 },
    { date: '2025-03-01', ad_group_id: 2, creative_key: 'b', entity_id: '0000000000002', impressions: 1 },
    { date: '2025-03-02', ad_group_id: 3, impressions: 1 },
    { date: '2025-03-02', ad_group_id: 4, impressions: 1 },
    { date: '2025-03-02', ad_group_id: 20, advertiserId: 2, creative_key: 'c', impressions: 1 },
  ],
});

test.each<readonly [string, Partial<ReportQuery> & { advertiserIds?: number[] }, string[]]>([
  ['campaigns', { dimensions: ['campaign_name'] }, ['"Spring" is the name of 3 campaigns; add campaign_id.']],
  [
    'campaigns of the same advertiser, in a report by advertiser',
    { dimensions: ['advertiser_id', 'campaign_name'] },
    ['"Spring" is the name of 2 campaigns; add campaign_id.'],
  ],
  ['campaigns by their ids', { dimensions: ['campaign_name', 'campaign_id'] }, []],
  [
    'campaigns of one id',
    { dimensions: ['campaign_name'], filters: [{ field: 'campaign_id', operator: 'EQUALS', values: ['10'] }] },
    [],
  ],
  [
    'campaigns that no row has',
    { dimensions: ['campaign_name'], filters: [{ field: 'campaign_name', operator: 'EQUALS', values: ['Fall'] }] },
    [],
  ],
  ['campaigns of one advertiser, one of each name', { dimensions: ['campaign_name'], advertiserIds: [2] }, []],
  ['ad groups', { dimensions: ['ad_group_name'] }, ['"One" is the name of 2 ad groups; add ad_group_id.']],
  ['advertisers', { dimensions: ['advertiser_name'] }, ['"Acme" is the name of 2 advertisers; add advertiser_id.']],
  ['creatives', { dimensions: ['creative_name'] }, ['"Film" is the name of 3 creatives; add creative_key.']],
  ['creatives of advertiser 2 alone', { dimensions: ['creative_name'], advertiserIds: [2] }, []],
  [
    'products, which are counted only',
    { dimensions: ['entity_name'] },
    ['Names that several products have: 1; add entity_id.'],
  ],
])('names of several things have a warning: %s', async (_, query, expected) => {
  const { meta } = await run(DATA, { metrics: ['impressions'], ...query });
  const found = meta.warnings.filter(({ code }) => code === 'SHARED_NAME');
  expect(found.map(({ detail }) => detail)).toEqual(expected);
});
