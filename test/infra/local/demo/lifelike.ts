import { expect, test } from 'vitest';
import { addDays } from '../../../../infra/local/demo/demand.ts';
import type { MetricDefinition, RatioTerm } from '../../../../shared/catalog/definitions.ts';
import { METRIC_NAMES, metricOf } from '../../../../shared/catalog/metrics.ts';
import { experiencesOf } from '../../../../shared/catalog/rules.ts';
import { EXPERIENCES, FACT_TABLES, SPLIT_MEASURES } from '../../../../shared/catalog/tables.ts';
import { byId, type Demo, type Facts } from './read-demo.ts';

type DeliveryRow = Facts['delivery'][number];

/** Tests of the demo as a whole: no metric is trivial, and the distributions are realistic. */
export function describeLife(demo: Demo): void {
  const campaignOf = byId(demo.campaigns);
  const advertiserOf = new Map(demo.ad_groups.map(({ id, campaignId }) => [id, campaignOf(campaignId).advertiserId]));
  const campaignIds = new Map(demo.ad_groups.map(({ id, campaignId }) => [id, campaignId]));

  test.each(EXPERIENCES)(
    'every metric that is defined in %s, pacing and attributes aside, has a value above 0 there, and rates lie between 0 and 1',
    (experience) => {
      const sums = sumFacts(demo.facts[experience]);
      // product listing ads have no viewability, as in many networks
      const isMeasured = (name: string) => experience !== 'pla' || !/^(measurable|viewable)_/.test(name);
      const defined = METRIC_NAMES.filter((name) => experiencesOf(name).includes(experience) && isMeasured(name));
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

  test('every advertiser with delivery in an experience has some on its last day, so reports are complete through that day', () => {
    for (const experience of EXPERIENCES) {
      const { delivery } = demo.facts[experience];
      const advertisersOf = (rows: readonly DeliveryRow[]) =>
        new Set(rows.map((row) => advertiserOf.get(row.ad_group_id)));
      const lastDay = delivery.filter((row) => row.daily_date === demo.end);
      expect(advertisersOf(lastDay)).toEqual(advertisersOf(delivery));
    }
  });

  test.each(EXPERIENCES)(
    'shoppers of %s see a campaign, and all of it, a believable number of times in the last four weeks',
    (experience) => {
      const rows = demo.facts[experience].delivery.filter(({ daily_date }) => daily_date > addDays(demo.end, -28));
      const groups = [rows, ...Map.groupBy(rows, ({ ad_group_id }) => campaignIds.get(ad_group_id)).values()];
      const frequencies = groups.flatMap((group) => {
        const impressions = group.reduce((sum, row) => sum + row.impressions, 0);
        return impressions < 10_000 ? [] : [impressions / shoppersOf(group).size];
      });
      expect(frequencies.length).toBeGreaterThan(3);
      expect(frequencies.filter((frequency) => !(frequency > 3 && frequency < 16))).toEqual([]);
    },
  );

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
}

/** @returns the sum of every measure of the experience, those of purchases by the product of their row, and per table with users the number of its users */
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
  for (const row of facts.conversions) {
    const part = row.purchased_entity_id === row.entity_id ? 'direct' : 'other';
    for (const split of SPLIT_MEASURES) {
      const value: unknown = Object.entries(row).find(([column]) => column === split.whole)?.[1];
      sums.set(split[part], (sums.get(split[part]) ?? 0) + Number(value ?? 0));
    }
  }
  return sums.set('delivery', shoppersOf(facts.delivery).size).set('conversions', shoppersOf(facts.conversions).size);
}

/** @returns the metric over all facts of an experience; undefined for pacing and attributes, which are not computed from sums */
function metricValue(definition: MetricDefinition, sums: ReadonlyMap<string, number>): number | undefined {
  const sum = (term: RatioTerm) => sums.get(typeof term === 'string' ? term : term.shoppersOf) ?? 0;
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

function shoppersOf(rows: readonly { readonly users?: readonly string[] }[]): Set<string> {
  return new Set(rows.flatMap((row) => row.users ?? []));
}

function sumBy(rows: readonly DeliveryRow[], keyOf: (row: DeliveryRow) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + (row.cost ?? 0));
  return sums;
}
