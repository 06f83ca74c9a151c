import type { Experience, FactTable } from '../../catalog/tables.ts';
import { type DayRange, daysOfRanges, formatRanges, parseRanges, rangesOf } from '../../layout/day-ranges.ts';
import type { EncodedTable } from '../../layout/partitions.ts';
import { DAY_MS } from '../../lib/calendar.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { asRecord } from '../table/item.ts';

/** How long changes are kept, in days. */
const KEPT_DAYS = 400;

/** The listings of an advertiser whose changes are logged; of the platform, `placements`. */
export const LOGGED_LISTINGS = [
  'advertisers',
  'placements',
  'campaigns',
  'ad_groups',
  'creatives',
  'insertion_orders',
  'products',
] as const;
export type LoggedListing = (typeof LOGGED_LISTINGS)[number];

/** Days of a fact table that one load was the last to change. */
export interface LoggedDays {
  readonly at: number;
  /** `<experience>/<table>` */
  readonly table: `${Experience}/${FactTable}`;
  /** The days had no rows before the load, they had other rows, or they have none any more. */
  readonly kind: 'loaded' | 'restated' | 'emptied';
  /** Ascending. */
  readonly ranges: readonly DayRange[];
}

/** A day that a load changes. */
export interface ChangedDay extends Pick<LoggedDays, 'table' | 'kind'> {
  readonly day: number;
}

/** When each listing and day of an advertiser was last changed, in milliseconds since 1970; each day is there once. */
export interface ChangeLog {
  readonly listings: Readonly<Record<string, number>>;
  readonly days: readonly LoggedDays[];
  /** The time of the newest change that is no longer kept; 0: all are. */
  readonly dropped: number;
}

/** What one load changes of an advertiser. */
export interface AdvertiserChange {
  readonly listings?: ReadonlySet<LoggedListing> | undefined;
  readonly days?: readonly ChangedDay[] | undefined;
}

/** @returns the log after a load at `at`, without what is older than KEPT_DAYS */
export function addChange(log: ChangeLog, at: number, { listings, days = [] }: AdvertiserChange): ChangeLog {
  const changed = Map.groupBy(days, ({ table }) => table);
  const kept = log.days.map((entry) => {
    const replaced = new Set(changed.get(entry.table)?.map(({ day }) => day));
    return { ...entry, ranges: rangesOf(new Set(daysOfRanges(entry.ranges)).difference(replaced)) };
  });
  // sorted, because months and tables are written in any order
  const groups = [...Map.groupBy(days, ({ table, kind }) => `${table} ${kind}`)].sort(([a], [b]) => (a < b ? -1 : 1));
  const added = groups.flatMap(([, [first, ...rest]]) =>
    first === undefined
      ? []
      : [{ table: first.table, kind: first.kind, at, ranges: rangesOf([first, ...rest].map(({ day }) => day)) }],
  );
  const { old = [], current = [] } = Object.groupBy([...kept, ...added], (entry) =>
    entry.ranges.length > 0 && entry.at < at - KEPT_DAYS * DAY_MS ? 'old' : 'current',
  );
  return {
    listings: { ...log.listings, ...Object.fromEntries([...(listings ?? [])].sort().map((name) => [name, at])) },
    days: current.filter(({ ranges }) => ranges.length > 0),
    dropped: Math.max(log.dropped, ...old.map((entry) => entry.at)),
  };
}

const COLUMN = 'changes';

/** Times and days are differences to those before: the rows of one load a night are alike then. */
export function encodeChangeLog({ days, ...others }: ChangeLog): EncodedTable {
  let [at, day] = [0, 0];
  // tables whose days have changed alike are one row
  const alike = Map.groupBy(days, (entry) => `${entry.at} ${entry.kind} ${formatRanges(entry.ranges)}`);
  const rows = [...alike.values()].flatMap((entries) =>
    entries.slice(0, 1).map((first) => {
      const row = [
        first.at - at,
        first.kind,
        entries.map(({ table }) => table),
        formatRanges(shift(first.ranges, -day)),
      ];
      [at, day] = [first.at, first.ranges[0]?.[0] ?? 0];
      return row;
    }),
  );
  return { rows: 1, columns: new Map([[COLUMN, compressJson({ ...others, rows })]]) };
}

/** @returns the log that `encodeChangeLog` encoded; an empty one of an advertiser without any. @throws Error if it is damaged */
export function decodeChangeLog(encoded: EncodedTable | undefined): ChangeLog {
  const bytes = encoded?.columns.get(COLUMN);
  if (bytes === undefined) return { listings: {}, days: [], dropped: 0 };
  const { rows, ...others } = asRecord(decompressJson(bytes, 'a log of changes')) ?? {};
  if (!Array.isArray(rows)) throw new Error('a log of changes is not readable');
  let [at, day] = [0, 0];
  const days = rows.flatMap(
    ([later, kind, tables, text]: [number, LoggedDays['kind'], LoggedDays['table'][], string]) => {
      const ranges = shift(parseRanges(text), day);
      [at, day] = [at + later, ranges[0]?.[0] ?? 0];
      return tables.map((table) => ({ at, table, kind, ranges }));
    },
  );
  return { ...(others as Omit<ChangeLog, 'days'>), days }; // encodeChangeLog encoded them
}

const shift = (ranges: readonly DayRange[], by: number): DayRange[] =>
  ranges.map(([first, last]) => [first + by, last + by]);
