import { type DimensionName, dimensionOf } from '../catalog/dimensions.ts';
import { dayNumber, formatDay, type Weekday } from '../lib/calendar.ts';
import { alignDates, type PeriodDays } from '../lib/compared-period.ts';
import type { Deadline } from '../lib/deadline.ts';
import type { DimensionValues } from './finish/dimension-values.ts';
import type { ReportValue } from './query/query.ts';
import { GroupTable } from './scan/group-table.ts';

/** In place of the number of a group: the period has no such group, and its sums are 0, or null because there is no data. */
export const NO_FACTS = 0;
const NO_DATA = -1;

/** Groups that are joined between two checks of the deadline. */
const PART_GROUPS = 16_384;

interface PeriodGroups {
  readonly groups: Uint32Array;
  readonly dimensions: readonly DimensionValues[];
  readonly range: PeriodDays;
  /** @returns whether anybody has data on the day */
  readonly hasDataOn: (day: number) => boolean;
}

/** The groups of two periods, joined by the values of their dimensions. */
interface JoinedGroups {
  readonly groups: Uint32Array;
  readonly dimensions: readonly DimensionValues[];
  /** By joined group, the group of each period, or NO_FACTS or NO_DATA. */
  readonly now: Int32Array;
  readonly before: Int32Array;
}

/**
 * Joins the groups of a period and of the one that it is compared with. Dates at the same position of both periods are equal; joined groups have those of `now`. If `now`
 * has more days, weeks, months or quarters, the last ones have no data to compare with; if it has fewer, the last ones of `before` are left out.
 * @throws ApiError DEADLINE_EXCEEDED
 */
export function joinGroups(
  now: PeriodGroups,
  before: PeriodGroups,
  weekStartsOn: Weekday,
  deadline: Deadline,
): JoinedGroups {
  const values = {
    now: now.dimensions.map((dimension) => dimension.values),
    before: moveDates(before, now.range, weekStartsOn),
  };
  const absentBefore = findAbsent(now, moveDates(now, before.range, weekStartsOn), before);
  const absentNow = findAbsent(before, values.before, now);
  const included = before.groups.filter((group) => absentNow(group) !== BEYOND);
  const codes = now.dimensions.map(() => new Map<ReportValue, number>());
  const [nowCodes, beforeCodes] = [translate(values.now, codes, deadline), translate(values.before, codes, deadline)];
  const table = new GroupTable(codes.length);
  table.fit(codes.map(({ size }) => size));
  const add = (dimensions: readonly DimensionValues[], translated: readonly Uint32Array[], groups: Uint32Array) => {
    const added = new Uint32Array(groups.length);
    for (let from = 0; from < groups.length; from += PART_GROUPS) {
      deadline.check();
      const part = groups.subarray(from, from + PART_GROUPS);
      const keys = dimensions.map(({ codeOf }, i) => part.map((group) => translated[i]?.[codeOf(group)] ?? 0));
      added.set(table.addKeys(keys, part.length), from);
    }
    return added;
  };
  const joined = {
    now: add(now.dimensions, nowCodes, now.groups),
    before: add(before.dimensions, beforeCodes, included),
  };
  const groupsOf = { now: new Int32Array(table.size + 1), before: new Int32Array(table.size + 1) };
  joined.now.forEach((group, i) => {
    const own = now.groups[i] ?? 0;
    groupsOf.now[group] = own;
    groupsOf.before[group] = absentBefore(own) === NO_FACTS ? NO_FACTS : NO_DATA;
  });
  joined.before.forEach((group, i) => {
    const own = included[i] ?? 0;
    groupsOf.before[group] = own;
    if (groupsOf.now[group] === NO_FACTS) groupsOf.now[group] = absentNow(own);
  });
  const dimensions = now.dimensions.map(({ name }, i) => ({
    name,
    values: [...(codes[i]?.keys() ?? [])],
    codeOf: (group: number) => table.codeAt(group, i),
  }));
  return { groups: table.groups(), dimensions, ...groupsOf };
}

/** The other period ends before the date at the same position. */
const BEYOND = -2;
type Absent = typeof NO_FACTS | typeof NO_DATA | typeof BEYOND;

/**
 * @param moved the values of each dimension, with dates of the other period
 * @returns a function that returns why the other period has no group such as the given one
 */
function findAbsent(
  { dimensions }: PeriodGroups,
  moved: readonly (readonly ReportValue[])[],
  other: PeriodGroups,
): (group: number) => Absent {
  const at = dimensions.findIndex(({ name }) => isDate(name));
  const dates = dimensions[at];
  if (dates === undefined) return () => NO_FACTS;
  const lists = moved.filter((_, i) => isDate(dimensions[i]?.name));
  const days = moved[dimensions.findIndex(({ name }) => name === 'daily_date')];
  const lastDate = formatDay(other.range.last);
  // all dates of a group have the same code, because they are of one axis
  const absent = dates.values.map((_, code): Absent => {
    if (lists.some((list) => String(list[code]) > lastDate)) return BEYOND;
    return days === undefined || other.hasDataOn(dayNumber(String(days[code]))) ? NO_FACTS : NO_DATA;
  });
  return (group) => absent[dates.codeOf(group)] ?? NO_FACTS;
}

function isDate(name: DimensionName | undefined): boolean {
  return name !== undefined && dimensionOf(name).type === 'date' && isOfDay(name);
}

/** @returns whether the day alone determines the value */
function isOfDay(name: DimensionName): boolean {
  return dimensionOf(name).base === 'date';
}

/**
 * @returns the values of each dimension by code, with dates at the same position of the other range. With a day, weeks, months, quarters and weekdays are
 * those of the moved day, because the n-th day need not be in the n-th week; without one, weekdays stay as they are.
 */
function moveDates({ dimensions, range }: PeriodGroups, to: PeriodDays, weekStartsOn: Weekday): ReportValue[][] {
  const days = dimensions.find(({ name }) => name === 'daily_date')?.values;
  const movedDays = days?.map((date) => dayNumber(String(date)) + to.first - range.first);
  return dimensions.map(({ name, values }) => {
    if (!isOfDay(name)) return [...values];
    const { ofDay = formatDay } = dimensionOf(name);
    if (movedDays !== undefined) return movedDays.map((day) => ofDay(day, weekStartsOn));
    if (!isDate(name)) return [...values];
    const move = alignDates(range, to, name, weekStartsOn);
    return values.map((date) => move(String(date)));
  });
}

/** @returns for each dimension, the code of each value among `codes`, to which new values are added */
function translate(
  values: readonly (readonly ReportValue[])[],
  codes: readonly Map<ReportValue, number>[],
  deadline: Deadline,
): Uint32Array[] {
  return codes.map((known, i) => {
    deadline.check();
    return Uint32Array.from(values[i] ?? [], (value) => {
      const code = known.get(value);
      if (code !== undefined) return code;
      known.set(value, known.size);
      return known.size - 1;
    });
  });
}
