import type { DayRange } from '../../layout/day-ranges.ts';
import { type FactHead, PLATFORM_ID } from '../../layout/partitions.ts';
import type { SegmentSource } from '../../layout/segment-reads.ts';
import type { Plan } from './plan-report.ts';

/** Heads or manifests that are in memory whole at a time. Of three experiences over two years, heads take about 0.2 MB each, and 1 ms to decode. */
export const HEADS_PER_READ = 250;

export interface HeadContext {
  readonly source: SegmentSource;
  /** Called and awaited before the heads of more than HEADS_PER_READ advertisers are read. */
  readonly onWide?: (advertisers: number) => unknown;
}

/**
 * @param plans all plans of the report
 * @returns the heads of those of the advertisers that have facts, with the months, days and rollups of the plans' period and experiences
 */
export async function readHeads(
  { source, onWide }: HeadContext,
  plans: readonly Plan[],
  advertiserIds: readonly number[],
): Promise<Map<number, FactHead>> {
  const heads = new Map<number, FactHead>();
  if (advertiserIds.length > HEADS_PER_READ) await onWide?.(advertiserIds.length);
  for (let start = 0; start < advertiserIds.length; start += HEADS_PER_READ) {
    const whole = await source.factHeads(advertiserIds.slice(start, start + HEADS_PER_READ));
    for (const [id, head] of whole) heads.set(id, selectNeeded(head, plans));
  }
  return heads;
}

/** @returns the head with the months of the period in the plans' experiences, and the rollups of these; an advertiser's with its days in the period */
function selectNeeded(head: FactHead, plans: readonly Plan[]): FactHead {
  const [plan] = plans;
  if (plan === undefined) return head;
  const { experiences } = plan; // all plans of a report have the same experiences and period
  const period = new Set(plan.period.months);
  const months = experiences.map((experience) => {
    const tables = [...(head.months.get(experience) ?? [])];
    return [
      experience,
      new Map(tables.map(([table, own]) => [table, own.filter((month) => period.has(month))])),
    ] as const;
  });
  const rollups = experiences.map((experience) => {
    const entries = [...(head.rollups?.get(experience) ?? [])];
    return [experience, new Map(entries.filter(([month]) => period.has(month)))] as const;
  });
  const needed = { ...head, months: new Map(months), rollups: new Map(rollups) };
  if (head.advertiserId === PLATFORM_ID || head.days === undefined) return needed;
  const { firstDay, lastDay } = plan.period;
  const days = [...head.days].map(([experience, tables]) => {
    const isInPeriod = ([first, last]: DayRange) => first <= lastDay && last >= firstDay;
    return [experience, new Map([...tables].map(([table, own]) => [table, own.filter(isInPeriod)]))] as const;
  });
  return { ...needed, days: new Map(days) };
}
