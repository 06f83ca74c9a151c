import { experiencesIn, type FactTable } from '../../catalog/tables.ts';
import { expandCodes } from '../../columns/coded-keys.ts';
import type { KeyValue } from '../../columns/column.ts';
import { expandMeasure } from '../../columns/measures.ts';
import { hasDay } from '../../layout/day-ranges.ts';
import type { FactHead } from '../../layout/partitions.ts';
import { dayNumber, daysInMonth, formatDay } from '../../lib/calendar.ts';
import { type Plan, planReport } from '../plan/plan-report.ts';
import type { OpenReads } from '../scan/open-reads.ts';
import { type ScanContext, type SegmentCollector, scanFacts } from '../scan/scan-facts.ts';
import { SeenValues } from '../scan/seen-values.ts';
import type { Segment } from '../scan/segment.ts';
import type { Budget } from './find-budgets.ts';

/** The tables whose rows show that an ad group was running. */
const RUNNING: readonly FactTable[] = ['delivery', 'activity'];

/** The last day with delivery or activity of ad groups, as day numbers. Those without any since the start of the report are absent. */
export type LastDays = ReadonlyMap<KeyValue, number>;

/**
 * @returns whether the plan of the budget ends with delivery and activity: it has ended, and its end date is missing or not reached
 */
export function endsWithDelivery({ hasEnded, lastDay }: Budget, completeDay: number): boolean {
  return hasEnded && lastDay > completeDay;
}

/**
 * @param plan of the report
 * @param budgets whose plan ends with delivery and activity
 * @param heads of their advertisers, with all months
 * @returns the plan of a scan of the report's first day and all later ones that finds these ends; undefined where there is nothing to read
 */
export function planLastDays(
  { query }: Plan,
  budgets: readonly Budget[],
  heads: ReadonlyMap<number, FactHead>,
): Plan | undefined {
  const experiences = experiencesIn(query.experience); // also those that a filter excludes
  const months = [...heads.values()].flatMap((head) =>
    experiences.flatMap((name) => RUNNING.flatMap((table) => head.months.get(name)?.get(table)?.at(-1) ?? [])),
  );
  const lastMonth = months.sort().at(-1);
  if (lastMonth === undefined || lastMonth < query.startDate.slice(0, 7)) return undefined;
  const firstOfMonth = dayNumber(`${lastMonth}-01`);
  const values = budgets.flatMap(({ adGroupIds }) => adGroupIds.map(String));
  const plan = planReport({
    ...{ experience: query.experience, startDate: query.startDate, metrics: [], dimensions: [], sort: [] },
    endDate: formatDay(firstOfMonth + daysInMonth(firstOfMonth) - 1),
    filters: [{ field: 'ad_group_id', operator: 'EQUALS', values }],
    pagination: { offset: 0, size: 0 },
  });
  const sums = [{ name: 'impressions', measure: 'impressions', experiences }] as const;
  const scans = plan.scans.flatMap((scan) => {
    if (scan.table === 'delivery') return [{ ...scan, sums }];
    return RUNNING.includes(scan.table) ? [scan] : [];
  });
  return { ...plan, scans };
}

/** @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED */
export async function findLastDays(
  context: ScanContext,
  plan: Plan,
  reads: OpenReads,
  heads: ReadonlyMap<number, FactHead>,
): Promise<LastDays> {
  const found = new LastDayCollector(heads);
  await scanFacts({ ...context, seen: new SeenValues([]) }, plan, reads, found);
  return found.days;
}

class LastDayCollector implements SegmentCollector {
  readonly days = new Map<KeyValue, number>();
  readonly #heads: ReadonlyMap<number, FactHead>;

  constructor(heads: ReadonlyMap<number, FactHead>) {
    this.#heads = heads;
  }

  *computedRows() {}

  add(table: FactTable, segment: Segment): void {
    const [adGroups, dates] = [segment.keys('ad_group_id'), segment.keys('date')];
    const [adGroupOf, dateOf] = [expandCodes(adGroups), expandCodes(dates)];
    const latest = new Int32Array(adGroups.dictionary.length).fill(-1);
    const impressions = table === 'delivery' ? expandMeasure(segment.measure('impressions')) : undefined;
    const lacking = this.#heads.get(segment.advertiserId)?.unmeasured;
    const days = segment.experience && lacking?.get(segment.experience)?.get('impressions');
    const lacks = dates.dictionary.map((date) => hasDay(days ?? [], dayNumber(String(date))));
    // codes index the dictionaries, whose dates ascend
    for (let row = 0; row < segment.rows; row++) {
      const adGroup = adGroupOf[row] ?? 0;
      if (impressions?.[row] === 0 && !lacks[dateOf[row] ?? 0]) continue; // no delivery
      if ((dateOf[row] ?? 0) > (latest[adGroup] ?? 0)) latest[adGroup] = dateOf[row] ?? 0;
    }
    for (const [i, id] of adGroups.dictionary.entries()) {
      const date = dates.dictionary[latest[i] ?? -1];
      if (date !== undefined) this.days.set(id, Math.max(this.days.get(id) ?? 0, dayNumber(String(date))));
    }
  }
}
