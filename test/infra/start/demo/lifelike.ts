import { expect, test } from 'vitest';
import type { MetricDefinition, RatioTerm } from '../../../../shared/catalog/definitions.ts';
import { METRIC_NAMES, metricOf } from '../../../../shared/catalog/metrics.ts';
import { experiencesOf } from '../../../../shared/catalog/rules.ts';
import { EXPERIENCES, FACT_TABLES } from '../../../../shared/catalog/tables.ts';
import { factColumns } from '../../../../shared/load/schema/fact-columns.ts';
import { byId, type Demo, type Facts } from './read-demo.ts';

type DeliveryRow = Facts['delivery'][number];

/** Tests of the demo as a whole: no metric is trivial, and the distributions are realistic. */
export function describeLife(demo: Demo): void {
  const { pla, toa, carousel } = demo.facts;
  const campaignOf = byId(demo.campaigns);
  const advertiserOf = new Map(demo.ad_groups.map(({ id, campaignId }) => [id, campaignOf(campaignId).advertiserId]));

  test('there are more than 200,000 delivery rows, 60 to 75 % of them in pla', () => {
    const total = pla.delivery.length + toa.delivery.length + carousel.delivery.length;
    expect(total).toBeGreaterThan(200_000);
    expect(pla.delivery.length / total).toBeGreaterThan(0.6);
    expect(pla.delivery.length / total).toBeLessThan(0.75);
  });

  test.each(EXPERIENCES)('every column of %s is one that the loader accepts', (experience) => {
    for (const table of FACT_TABLES) {
      const accepted = new Set(factColumns(table).map((column) => column.name));
      const used = new Set(demo.facts[experience][table].flatMap((row) => Object.keys(row)));
      expect([...used].filter((name) => !accepted.has(name))).toEqual([]);
    }
  });

  test.each(EXPERIENCES)(
    'every metric that is defined in %s, pacing and attributes aside, has a value above 0 there, and rates lie between 0 and 1',
    (experience) => {
      const sums = sumFacts(demo.facts[experience]);
      const defined = METRIC_NAMES.filter((name) => experiencesOf(name).includes(experience));
      const trivial = defined.filter((name) => {
        const definition = metricOf(name);
        const value = metricValue(definition, sums);
        const isRate = definition.unit === 'fraction' && name !== 'acos'; // a campaign may cost more than it sells
        return value !== undefined && !(value > 0 && value < (isRate ? 1 : Infinity));
      });
      expect(defined.length).toBeGreaterThan(35);
      expect(trivial).toEqual([]);
    },
  );

  test.each(EXPERIENCES)(
    'ad groups and campaigns with delivery in %s have different values of every attribute',
    (experience) => {
      const delivering = new Set(demo.facts[experience].delivery.map((row) => row.ad_group_id));
      const adGroups = demo.ad_groups.filter(({ id }) => delivering.has(id));
      const campaigns = [...new Set(adGroups.map((adGroup) => adGroup.campaignId))].map(campaignOf);
      const attributes: readonly (readonly unknown[])[] = [
        adGroups.map((adGroup) => adGroup.budget),
        adGroups.map((adGroup) => adGroup.budgetType),
        adGroups.map((adGroup) => adGroup.status),
        campaigns.map((campaign) => campaign.budget),
        campaigns.map((campaign) => campaign.budgetType),
        campaigns.map((campaign) => campaign.status),
        campaigns.map((campaign) => campaign.startDate),
        campaigns.map((campaign) => campaign.endDate),
      ];
      for (const values of attributes) expect(new Set(values).size).toBeGreaterThan(1);
    },
  );

  test('Sundays have more traffic than Tuesdays, and evenings more than nights', () => {
    const weekdays = Map.groupBy(pla.delivery, (row) => new Date(row.daily_date).getUTCDay());
    const hours = Map.groupBy(pla.delivery, (row) => row.hour);
    const impressionsOf = (rows: readonly DeliveryRow[] = []) => rows.reduce((sum, row) => sum + row.impressions, 0);
    expect(impressionsOf(weekdays.get(0))).toBeGreaterThan(1.1 * impressionsOf(weekdays.get(2)));
    expect(impressionsOf(hours.get(19))).toBeGreaterThan(10 * impressionsOf(hours.get(3)));
  });

  test('advertisers differ in size by more than a factor of 20, and two have no facts: a former client and a new one', () => {
    const sizes = countBy(pla.delivery, (row) => advertiserOf.get(row.ad_group_id));
    expect(Math.max(...sizes.values())).toBeGreaterThan(20 * Math.min(...sizes.values()));
    const withFacts = new Set(
      EXPERIENCES.flatMap((experience) =>
        demo.facts[experience].delivery.map((row) => advertiserOf.get(row.ad_group_id)),
      ),
    );
    expect(demo.advertisers.filter(({ id }) => !withFacts.has(id)).map(({ id }) => id)).toEqual([2015, 2016]);
  });

  test('every advertiser with delivery in an experience has some on its last day, so reports are complete through that day', () => {
    for (const experience of EXPERIENCES) {
      const { delivery } = demo.facts[experience];
      const advertisersOf = (rows: readonly DeliveryRow[]) =>
        new Set(rows.map((row) => advertiserOf.get(row.ad_group_id)));
      const lastDay = delivery.filter((row) => row.daily_date === demo.end);
      expect(advertisersOf(lastDay)).toEqual(advertisersOf(delivery));
    }
  });

  test('ad groups with a daily budget exceed it by at most 2 USD, and use more than 90 % of it on more than a tenth of the days', () => {
    const daily = demo.ad_groups.filter((adGroup) => adGroup.budgetType === 'DAILY');
    const spent = EXPERIENCES.map((experience) =>
      sumBy(demo.facts[experience].delivery, (row) => `${row.ad_group_id} ${row.daily_date}`),
    );
    const shares = daily.flatMap(({ id, budget = 0 }) =>
      spent.flatMap((days) =>
        [...days].filter(([key]) => key.startsWith(`${id} `)).map(([, cost]) => [cost, budget] as const),
      ),
    );
    expect(shares.filter(([cost, budget]) => cost > budget + 2)).toEqual([]);
    expect(shares.filter(([cost, budget]) => cost > 0.9 * budget).length).toBeGreaterThan(shares.length / 10);
  });

  test('some advertisers reach more than 512 users on every day, and some fewer than 128 on every day', () => {
    const groups = Map.groupBy(pla.delivery, (row) => advertiserOf.get(row.ad_group_id));
    const daily = [...groups.values()].map((rows) => {
      const days = Map.groupBy(rows, (row) => row.daily_date);
      return [...days.values()].map((day) => usersOf(day).size);
    });
    expect(daily.some((counts) => Math.min(...counts) > 512)).toBe(true);
    expect(daily.some((counts) => Math.max(...counts) < 128)).toBe(true);
  });

  test('audiences overlap between days, ad groups and experiences', () => {
    const on = (day: string) => usersOf(pla.delivery.filter((row) => row.daily_date === day));
    const under = (adGroupId: number) => usersOf(pla.delivery.filter((row) => row.ad_group_id === adGroupId));
    expect(overlap(on('2026-06-22'), on('2026-06-26'))).toBeGreaterThan(0.2);
    expect(overlap(under(70_001), under(70_002))).toBeGreaterThan(0.2);
    expect(overlap(usersOf(toa.delivery), usersOf(carousel.delivery))).toBeGreaterThan(0.2);
  });
}

/** @returns the sum of every measure of the experience, and per table with users the number of its users */
function sumFacts(facts: Facts): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const table of FACT_TABLES) {
    for (const row of facts[table]) {
      for (const [column, value] of Object.entries(row)) {
        const measure = table === 'market' && column === 'impressions' ? 'market_impressions' : column;
        if (typeof value === 'number') sums.set(measure, (sums.get(measure) ?? 0) + value);
      }
    }
  }
  return sums.set('delivery', usersOf(facts.delivery).size).set('conversions', usersOf(facts.conversions).size);
}

/** @returns the metric over all facts of an experience; undefined for pacing and attributes, which are not computed from sums */
function metricValue(definition: MetricDefinition, sums: ReadonlyMap<string, number>): number | undefined {
  const sum = (term: RatioTerm) => sums.get(typeof term === 'string' ? term : term.usersOf) ?? 0;
  switch (definition.kind) {
    case 'sum':
      return sum(definition.measure);
    case 'ratio':
      return ((definition.factor ?? 1) * sum(definition.numerator)) / sum(definition.denominator);
    case 'share':
      return sum('impressions') / sum('market_impressions');
    case 'distinct':
      return sums.get(definition.table) ?? 0;
    default:
      return undefined;
  }
}

function usersOf(rows: readonly { readonly users?: readonly string[] }[]): Set<string> {
  return new Set(rows.flatMap((row) => row.users ?? []));
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return one.intersection(other).size / Math.min(one.size, other.size);
}

function sumBy(rows: readonly DeliveryRow[], keyOf: (row: DeliveryRow) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + (row.cost ?? 0));
  return sums;
}

function countBy<T, K>(rows: readonly T[], keyOf: (row: T) => K): Map<K, number> {
  const counts = new Map<K, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
}
