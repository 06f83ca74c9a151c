import { expect, test } from 'vitest';
import { OPEN_BANDIT, OPEN_BANDIT_COLUMNS, OPEN_BANDIT_IDS, writeOpenBandit } from './open-bandit-folder.ts';
import { readData } from './read-data.ts';
import { useLoadedStage } from './real-stage.ts';

/** The recorded rows: a policy is an ad group, a slot a placement, and an item an entity. New York was five hours behind UTC during the whole week. */
const rows = readData(OPEN_BANDIT, OPEN_BANDIT_COLUMNS).map((row) => {
  const local = new Date(Date.parse(row.timestamp) - 5 * 3_600_000).toISOString();
  const { user_feature_0, user_feature_1, user_feature_2, user_feature_3 } = row;
  return {
    policy: row.behavior_policy,
    day: local.slice(0, 10),
    hour: Number(local.slice(11, 13)),
    slot: `Slot ${row.position}`,
    item: row.item_id.padStart(13, '0'),
    click: Number(row.click),
    user: [user_feature_0, user_feature_1, user_feature_2, user_feature_3].join(),
  };
});

type Impression = (typeof rows)[number];

const stage = useLoadedStage(writeOpenBandit);

const PERIOD = { startDate: '2019-11-23', endDate: '2019-11-30', advertiserIds: [OPEN_BANDIT_IDS.advertiserId] };

function report(request: {
  metrics: string[];
  dimensions: string[];
  filters?: object[];
  sort?: object[];
  size?: number;
}) {
  const { metrics, dimensions, filters = [], sort = [], size = 10_000 } = request;
  const pagination = { offset: 0, size };
  return stage.report('carousel', { ...PERIOD, metrics, dimensions, filters, sort, pagination });
}

/** @returns the rows in groups, in the order of the groups' names */
function groupBy(nameOf: (row: Impression) => string): [string, Impression[]][] {
  return [...Map.groupBy(rows, nameOf)].sort(([one], [other]) => (one < other ? -1 : 1));
}

const clicksOf = (group: readonly Impression[]) => group.reduce((sum, row) => sum + row.click, 0);
const usersOf = (group: readonly Impression[]) => new Set(group.map((row) => row.user)).size;

test('a report by ad group has the 20,000 recorded impressions, with 69 clicks under bts and 46 under random', async () => {
  const { data, totalCount, totals } = await report({
    metrics: ['impressions', 'clicks'],
    dimensions: ['ad_group_name'],
  });
  expect(data).toEqual([
    { ad_group_name: 'bts', impressions: 10_000, clicks: 69 },
    { ad_group_name: 'random', impressions: 10_000, clicks: 46 },
  ]);
  expect(totalCount).toBe(2);
  expect(totals).toEqual({ impressions: 20_000, clicks: 115 });
});

test('loading the folder again changes nothing', async () => {
  expect(await stage.loadAgain()).toMatch(/^unchanged/m);
  const { totals } = await report({ metrics: ['impressions', 'clicks'], dimensions: [] });
  expect(totals).toEqual({ impressions: 20_000, clicks: 115 });
});

test('a report without dimensions has one row, which equals its totals', async () => {
  const whole = {
    impressions: 20_000,
    clicks: 115,
    click_through_rate: 115 / 20_000,
    unique_user_impressions: usersOf(rows),
  };
  const { data, totalCount, totals } = await report({ metrics: Object.keys(whole), dimensions: [] });
  expect(data).toEqual([whole]);
  expect(totalCount).toBe(1);
  expect(totals).toEqual(whole);
});

test('a report by placement equals the counts of the recorded rows', async () => {
  const counted = groupBy((row) => row.slot).map(([placement, group]) => ({
    placement,
    impressions: group.length,
    clicks: clicksOf(group),
    click_through_rate: clicksOf(group) / group.length,
    unique_user_impressions: usersOf(group),
  }));
  const metrics = ['impressions', 'clicks', 'click_through_rate', 'unique_user_impressions'];
  const { data, totalCount } = await report({ metrics, dimensions: ['placement'] });
  expect(counted).toHaveLength(3);
  expect(data).toEqual(counted);
  expect(totalCount).toBe(3);
});

test('a report by daily_date and hour equals the counts of the recorded rows in the platform’s zone', async () => {
  const counted = groupBy((row) => `${row.day} ${String(row.hour).padStart(2, '0')}`).map(([, group]) => ({
    daily_date: group[0]?.day,
    hour: group[0]?.hour,
    impressions: group.length,
    clicks: clicksOf(group),
    unique_user_impressions: usersOf(group),
  }));
  const metrics = ['impressions', 'clicks', 'unique_user_impressions'];
  const { data, totalCount, meta } = await report({ metrics, dimensions: ['daily_date', 'hour'] });
  expect(counted[0]).toMatchObject({ daily_date: '2019-11-23', hour: 19 });
  expect(data).toEqual(counted);
  expect(totalCount).toBe(counted.length);
  expect(meta).toMatchObject({ timezone: 'America/New_York', dataCompleteThrough: '2019-11-30' });
});

test('a filter, a sort order and a page give the ten items with the highest click_through_rate among those with at least 400 impressions', async () => {
  const frequent = groupBy((row) => row.item).filter(([, group]) => group.length >= 400);
  const counted = frequent.map(([entity_id, group]) => ({
    entity_id,
    entity_name: `Item ${Number(entity_id)}`,
    impressions: group.length,
    click_through_rate: clicksOf(group) / group.length,
  }));
  counted.sort((one, other) => other.click_through_rate - one.click_through_rate); // a stable sort keeps ties in the order of their items
  const { data, totalCount, totals } = await report({
    metrics: ['impressions', 'click_through_rate'],
    dimensions: ['entity_id', 'entity_name'],
    filters: [{ field: 'impressions', operator: 'GREATER_THAN_OR_EQUAL', values: ['400'] }],
    sort: [{ field: 'click_through_rate', order: 'DESC' }],
    size: 10,
  });
  expect(data).toEqual(counted.slice(0, 10));
  expect(totalCount).toBe(counted.length);
  const all = frequent.flatMap(([, group]) => group);
  expect(totals).toEqual({ impressions: all.length, click_through_rate: clicksOf(all) / all.length });
});

const GRAINS: readonly { dimensions: string[]; nameOf: (row: Impression) => string }[] = [
  { dimensions: ['daily_date'], nameOf: (row) => row.day },
  { dimensions: ['ad_group_name'], nameOf: (row) => row.policy },
  { dimensions: ['entity_id'], nameOf: (row) => row.item },
  { dimensions: ['ad_group_name', 'daily_date'], nameOf: (row) => `${row.policy}|${row.day}` },
  { dimensions: ['placement', 'entity_id'], nameOf: (row) => `${row.slot}|${row.item}` },
  { dimensions: ['ad_group_name', 'placement', 'daily_date'], nameOf: (row) => `${row.policy}|${row.slot}|${row.day}` },
];

test.each(GRAINS)(
  'unique_user_impressions by $dimensions are the distinct users of each group and of the totals',
  async ({ dimensions, nameOf }) => {
    const { data, totals } = await report({ metrics: ['unique_user_impressions'], dimensions });
    const reported = data.map((row) => [dimensions.map((name) => row[name]).join('|'), row.unique_user_impressions]);
    const counted = groupBy(nameOf).map(([name, group]) => [name, usersOf(group)]);
    expect(reported.sort()).toEqual(counted.sort());
    expect(totals).toEqual({ unique_user_impressions: usersOf(rows) });
  },
);
