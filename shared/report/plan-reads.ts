import { dayNumber, monthsBetween } from '../calendar.ts';
import type { DayEntry, FactHead, PartitionRef } from '../catalog/partitions.ts';
import type { BaseColumn } from '../catalog/tables.ts';
import type { Joins } from './joins.ts';
import type { Plan, RowCondition, TableScan } from './plan-report.ts';
import type { ReportScope } from './query.ts';
import { dateOf, type PartitionRead } from './read-segments.ts';
import { columnsOf } from './scan-facts.ts';
import type { SegmentSource } from './segment-source.ts';

/** Market belongs to no advertiser: its partitions are kept under this id. */
export const MARKET_ADVERTISER = 0;
const MARKET_BASES: ReadonlySet<BaseColumn> = new Set<BaseColumn>([
  'date',
  'hour',
  'placement_id',
  'division_banner',
  'keyword',
  'experience',
]);

/** @returns whether market can be grouped and filtered by the base column. */
export function isMarketBase(base: BaseColumn): boolean {
  return MARKET_BASES.has(base);
}

/** @returns what to read of each scanned table: the partitions of the window that exist, without the days that a condition on the date or the advertiser drops. */
export async function planReads(
  source: SegmentSource,
  plan: Plan,
  scope: ReportScope,
  joins: Joins,
  heads: ReadonlyMap<number, FactHead>,
): Promise<{ scan: TableScan; partitions: PartitionRead[] }[]> {
  const passing = scope.advertiserIds.filter((id) => passesConstants(plan.rowConditions, joins, id, plan));
  return await Promise.all(
    plan.scans.map(async (scan) => {
      const refs = passing.flatMap((id) => partitionsOf(plan, heads.get(id), scan.table));
      return { scan, partitions: await readDays(source, plan, joins, refs, columnsOf(plan, scan), plan.rowConditions) };
    }),
  );
}

/** @returns what to read of market. */
export async function planMarketReads(
  source: SegmentSource,
  plan: Plan,
  joins: Joins,
  head: FactHead | undefined,
  conditions: readonly RowCondition[],
): Promise<PartitionRead[]> {
  const bases = [...plan.axes.map((it) => it.base), ...conditions.map((it) => it.base)].filter(isMarketBase);
  const stored = [...new Set(bases)].filter((base) => base !== 'date' && base !== 'experience');
  return await readDays(
    source,
    plan,
    joins,
    partitionsOf(plan, head, 'market'),
    [...stored, 'market_impressions'],
    conditions,
  );
}

function partitionsOf(plan: Plan, head: FactHead | undefined, table: TableScan['table'] | 'market'): PartitionRef[] {
  if (head === undefined) return [];
  const { experience, startDate, endDate } = plan.query;
  const existing = new Set(head.months.get(experience)?.get(table) ?? []);
  const months = monthsBetween(dayNumber(startDate), dayNumber(endDate)).filter((month) => existing.has(month));
  return months.map((month) => ({ advertiserId: head.advertiserId, experience, table, month }));
}

async function readDays(
  source: SegmentSource,
  plan: Plan,
  joins: Joins,
  refs: readonly PartitionRef[],
  columns: readonly string[],
  conditions: readonly RowCondition[],
): Promise<PartitionRead[]> {
  const { startDate, endDate } = plan.query;
  const onDate = conditions.filter((it) => it.base === 'date');
  const counts = (ref: PartitionRef, entry: DayEntry) => {
    const date = dateOf(ref, entry);
    return (
      date >= startDate &&
      date <= endDate &&
      onDate.every((it) => it.passes(joins.valueOf(it.field, ref.advertiserId, date)))
    );
  };
  const manifests = await source.manifests(refs);
  return manifests
    .map(({ ref, days }) => ({ ref, days: days.filter((entry) => entry.rows > 0 && counts(ref, entry)), columns }))
    .filter((it) => it.days.length > 0);
}

function passesConstants(conditions: readonly RowCondition[], joins: Joins, advertiserId: number, plan: Plan): boolean {
  return conditions.every(({ base, field, passes }) => {
    if (base === 'advertiser') return passes(joins.valueOf(field, advertiserId, advertiserId));
    return base !== 'experience' || passes(plan.query.experience);
  });
}
