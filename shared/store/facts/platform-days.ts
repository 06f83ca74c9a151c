import type { Experience } from '../../catalog/tables.ts';
import { decodeKeys, expandKeys } from '../../columns/coded-keys.ts';
import type { DayRange } from '../../layout/day-ranges.ts';
import { lastCompleteDay } from '../../layout/last-complete-day.ts';
import { PLATFORM_ID } from '../../layout/partitions.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { Snapshot } from '../commit/commits.ts';
import { readEncodedTables } from '../commit/encoded-tables.ts';
import { dimensionRef, factHeadRef } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import { decodeFactHead } from './fact-heads.ts';

/** The days with delivery of any advertiser, and what the table `freshness` states, by its key. */
export interface PlatformDays {
  readonly delivered: ReadonlyMap<Experience, readonly DayRange[]>;
  readonly stated: ReadonlyMap<string, string | undefined>;
}

/** Reads the platform's fact head and the table `freshness`. */
export async function readPlatformDays(table: Table, snapshot: Snapshot): Promise<PlatformDays> {
  const refs = [factHeadRef(PLATFORM_ID), dimensionRef('freshness', PLATFORM_ID)];
  const [head, freshness] = await readEncodedTables(table, refs, snapshot);
  const days = head === undefined ? [] : (decodeFactHead(PLATFORM_ID, head).days ?? []);
  const column = (name: string) => {
    const encoded = freshness?.columns.get(name);
    return encoded === undefined ? [] : expandKeys(decodeKeys(encoded, `freshness.${name}`)).map(String);
  };
  const stated = column('completeThrough');
  return {
    delivered: new Map([...days].map(([experience, lists]) => [experience, lists.get('delivery') ?? []])),
    stated: new Map(column('key').map((key, row) => [key, stated[row]])),
  };
}

/**
 * @param today as a day number
 * @returns the first day with delivery of any advertiser, and the day through which the data of these advertisers is complete as reports find it; undefined without delivery
 */
export function findDays(
  { delivered, stated }: PlatformDays,
  experience: Experience,
  advertiserIds: readonly number[],
  today: number,
) {
  const ranges = delivered.get(experience) ?? [];
  const [first] = ranges;
  if (first === undefined) return undefined;
  const lastDay = lastCompleteDay(ranges, today);
  const ofAll = stated.get(`${experience}/`) ?? null;
  const last = advertiserIds.map((id) => lastDay(stated.get(`${experience}/${id}`) ?? ofAll));
  return { from: formatDay(first[0]), completeThrough: last.filter((day) => day !== null).sort()[0] ?? null };
}
