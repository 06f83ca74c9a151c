import type { FactRows } from '../../columns/build-day.ts';
import { sumByAdvertiser } from '../../columns/rollup.ts';
import { unpackTables } from '../../columns/rollup-tables.ts';
import { hasDay } from '../../layout/day-ranges.ts';
import type { FactHead, MonthRef } from '../../layout/partitions.ts';
import { OF_ADVERTISER } from '../../layout/rollup-keys.ts';
import { dayNumber } from '../../lib/calendar.ts';
import { readRollups } from '../../store/facts/stored-rollups.ts';
import type { Table } from '../../store/table/table.ts';

/** The figures of a day that are compared with those of other days. */
export const COMPARED = ['impressions', 'cost'] as const;
export type Compared = (typeof COMPARED)[number];

/** What a figure is compared with: less than `low` is a drop, more than `high` is growth. */
export interface UsualFigure {
  readonly low: number;
  readonly high: number;
}

/** Absent figures have too few stored days to be compared with. */
export type UsualDay = Readonly<Partial<Record<Compared, UsualFigure>>>;

/** Of these stored days, the median is usual; of fewer than MIN_DAYS, nothing is. */
const MAX_DAYS = 28;
const MIN_DAYS = 7;

/**
 * @param head of the advertiser before the load
 * @param own its stored delivery of the month, rolled up
 * @returns the medians of the last stored days of the month and of the nearest stored month before it, or after it if there is none. That month is one more read.
 */
export async function findUsualDay(
  table: Table,
  { advertiserId, experience, month }: MonthRef,
  head: FactHead | undefined,
  own: FactRows | undefined,
): Promise<UsualDay> {
  const rollups = [...(head?.rollups?.get(experience) ?? [])].filter(([, { rows }]) => rows.has('delivery'));
  const nearest = rollups.findLast(([name]) => name < month) ?? rollups.find(([name]) => name > month);
  const parts = own === undefined ? [] : [sumDays(own, month)];
  if (nearest !== undefined && (parts[0]?.length ?? 0) < MAX_DAYS) {
    const [other, entry] = nearest;
    const columns = COMPARED.map((name) => `delivery/${name}`);
    const read = { ref: { advertiserId, experience, month: other }, entry, columns };
    for await (const { encoded } of readRollups(table, [read])) {
      const stored = unpackTables(OF_ADVERTISER, encoded, `${advertiserId}/${other}`, ['delivery']);
      for (const rows of stored.values()) parts.push(sumDays(rows, other));
    }
  }
  const days = parts.flat().sort((a, b) => a.day - b.day);
  const usual = COMPARED.map((figure) => {
    const unmeasured = head?.unmeasured?.get(experience)?.get(figure) ?? [];
    const last = days.filter(({ day }) => !hasDay(unmeasured, day)).slice(-MAX_DAYS);
    return [figure, last.length < MIN_DAYS ? undefined : describeUsual(last.map((sums) => sums[figure]))] as const;
  });
  return Object.fromEntries(usual);
}

/** Where most days have none, such as cost of few clicks, the highest day is compared with: all values would exceed 0. */
function describeUsual(sums: readonly number[]): UsualFigure {
  const sorted = sums.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
  return { low: median, high: median > 0 ? median : Math.max(0, ...sums) };
}

function sumDays(facts: FactRows, month: string) {
  const { rows, keys, measures } = sumByAdvertiser(0, facts);
  const { dictionary = [], codes = [] } = keys.get('date') ?? {};
  return Array.from({ length: rows }, (_, row) => ({
    day: dayNumber(`${month}-01`) + Number(dictionary[codes[row] ?? 0]) - 1,
    impressions: measures.get('impressions')?.[row] ?? 0,
    cost: measures.get('cost')?.[row] ?? 0,
  }));
}
