import type { DayEntry, FactHead, PartitionRef, RollupEntry, RollupRef } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-source.ts';
import { type BaseColumn, type FactTable, TABLE_KEYS, tableHas } from '../../catalog/tables.ts';
import { USER_BANDS } from '../../columns/column.ts';
import { CUBES, type Cube } from '../../columns/rollup.ts';
import { dayNumber, formatDay, monthsBetween } from '../../lib/calendar.ts';
import { type Deadline, NO_DEADLINE } from '../../lib/deadline.ts';
import type { ReportScope, ReportValue } from '../query.ts';
import type { Joins } from './joins.ts';
import type { Plan, RowCondition, TableScan } from './plan-report.ts';

/** What to read of one partition. */
export interface PartitionRead {
  readonly ref: PartitionRef;
  readonly days: readonly DayEntry[];
  readonly columns: readonly string[];
}

/** A rollup to read. */
export interface RollupRead {
  readonly ref: RollupRef;
  readonly entry: RollupEntry;
}

/** A band of user hashes. */
export type UserBand = (typeof USER_BANDS)[number];

/** What to read for a plan: days of partitions for each scan, and rollups for the scans of `rolledUp`. */
export interface ReadPlan {
  readonly days: readonly { readonly scan: TableScan; readonly partitions: readonly PartitionRead[] }[];
  readonly rollups: readonly RollupRead[];
  readonly rolledUp: readonly TableScan[];
  /** The bands of users to read during the scan. */
  readonly userBands: readonly UserBand[];
  /** Size of these bands, and of the later ones, which are read after the scan where groups are small. */
  readonly userBytes: { readonly first: number; readonly later: number };
}

/** Users are read from rollups only in periods of at least this many days: a rollup has the users of its whole month, so few days are smaller. */
const MIN_DAYS_FOR_ROLLED_UP_USERS = 8;

/** Work of listing the months of one advertiser, in the deadline's units. */
const UNITS_PER_ADVERTISER = 20;

/** Up to this total size, all bands of users are read during the scan: a second pass would cost more than it saves. */
const MAX_SINGLE_PASS_USER_BYTES = 4_000_000;

/**
 * @returns what to read for each scan: rollups where they have all columns that the report needs, else the existing days of the period, without
 * the days and advertisers that the row conditions exclude
 */
export async function planReads(
  source: SegmentSource,
  plan: Plan,
  scope: ReportScope,
  joins: Joins,
  heads: ReadonlyMap<number, FactHead>,
  deadline: Deadline = NO_DEADLINE,
): Promise<ReadPlan> {
  const advertiserIds = scope.advertiserIds.filter((id) => passesConstants(plan, joins, id, deadline));
  const bases = basesOf(plan);
  const rolledUp = plan.scans.filter(({ table, users }) => {
    if (table === 'market' || (users && windowDays(plan) < MIN_DAYS_FOR_ROLLED_UP_USERS)) return false;
    return bases.every((base) => cubeHas(table, base));
  });
  const rollups = rolledUp.length === 0 ? [] : advertiserIds.flatMap((id) => rollupsOf(plan, heads.get(id), deadline));
  const covered = new Set(rollups.map(({ ref }) => monthKey(ref)));
  const scans = await Promise.all(
    plan.scans.map(async (scan) => {
      const refs = advertiserIds
        .flatMap((id) => partitionsOf(plan, heads.get(id), scan.table, deadline))
        .filter((ref) => !rolledUp.includes(scan) || !covered.has(monthKey(ref)));
      const needed =
        plan.pacing !== undefined && scan.table === 'delivery' ? [...scan.measures, 'cost'] : scan.measures;
      const columns = [...storedColumns(scan.table, bases), ...new Set(needed)];
      return { scan, partitions: await readDays(source, plan, joins, refs, columns, plan.rowConditions, deadline) };
    }),
  );
  const [band = 0, ...others] = USER_BANDS.map(({ column }) => userBytes(scans, rollups, rolledUp, column, deadline));
  const all = others.reduce((sum, bytes) => sum + bytes, band);
  const isSinglePass = all <= MAX_SINGLE_PASS_USER_BYTES;
  const userBands = isSinglePass ? USER_BANDS : USER_BANDS.slice(0, 1);
  const first = isSinglePass ? all : band;
  const bandColumns = userBands.map(({ column }) => column);
  const days = scans.map(({ scan, partitions }) => {
    if (!scan.users) return { scan, partitions };
    return { scan, partitions: partitions.map((read) => ({ ...read, columns: [...read.columns, ...bandColumns] })) };
  });
  return { days, rollups, rolledUp, userBands, userBytes: { first, later: all - first } };
}

export function windowDays({ query }: Plan): number {
  return dayNumber(query.endDate) - dayNumber(query.startDate) + 1;
}

/** @returns the size of the users of one band */
function userBytes(
  scans: ReadPlan['days'],
  rollups: readonly RollupRead[],
  rolledUp: readonly TableScan[],
  column: string,
  deadline: Deadline,
): number {
  let bytes = 0;
  for (const { scan, partitions } of scans) {
    if (!scan.users) continue;
    for (const { days } of partitions) {
      deadline.spend(days.length);
      for (const day of days) bytes += day.columns.get(column)?.bytes ?? 0;
    }
  }
  for (const { table, users } of rolledUp) {
    if (users) for (const { entry } of rollups) bytes += entry.users.get(`${table}/${column}`) ?? 0;
  }
  return bytes;
}

/** @returns the base columns that the report groups by, filters by, or needs to identify ad groups */
function basesOf(plan: Plan): BaseColumn[] {
  const bases: BaseColumn[] = [...plan.axes, ...plan.rowConditions].map(({ base }) => base);
  return plan.attributes || plan.pacing !== undefined ? [...bases, 'ad_group_id'] : bases;
}

/** @returns the condition that the days of a rollup are in the report's period, which may cover only part of the month */
export function inWindow(plan: Plan): RowCondition {
  const { startDate, endDate } = plan.query;
  const passes = (date: ReportValue) => String(date) >= startDate && String(date) <= endDate;
  return { base: 'date', field: 'daily_date', passes, searches: 0 };
}

/** @returns the existing rollups of an advertiser in the period */
function rollupsOf(plan: Plan, head: FactHead | undefined, deadline: Deadline = NO_DEADLINE): RollupRead[] {
  deadline.spend(UNITS_PER_ADVERTISER);
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

/** @returns the existing partitions of an advertiser (`PLATFORM_ID` for market) in the period */
export function partitionsOf(
  plan: Plan,
  head: FactHead | undefined,
  table: FactTable,
  deadline: Deadline = NO_DEADLINE,
): PartitionRef[] {
  deadline.spend(UNITS_PER_ADVERTISER);
  if (head === undefined) return [];
  const { experience, startDate, endDate } = plan.query;
  const existing = new Set(head.months.get(experience)?.get(table) ?? []);
  const months = monthsBetween(dayNumber(startDate), dayNumber(endDate)).filter((month) => existing.has(month));
  return months.map((month) => ({ advertiserId: head.advertiserId, experience, table, month }));
}

/** @returns what to read of the partitions: the given columns of the days that are in the period and pass the conditions on the date */
export async function readDays(
  source: SegmentSource,
  plan: Plan,
  joins: Joins,
  refs: readonly PartitionRef[],
  columns: readonly string[],
  conditions: readonly RowCondition[],
  deadline: Deadline = NO_DEADLINE,
): Promise<PartitionRead[]> {
  const isRead = datesOf(plan, joins, conditions, deadline);
  const manifests = await source.manifests(refs);
  return manifests
    .map(({ ref, days }) => ({
      ref,
      days: days.filter((entry) => entry.rows > 0 && isRead(dateOf(ref, entry))),
      columns,
    }))
    .filter(({ days }) => days.length > 0);
}

/** @returns a function that returns whether a date is in the period and passes the conditions on dates */
export function datesOf(
  plan: Plan,
  joins: Joins,
  conditions: readonly RowCondition[],
  deadline: Deadline = NO_DEADLINE,
): (date: string) => boolean {
  const { startDate, endDate } = plan.query;
  const onDates = conditions.filter(({ base }) => base === 'date');
  return (date) => {
    deadline.spend();
    return (
      date >= startDate &&
      date <= endDate &&
      onDates.every(({ field, passes, searches }) => {
        deadline.spend(1 + searches);
        return passes(joins.valueOf(field, 0, date));
      })
    );
  };
}

/** @returns the days of the period that pass the conditions on dates, ascending, whether or not they have facts */
export function daysOf(
  plan: Plan,
  joins: Joins,
  conditions: readonly RowCondition[],
  deadline: Deadline = NO_DEADLINE,
): number[] {
  const { startDate, endDate } = plan.query;
  const passes = datesOf(plan, joins, conditions, deadline);
  const days: number[] = [];
  for (let day = dayNumber(startDate); day <= dayNumber(endDate); day++) if (passes(formatDay(day))) days.push(day);
  return days;
}

/** @returns whether the advertiser passes the conditions on what is constant within a partition */
export function passesConstants(
  plan: Plan,
  joins: Joins,
  advertiserId: number,
  deadline: Deadline = NO_DEADLINE,
): boolean {
  return plan.rowConditions.every(({ base, field, passes, searches }) => {
    deadline.spend(1 + searches);
    if (base === 'advertiser') return passes(joins.valueOf(field, advertiserId, advertiserId));
    return base !== 'experience' || passes(plan.query.experience);
  });
}

/** @returns whether the cube's rows can be broken down by `base` */
function cubeHas(cube: Cube, base: BaseColumn): boolean {
  const { table, keys } = CUBES[cube];
  if (base === 'advertiser' || base === 'experience') return tableHas(table, base);
  return (keys as readonly BaseColumn[]).includes(base);
}

/** @returns the day as `YYYY-MM-DD` */
export function dateOf(ref: PartitionRef, entry: DayEntry): string {
  return `${ref.month}-${String(entry.day).padStart(2, '0')}`;
}

/** @returns those of `bases` that are stored as columns of the table */
export function storedColumns(table: FactTable, bases: readonly BaseColumn[]): string[] {
  return [...new Set(bases)].filter(
    (base) => base !== 'date' && (TABLE_KEYS[table] as readonly string[]).includes(base),
  );
}
