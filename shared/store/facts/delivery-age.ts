import { type Experience, FACT_TABLES, type FactTable } from '../../catalog/tables.ts';
import { PLATFORM_ID } from '../../layout/partitions.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { Clock } from '../../lib/clock.ts';
import { readState } from '../commit/commit-state.ts';
import type { Table } from '../table/table.ts';
import { readFactHeads } from './manifests.ts';

/** How old the data of an experience is: the latest day of the fact table whose latest day is the earliest. */
interface DeliveryAge {
  readonly experience: Experience;
  readonly table: FactTable;
  readonly latestDay: string;
  /** Hours to one decimal since the end of the day, by a wall clock in the platform's time zone; negative before that end. */
  readonly hoursSinceDelivery: number;
}

/**
 * @returns the ages of the experiences that have facts
 * @throws ApiError STORE_INCONSISTENT if part of the platform's fact head is missing; Error if it is damaged
 */
export async function readDeliveryAges(table: Table, timeZone: string, clock: Clock): Promise<DeliveryAge[]> {
  const heads = await readFactHeads(table, [PLATFORM_ID], await readState(table));
  const now = wallClockHours(clock(), timeZone);
  return [...(heads.get(PLATFORM_ID)?.days ?? [])].flatMap(([experience, tables]) => {
    const latest = FACT_TABLES.flatMap(
      (table) =>
        tables
          .get(table)
          ?.at(-1)
          ?.slice(1)
          .map((day) => ({ table, day })) ?? [],
    );
    const [oldest] = latest.sort((a, b) => a.day - b.day);
    if (oldest === undefined) return [];
    const { table, day } = oldest;
    const hoursSinceDelivery = Math.round((now - 24 * (day + 1)) * 10) / 10;
    return [{ experience, table, latestDay: formatDay(day), hoursSinceDelivery }];
  });
}

/** @returns the hours from 1970-01-01 00:00 to the date and time that a clock in the time zone shows */
function wallClockHours(now: number, timeZone: string): number {
  const shown = new Date(now).toLocaleString('sv-SE', { timeZone }); // 2026-03-01 23:59:59
  return Date.parse(`${shown.replace(' ', 'T')}Z`) / 3_600_000;
}
