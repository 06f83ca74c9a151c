import { EXPERIENCES, type Experience, FACT_TABLES, type FactTable } from '../../catalog/tables.ts';
import { type DayRange, daysOfRanges, formatRanges, parseRanges, rangesOf } from '../../layout/day-ranges.ts';
import type { EncodedTable } from '../../layout/partitions.ts';
import { DAY_MS } from '../../lib/calendar.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { asRecord } from '../table/item.ts';

/** How long changes are kept, in days. */
export const KEPT_DAYS = 400;

/** What a load did to days: they had no rows before, they had other rows, or they have none any more. */
export type ChangeKind = 'loaded' | 'restated' | 'emptied';
const KINDS = ['loaded', 'restated', 'emptied'] as const satisfies readonly ChangeKind[];

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
  readonly experience: Experience;
  readonly table: FactTable;
  readonly kind: ChangeKind;
  /** Ascending. */
  readonly ranges: readonly DayRange[];
}

/** When each listing and day of an advertiser was last changed, in milliseconds since 1970; each day is there once. */
export interface ChangeLog {
  readonly listings: ReadonlyMap<LoggedListing, number>;
  /** Ascending by time, experience, table and kind. */
  readonly days: readonly LoggedDays[];
  /** The time of the newest change that is no longer kept; 0: all are. */
  readonly dropped: number;
}

const NO_CHANGES: ChangeLog = { listings: new Map(), days: [], dropped: 0 };

/** A day that a load changes. */
export interface ChangedDay extends Omit<LoggedDays, 'at' | 'ranges'> {
  readonly day: number;
}

/** What one load changes of an advertiser. */
export interface AdvertiserChange {
  readonly listings?: ReadonlySet<LoggedListing> | undefined;
  readonly days?: readonly ChangedDay[] | undefined;
}

const keyOf = ({ experience, table }: Pick<LoggedDays, 'experience' | 'table'>) => `${experience}/${table}`;
const rankOf = ({ at, experience, table, kind }: LoggedDays) =>
  [at, EXPERIENCES.indexOf(experience), FACT_TABLES.indexOf(table), KINDS.indexOf(kind)] as const;

/** @returns the log after a load at `at`, without what is older than KEPT_DAYS */
export function addChange(
  log: ChangeLog,
  at: number,
  { listings = new Set(), days = [] }: AdvertiserChange,
): ChangeLog {
  const changed = new Map([...Map.groupBy(days, keyOf)].map(([key, own]) => [key, new Set(own.map(({ day }) => day))]));
  const kept = log.days.flatMap((entry) => {
    const replaced = changed.get(keyOf(entry));
    if (replaced === undefined) return [entry];
    return [{ ...entry, ranges: rangesOf(new Set(daysOfRanges(entry.ranges)).difference(replaced)) }];
  });
  const added = [...Map.groupBy(days, (day) => `${keyOf(day)}/${day.kind}`).values()].flatMap((own) =>
    own.slice(0, 1).map(({ experience, table, kind }) => {
      return { at, experience, table, kind, ranges: rangesOf(own.map(({ day }) => day)) };
    }),
  );
  const isOld = (entry: LoggedDays) => entry.at < at - KEPT_DAYS * DAY_MS;
  const changes = [...kept, ...added].filter(({ ranges }) => ranges.length > 0);
  return {
    listings: new Map([...log.listings, ...[...listings].map((name) => [name, at] as const)]),
    days: changes.filter((entry) => !isOld(entry)).sort((a, b) => compareLists(rankOf(a), rankOf(b))),
    dropped: Math.max(log.dropped, ...changes.filter(isOld).map((entry) => entry.at)),
  };
}

/** @returns the order of two lists of numbers of equal length */
export function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

const COLUMN = 'changes';

/** Times and days are differences from those before, which of one load a night are alike: 400 nights take about 4 KB. */
export function encodeChangeLog({ listings, days, dropped }: ChangeLog): EncodedTable {
  // tables whose days have changed alike are one row
  const rows = [...Map.groupBy(days, ({ at, kind, ranges }) => `${at} ${kind} ${formatRanges(ranges)}`).values()];
  const firsts = rows.flatMap(([first]) => (first === undefined ? [] : [first]));
  const value = {
    ...{ listings: Object.fromEntries([...listings].sort()), dropped },
    at: firsts.map(({ at }, index) => at - (firsts[index - 1]?.at ?? 0)),
    what: rows.map((own) => [own[0]?.kind, ...own.map(keyOf)].join(' ')),
    days: firsts.map(({ ranges }, index) => formatRanges(shift(ranges, -firstDay(firsts[index - 1]?.ranges)))),
  };
  return { rows: rows.length + listings.size, columns: new Map([[COLUMN, compressJson(value)]]) };
}

/** @returns the log that `encodeChangeLog` encoded. @throws Error if it is damaged */
export function decodeChangeLog(encoded: EncodedTable | undefined): ChangeLog {
  const bytes = encoded?.columns.get(COLUMN);
  if (bytes === undefined) return NO_CHANGES;
  const { listings, dropped, at: times, what, days } = asRecord(decompressJson(bytes, 'a log of changes')) ?? {};
  if (!Array.isArray(times) || !Array.isArray(what) || !Array.isArray(days))
    throw new Error('a log of changes is not readable');
  const logged = asRecord(listings) ?? {};
  let [at, day] = [0, 0];
  const entries = what.flatMap((text, index) => {
    at += Number(times[index]);
    const ranges = shift(parseRanges(String(days[index])), day);
    day = firstDay(ranges);
    const [kindName, ...tables] = String(text).split(' ');
    return KINDS.filter((kind) => kind === kindName).flatMap((kind) =>
      EXPERIENCES.flatMap((experience) =>
        FACT_TABLES.filter((table) => tables.includes(keyOf({ experience, table }))).map((table) => {
          return { at, experience, table, kind, ranges };
        }),
      ),
    );
  });
  return {
    listings: new Map(LOGGED_LISTINGS.filter((name) => name in logged).map((name) => [name, Number(logged[name])])),
    days: entries.sort((a, b) => compareLists(rankOf(a), rankOf(b))),
    dropped: Number(dropped),
  };
}

const firstDay = (ranges: readonly DayRange[] | undefined): number => ranges?.[0]?.[0] ?? 0;
const shift = (ranges: readonly DayRange[], by: number): DayRange[] =>
  ranges.map(([first, last]) => [first + by, last + by]);
