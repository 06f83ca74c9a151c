import { expect, test } from 'vitest';
import type { MetricDefinition } from '../../shared/catalog/definitions.ts';
import { METRIC_NAMES, metric } from '../../shared/catalog/metrics.ts';
import { experiencesOf } from '../../shared/catalog/rules.ts';
import { EXPERIENCES, FACT_TABLES, type Measure } from '../../shared/catalog/tables.ts';
import type { DeliveryRow } from '../../shared/demo/serve-ads.ts';
import { factColumns } from '../../shared/load/schema/fact-columns.ts';
import { byId, type Demo, type Facts } from './read-demo.ts';

/** What the demo promises over all its facts: nothing is empty, nothing is even. */
export function describeLife(demo: Demo): void {
  const { pla, toa, carousel } = demo.facts;
  const campaignOf = byId(demo.campaigns);
  const advertiserOf = new Map(demo.ad_groups.map((it) => [it.id, campaignOf(it.campaignId).advertiserId]));

  test('there are 200,000 delivery rows or more, about 70 % of them in pla', () => {
    const total = pla.delivery.length + toa.delivery.length + carousel.delivery.length;
    expect(total).toBeGreaterThan(200_000);
    expect(pla.delivery.length / total).toBeGreaterThan(0.6);
    expect(pla.delivery.length / total).toBeLessThan(0.75);
  });

  test.each(EXPERIENCES)('every column of %s is one that the loader knows', (experience) => {
    for (const table of FACT_TABLES) {
      const known = new Set(factColumns(table).map((it) => it.name));
      const used = new Set(demo.facts[experience][table].flatMap((row) => Object.keys(row)));
      expect([...used].filter((name) => !known.has(name))).toEqual([]);
    }
  });

  test.each(EXPERIENCES)(
    'every metric that has a meaning in %s has values there, and rates lie inside (0, 1)',
    (experience) => {
      const sums = sumFacts(demo.facts[experience]);
      const meant = METRIC_NAMES.filter((name) => experiencesOf(name).includes(experience));
      const trivial = meant.filter((name) => {
        const definition = metric(name);
        const value = figureOf(definition, sums);
        return value !== undefined && !(value > 0 && value < (definition.unit === 'fraction' ? 1 : Infinity));
      });
      expect(meant.length).toBeGreaterThan(35);
      expect(trivial).toEqual([]);
    },
  );

  test.each(EXPERIENCES)('ad groups and campaigns with delivery in %s differ in all attributes', (experience) => {
    const running = new Set(demo.facts[experience].delivery.map((row) => row.ad_group_id));
    const adGroups = demo.ad_groups.filter((it) => running.has(it.id));
    const campaigns = [...new Set(adGroups.map((it) => it.campaignId))].map(campaignOf);
    const attributes: readonly (readonly unknown[])[] = [
      adGroups.map((it) => it.budget),
      adGroups.map((it) => it.budgetType),
      adGroups.map((it) => it.status),
      campaigns.map((it) => it.budget),
      campaigns.map((it) => it.budgetType),
      campaigns.map((it) => it.status),
      campaigns.map((it) => it.startDate),
      campaigns.map((it) => it.endDate),
    ];
    for (const values of attributes) expect(new Set(values).size).toBeGreaterThan(1);
  });

  test('traffic has the shape of a week and of a day: Sunday over Tuesday, the evening over the night', () => {
    const weekdays = Map.groupBy(pla.delivery, (row) => new Date(row.daily_date).getUTCDay());
    const hours = Map.groupBy(pla.delivery, (row) => row.hour);
    const shown = (rows: readonly DeliveryRow[] = []) => rows.reduce((sum, row) => sum + row.impressions, 0);
    expect(shown(weekdays.get(0))).toBeGreaterThan(1.1 * shown(weekdays.get(2)));
    expect(shown(hours.get(19))).toBeGreaterThan(10 * shown(hours.get(3)));
  });

  test('advertisers are of very different size, and two have no facts: a former client and a new one', () => {
    const sizes = countBy(pla.delivery, (row) => advertiserOf.get(row.ad_group_id));
    expect(Math.max(...sizes.values())).toBeGreaterThan(20 * Math.min(...sizes.values()));
    const withFacts = new Set(
      EXPERIENCES.flatMap((it) => demo.facts[it].delivery.map((row) => advertiserOf.get(row.ad_group_id))),
    );
    expect(demo.advertisers.filter(({ id }) => !withFacts.has(id)).map(({ id }) => id)).toEqual([2015, 2016]);
  });

  test('every advertiser with delivery in an experience has some on the last day, so that reports are complete up to it', () => {
    for (const experience of EXPERIENCES) {
      const { delivery } = demo.facts[experience];
      const advertisersOf = (rows: readonly DeliveryRow[]) =>
        new Set(rows.map((row) => advertiserOf.get(row.ad_group_id)));
      const lastDay = delivery.filter((row) => row.daily_date === demo.end);
      expect(advertisersOf(lastDay)).toEqual(advertisersOf(delivery));
    }
  });

  test('no ad group with a daily budget spends more than a burst of impressions beyond it, and some spend it all', () => {
    const daily = demo.ad_groups.filter((it) => it.budgetType === 'DAILY');
    const spent = EXPERIENCES.map((it) =>
      sumBy(demo.facts[it].delivery, (row) => `${row.ad_group_id} ${row.daily_date}`),
    );
    const shares = daily.flatMap(({ id, budget = 0 }) =>
      spent.flatMap((days) =>
        [...days].filter(([key]) => key.startsWith(`${id} `)).map(([, cost]) => [cost, budget] as const),
      ),
    );
    expect(shares.filter(([cost, budget]) => cost > budget + 2)).toEqual([]);
    expect(shares.filter(([cost, budget]) => cost > 0.9 * budget).length).toBeGreaterThan(shares.length / 10);
  });

  test('some advertisers reach more than 512 users on every day, some fewer than 128 on any', () => {
    const groups = Map.groupBy(pla.delivery, (row) => advertiserOf.get(row.ad_group_id));
    const daily = [...groups.values()].map((rows) => {
      const days = Map.groupBy(rows, (row) => row.daily_date);
      return [...days.values()].map((day) => usersOf(day).size);
    });
    expect(daily.some((counts) => Math.min(...counts) > 512)).toBe(true);
    expect(daily.some((counts) => Math.max(...counts) < 128)).toBe(true);
  });

  test('users come back: on other days, under other ad groups and in other experiences', () => {
    const on = (day: string) => usersOf(pla.delivery.filter((row) => row.daily_date === day));
    const under = (adGroupId: number) => usersOf(pla.delivery.filter((row) => row.ad_group_id === adGroupId));
    expect(overlap(on('2026-06-22'), on('2026-06-26'))).toBeGreaterThan(0.2);
    expect(overlap(under(70_001), under(70_002))).toBeGreaterThan(0.2);
    expect(overlap(usersOf(toa.delivery), usersOf(carousel.delivery))).toBeGreaterThan(0.2);
  });
}

/** @returns the sum of every measure of the experience, and how many users each table with users has, by table. */
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

/** @returns the metric over all facts of an experience; undefined for pacing and attributes, which are not made of sums. */
function figureOf(definition: MetricDefinition, sums: ReadonlyMap<string, number>): number | undefined {
  const sum = (measure: Measure) => sums.get(measure) ?? 0;
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
