import type { FactTable } from '../../../shared/catalog/tables.ts';
import { type FactHead, PLATFORM_ID, type RunEntry } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import { dayNumber } from '../../../shared/lib/calendar.ts';

/** The experience of the facts. All metrics are defined in it: in pla, video metrics would be null without being read. */
export const EXPERIENCE = 'carousel' as const;

/** A day of encoded facts. */
export interface BenchDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly rows: number;
  /** @returns the encoded columns by name */
  readColumns(): ReadonlyMap<string, Uint8Array>;
}

/** @returns a source with these days of advertiser 1 in EXPERIENCE, without rollups and dimension tables */
export function daySource(table: FactTable, days: readonly BenchDay[]): SegmentSource {
  const entries = days.map((day) => ({ day, entry: entryOf(day) }));
  const months = Map.groupBy(entries, ({ day }) => day.date.slice(0, 7));
  const head = {
    advertiserId: 1,
    months: new Map([[EXPERIENCE, new Map([[table, [...months.keys()]]])]]),
    latestDelivery: new Map(),
    versions: new Map([[EXPERIENCE, 1]]),
  };
  const loaded = days.map(({ date }) => [dayNumber(date), dayNumber(date)] as const);
  const platform = { ...head, advertiserId: PLATFORM_ID, days: new Map([[EXPERIENCE, new Map([[table, loaded]])]]) };
  const heads = new Map<number, FactHead>([
    [1, head],
    [PLATFORM_ID, platform],
  ]);
  return {
    factHeads: async () => heads,
    advertiserShards: async () => [],
    manifests: async (refs) =>
      refs.map((ref) => ({ ref, runs: (months.get(ref.month) ?? []).map((day) => day.entry) })),
    async *runs(reads) {
      for (const { ref, runs: wanted } of reads) {
        for (const { day, entry } of months.get(ref.month) ?? []) {
          if (wanted.includes(entry)) yield { ref, run: entry, columns: day.readColumns() };
        }
      }
    },
    async *rollups() {},
    dimensionTables: async () => new Map(),
  };
}

/** The sizes of columns are not stated, so that they decide nothing. */
function entryOf({ date, rows, readColumns }: BenchDay): RunEntry {
  return {
    day: Number(date.slice(8)),
    version: 1,
    rows,
    days: [{ day: Number(date.slice(8)), rows, hours: 24 }],
    columns: new Map([...readColumns().keys()].map((name) => [name, { chunks: 1, bytes: 0, distinct: 0 }])),
  };
}
