import { describe, expect, test, vi } from 'vitest';

/** With custom measures and ratios. The catalogue reads the declarations when it is imported. */
vi.hoisted(() => {
  process.env.FIELDS_FILE = `${import.meta.dirname}/../oracle/endcap.fields.json`;
});

import { columnName } from '../../shared/catalog/custom-fields.ts';
import { METRIC_NAMES, type MetricName, metricOf } from '../../shared/catalog/metrics.ts';
import { experiencesOf, inputsOf } from '../../shared/catalog/rules.ts';
import { columnOf, type FactTable, fileMeasuresOf, tableOf } from '../../shared/catalog/tables.ts';
import type { SegmentSource } from '../../shared/layout/segment-reads.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { type Random, randomFrom } from '../oracle/random/random.ts';
import { dataset, type FactRow } from '../support/facts.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { storedSource } from '../support/stored-source.ts';

const DATES = ['2025-03-01', '2025-03-02', '2025-03-03', '2025-03-04', '2025-03-05'];
const SEEDS = [1, 2, 3];
/** A network in which one advertiser's file of a day lacks a column; `users` are not a column of measures. */
type Lost = ReturnType<typeof columnOf> | 'users';

/** All that metrics are computed from, and whose loss makes it unknown: of shares, the advertiser's own side. */
const CASES = METRIC_NAMES.flatMap((name): [MetricName, Lost][] => {
  const { measures, shoppersOf } = inputsOf(metricOf(name));
  const own = metricOf(name).kind === 'share' ? (['impressions'] as const) : measures.map(columnOf);
  return [...new Set<Lost>([...own, ...(shoppersOf.length > 0 ? (['users'] as const) : [])])].map((lost) => [
    name,
    lost,
  ]);
});

describe('a day on which an input of a metric is unknown never changes its value over the other days', () => {
  test.each(CASES)('%s, without %s', async (name, lost) => {
    for (const seed of SEEDS) {
      const [experience = 'pla'] = experiencesOf(name);
      const { date, source } = await openNetwork(seed, experience, lost);
      const run = (filters: object[], dimensions: readonly string[]) =>
        runReport({
          query: {
            ...{ experience, startDate: '2025-03-01', endDate: '2025-03-05', metrics: [name], dimensions, filters },
            ...{ sort: [], pagination: { offset: 0, size: 100 } },
          } as Parameters<typeof runReport>[0]['query'],
          ...{ scope: { accountIds: new Set([1]), advertiserIds: [1, 2], ownAdvertiserIds: [1, 2] } },
          ...{ settings: { ...SETTINGS, marketMinOthers: 0 }, source },
        });
      const others = { field: 'daily_date', operator: 'NOT_EQUALS', values: [date] };
      for (const advertiser of [1, 2]) {
        const own = { field: 'advertiser_id', operator: 'EQUALS', values: [String(advertiser)] };
        for (const dimensions of [[], ['advertiser_id']]) {
          const [all, rest] = [await run([own], dimensions), await run([own, others], dimensions)];
          const what = `${name} of advertiser ${advertiser}, seed ${seed}, by ${dimensions.join()}`;
          if (advertiser === 1) expect([all.data, all.totals], what).toEqual([rest.data, rest.totals]);
          expect(rest.totals[name], what).not.toBeNull();
        }
      }
      const [alone] = (
        await run(
          [
            { ...others, operator: 'EQUALS' },
            { field: 'advertiser_id', operator: 'EQUALS', values: ['1'] },
          ],
          [],
        )
      ).data;
      expect(alone, `${name} on the day alone, seed ${seed}`).toEqual({ [name]: null });
    }
  });
});

/** Networks that were opened, because several metrics have the same inputs. */
const opened = new Map<string, { readonly date: string; readonly source: SegmentSource }>();

/** @returns a random network, and the date on which it lacks the column */
async function openNetwork(seed: number, experience: FactRow['experience'], lost: Lost) {
  const key = `${seed} ${experience} ${lost}`;
  const found = opened.get(key);
  if (found !== undefined) return found;
  const random = randomFrom(seed);
  const date = random.pick(DATES);
  const data = networkOf(random, experience, date, lost);
  const source = await storedSource(data, { rollups: false, daysPerRun: random.pick([1, 31]) });
  opened.set(key, { date, source });
  return { date, source };
}

/** @returns random facts of two advertisers with a plan; those of advertiser 1 on the date lack the column */
function networkOf(random: Random, experience: FactRow['experience'], date: string, lost: Lost) {
  const lostTable = lost === 'users' ? undefined : tableOf(lost);
  const rowsOf = (table: FactTable): (Partial<FactRow> & { readonly date: string })[] =>
    DATES.flatMap((day) =>
      [1, 2].flatMap((advertiserId) =>
        [0, 1].map((n) => {
          const isLost = advertiserId === 1 && day === date && (lost === 'users' || lostTable === table);
          const values = fileMeasuresOf(table).map((measure) => [measure, 1 + random.int(50)] as const);
          const kept = values.filter(([measure]) => !isLost || measure !== lost);
          const measures = Object.fromEntries(kept.map(([measure, value]) => [columnName(measure), value]));
          return {
            ...{ date: day, experience, advertiserId, ad_group_id: advertiserId, ...measures },
            ...(table === 'conversions' && { entity_id: '1', purchased_entity_id: String(1 + n) }),
            ...(table !== 'activity' &&
              table !== 'market' && { users: isLost && lost === 'users' ? [] : [`u${random.int(4)}`] }),
            ...(table === 'delivery' && { placement_id: 1 }),
            ...(isLost && lost !== 'users' && { unmeasured: [lost] }),
          };
        }),
      ),
    );
  const market = DATES.map((day) => ({
    date: day,
    experience,
    placement_id: 1,
    market_impressions: 1000,
    market_advertisers: 5,
  }));
  return dataset({
    advertisers: [1, 2].map((id) => ({ id, name: `A${id}`, accountId: 1, accountIds: [1] })),
    campaigns: [1, 2].map((id) => ({
      id,
      advertiserId: id,
      name: `C${id}`,
      status: 'ACTIVE',
      startDate: '2025-03-01',
    })),
    ad_groups: [1, 2].map((id) => ({
      id,
      advertiserId: id,
      campaignId: id,
      name: `G${id}`,
      experience,
      budget: 70,
      budgetType: 'DAILY',
    })),
    ...{ delivery: rowsOf('delivery'), conversions: rowsOf('conversions'), activity: rowsOf('activity'), market },
  });
}
