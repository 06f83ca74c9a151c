import { columnName } from '../../catalog/custom-fields.ts';
import { type DayColumn, fileMeasuresOf, type Measure, measureOf } from '../../catalog/tables.ts';
import type { DayRows, PartitionRef, RunEntry } from '../../layout/partitions.ts';
import { formatAmount } from '../../lib/format-amount.ts';
import { PARTS_OF } from '../schema/fact-columns.ts';
import type { UsualDay } from './usual-day.ts';

/** A day as stored before a load, and its run. */
export interface StoredBefore extends DayRows {
  readonly run: RunEntry;
}

/** What a load has written of a day. */
export interface DayContent {
  /** Of market, after the load; 0 in other tables. */
  readonly impressions: number;
  /** Key columns that have values after the load, `users` among them. */
  readonly valued: readonly string[];
  /** The key columns of custom fields by which the day has more than five times the rows that it has without one of them. */
  readonly multiplied: readonly string[];
  /** What no file with rows of the day has. */
  readonly unmeasured: readonly DayColumn[];
  /** Measures that the day lacks, and the advertiser's latest day with delivery before the load has; and keys that it lacks as the first. */
  readonly ceased: readonly DayColumn[];
  /** Whether it keeps rows without hours beside those with hours of the folder. */
  readonly isMixed: boolean;
  /** Whether it keeps hours that have other measures than the folder has of it. */
  readonly isPartial: boolean;
  /** Whether an hour that clocks repeat replaces a stored one, which may be the other one of the two. */
  readonly isHalf: boolean;
}

/** A day that a load has changed. */
export interface WrittenDay extends DayContent {
  readonly ref: PartitionRef;
  /** Of the month, 1–31. */
  readonly day: number;
  /** As stored before the load; undefined if the day had no rows. */
  readonly before: StoredBefore | undefined;
  /** After the load. */
  readonly rows: number;
  /** That have rows after the load. */
  readonly hours: readonly number[];
  /** Whether it is meant to lose rows. */
  readonly mayShrink: boolean;
  /** Whether it may lack rows that a later load has. */
  readonly mayGrow: boolean;
}

export interface Figures {
  readonly rows: number;
  readonly hours: number;
  /** 0 in conversions and activity. */
  readonly impressions: number;
  /** In micros; 0 in all tables but delivery. */
  readonly cost: number;
}

type Sums = ReadonlyMap<Measure, number>;

export interface DayChange
  extends Pick<
    WrittenDay,
    'ref' | 'mayShrink' | 'isMixed' | 'isPartial' | 'isHalf' | 'ceased' | 'unmeasured' | 'multiplied'
  > {
  readonly date: string;
  readonly before: Figures;
  readonly after: Figures;
  /** What its figures are compared with; absent ones are not. */
  readonly usual: UsualDay;
  /** Whether the day loses hours, or more than half of its impressions. */
  readonly shrinks: boolean;
  /** Whether it has no rows any more, though nobody named it. */
  readonly isDropped: boolean;
  readonly sums: { readonly before: Sums; readonly after: Sums };
  /** Key columns with values before the load and none after it, `users` among them. */
  readonly lost: readonly string[];
}

/** @returns warnings of the columns of a table that lose their values, cease, exceed what they are a part of, or multiply rows */
export function warnOfColumns(name: string, changes: readonly DayChange[]): string[] {
  return [
    ...warnOfLoss(name, changes),
    ...warnOfCeased(name, changes),
    ...warnOfExcess(name, changes),
    ...warnOfMultiplied(name, changes),
  ];
}

/** @returns a warning of the measures that have a sum on replaced days, of all advertisers, and none after the load, and of the key columns that lose their values; none if there are none */
function warnOfLoss(name: string, changes: readonly DayChange[]): string[] {
  const replaced = changes.filter(({ before, after }) => before.rows > 0 && after.rows > 0);
  const byDate = [...Map.groupBy(replaced, ({ date }) => date).values()];
  const total = (days: readonly DayChange[], measure: Measure, when: 'before' | 'after') =>
    days.reduce((sum, { sums }) => sum + (sums[when].get(measure) ?? 0), 0);
  const onDays = (days: number) => `on ${days} ${days === 1 ? 'day' : 'days'}`;
  const measures = fileMeasuresOf(changes[0]?.ref.table ?? 'delivery').flatMap((measure) => {
    const lost = byDate.filter((days) => total(days, measure, 'before') !== 0 && total(days, measure, 'after') === 0);
    const sum = formatAmount(total(lost.flat(), measure, 'before') / measureOf(measure).scale);
    return lost.length === 0 ? [] : [`${columnName(measure)} (${sum} ${onDays(lost.length)})`];
  });
  const lostKeys = Map.groupBy(
    byDate.flatMap((days) => [...new Set(days.flatMap(({ lost }) => lost))]),
    (key) => key,
  );
  const all = [...measures, ...[...lostKeys].map(([key, days]) => `${columnName(key)} (${onDays(days.length)})`)];
  return all.length === 0
    ? []
    : [`facts/${name}*: replaced days had values before, and have none now, of ${all.join(', ')}`];
}

/** @returns a warning of the measures that new days lack and the latest days before them have, and one of the keys that these are the first to lack */
function warnOfCeased(name: string, changes: readonly DayChange[]): string[] {
  return [true, false].flatMap((isKey) => {
    const isSaid = (column: DayColumn) => column.includes('/') === isKey;
    const added = changes.filter(({ before, ceased }) => before.rows === 0 && ceased.some(isSaid));
    const columns = new Set(added.flatMap(({ ceased }) => ceased.filter(isSaid)));
    const days = new Set(added.map(({ date }) => date)).size;
    if (days === 0) return [];
    const names = [...columns].map((column) => columnName(column.replace(/^.*\//, ''))).sort();
    const what = `facts/${name}*: lacks ${names.join(', ')} on ${days} new ${days === 1 ? 'day' : 'days'}`;
    return isKey
      ? `${what}, unlike other facts: reports by it leave them out`
      : `${what}, unlike the days before: reports leave them out`;
  });
}

function warnOfMultiplied(name: string, changes: readonly DayChange[]): string[] {
  const columns = [...new Set(changes.flatMap(({ multiplied }) => multiplied))];
  return columns.map((column) => {
    const found = changes.filter(({ multiplied }) => multiplied.includes(column));
    const days = `${found.length} advertiser ${found.length === 1 ? 'day' : 'days'}, such as ${found[0]?.date} of advertiser ${found[0]?.ref.advertiserId}`;
    return `facts/${name}*: ${columnName(column)} multiplies the rows of ${days}, by more than five: fold its small values into one before the load (see infra/custom-fields.md)`;
  });
}

/** @returns a warning for each measure that is more than what it is a part of, on days that have both */
function warnOfExcess(name: string, changes: readonly DayChange[]): string[] {
  return PARTS_OF.flatMap(([part, whole]) => {
    const isExceeded = ({ sums: { after } }: DayChange) => (after.get(part) ?? 0) > Math.max(0, after.get(whole) ?? 0);
    const found = changes.filter((change) => !change.unmeasured.includes(whole) && isExceeded(change));
    const [first] = found.toSorted((a, b) => (a.date < b.date ? -1 : 1));
    if (first === undefined) return [];
    const days = `${found.length} advertiser ${found.length === 1 ? 'day' : 'days'}`;
    return `facts/${name}*: ${part} is more than ${whole} on ${days}, such as ${first.date} of advertiser ${first.ref.advertiserId}`;
  });
}
