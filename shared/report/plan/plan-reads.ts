import type { DayEntry, FactHead, PartitionRef, RollupRef } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-source.ts';
import type { BaseColumn } from '../../catalog/tables.ts';
import { USER_BANDS } from '../../columns/column.ts';
import { dayNumber, monthsBetween } from '../../lib/calendar.ts';
import type { ReportScope, ReportValue } from '../query.ts';
import type { Joins } from './joins.ts';
import type { Plan, RowCondition, TableScan } from './plan-report.ts';
import {
  cubeHas,
  dateOf,
  firstBands,
  type PartitionRead,
  type Reads,
  type RollupRead,
  storedColumns,
} from './reads.ts';

/** A rollup has the users of its whole month: for fewer days of it, the days themselves are less to read. */
const FEWEST_DAYS_FOR_ROLLED_UP_USERS = 8;

/**
 * @returns what to read of each scanned table: rollups where the report needs no more than they have, else the days of the window that
 * exist, without those that a condition on the date or the advertiser drops
 */
export async function planReads(
  source: SegmentSource,
  plan: Plan,
  scope: ReportScope,
  joins: Joins,
  heads: ReadonlyMap<number, FactHead>,
): Promise<Reads> {
  const passing = scope.advertiserIds.filter((id) => passesConstants(plan.rowConditions, joins, id, plan));
  const bases = basesOf(plan);
  const rolledUp = plan.scans.filter(({ table, users }) => {
    if (table === 'market' || (users && windowDays(plan) < FEWEST_DAYS_FOR_ROLLED_UP_USERS)) return false;
    return bases.every((base) => cubeHas(table, base));
  });
  const rollups = rolledUp.length === 0 ? [] : passing.flatMap((id) => rollupsOf(plan, heads.get(id)));
  const covered = new Set(rollups.map(({ ref }) => monthKey(ref)));
  const scans = await Promise.all(
    plan.scans.map(async (scan) => {
      const refs = passing
        .flatMap((id) => partitionsOf(plan, heads.get(id), scan.table))
        .filter((ref) => !rolledUp.includes(scan) || !covered.has(monthKey(ref)));
      const needed =
        plan.pacing !== undefined && scan.table === 'delivery' ? [...scan.measures, 'cost'] : scan.measures;
      const columns = [...storedColumns(scan, bases), ...new Set(needed)];
      return { scan, partitions: await readDays(source, plan, joins, refs, columns, plan.rowConditions) };
    }),
  );
  const userBands = firstBands(usersBytes(scans, rollups, rolledUp));
  const bandColumns = userBands.map((it) => it.column);
  const days = scans.map(({ scan, partitions }) => {
    if (!scan.users) return { scan, partitions };
    return { scan, partitions: partitions.map((it) => ({ ...it, columns: [...it.columns, ...bandColumns] })) };
  });
  return { days, rollups, rolledUp, userBands };
}

function windowDays({ query }: Plan): number {
  return dayNumber(query.endDate) - dayNumber(query.startDate) + 1;
}

/** @returns what the users of all bands would take to read. */
function usersBytes(scans: Reads['days'], rollups: readonly RollupRead[], rolledUp: readonly TableScan[]): number {
  let bytes = 0;
  for (const { column } of USER_BANDS) {
    for (const { scan, partitions } of scans) {
      if (!scan.users) continue;
      for (const { days } of partitions) for (const day of days) bytes += day.columns.get(column)?.bytes ?? 0;
    }
    for (const { table, users } of rolledUp) {
      if (users) for (const { entry } of rollups) bytes += entry.users.get(`${table}/${column}`) ?? 0;
    }
  }
  return bytes;
}

/** @returns the base columns that the report groups by, filters on, or tells ad groups apart by. */
function basesOf(plan: Plan): BaseColumn[] {
  const bases: BaseColumn[] = [...plan.axes.map((it) => it.base), ...plan.rowConditions.map((it) => it.base)];
  return plan.attributes || plan.pacing !== undefined ? [...bases, 'ad_group_id'] : bases;
}

/** @returns the condition that a rollup's days lie in the report's window: a month may begin before or end after it. */
export function inWindow(plan: Plan): RowCondition {
  const { startDate, endDate } = plan.query;
  const passes = (date: ReportValue) => String(date) >= startDate && String(date) <= endDate;
  return { base: 'date', field: 'daily_date', passes };
}

/** @returns the rolled-up months of the window that an advertiser (0: market) has. */
export function rollupsOf(plan: Plan, head: FactHead | undefined): RollupRead[] {
  const { experience, startDate, endDate } = plan.query;
  const entries = head?.rollups?.get(experience);
  if (head === undefined || entries === undefined) return [];
  return monthsBetween(dayNumber(startDate), dayNumber(endDate)).flatMap((month) => {
    const entry = entries.get(month);
    return entry === undefined ? [] : [{ ref: { advertiserId: head.advertiserId, experience, month }, entry }];
  });
}

function monthKey({ advertiserId, month }: RollupRef): string {
  return `${advertiserId}/${month}`;
}

/** @returns the partitions of the window that an advertiser (0: market) has. */
export function partitionsOf(
  plan: Plan,
  head: FactHead | undefined,
  table: TableScan['table'] | 'market',
): PartitionRef[] {
  if (head === undefined) return [];
  const { experience, startDate, endDate } = plan.query;
  const existing = new Set(head.months.get(experience)?.get(table) ?? []);
  const months = monthsBetween(dayNumber(startDate), dayNumber(endDate)).filter((month) => existing.has(month));
  return months.map((month) => ({ advertiserId: head.advertiserId, experience, table, month }));
}

/** @returns the days of the partitions that lie in the window and pass the conditions on the date. */
export async function readDays(
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
