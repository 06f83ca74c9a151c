import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeyColumn } from '../../shared/catalog/tables.ts';
import { ByteWriter } from '../../shared/columns/bytes.ts';
import type { KeyValue } from '../../shared/columns/column.ts';
import { joinPieces } from '../../shared/lib/join-pieces.ts';
import { storedColumns } from '../../shared/load/code-facts.ts';
import type { CodedSection, FactFile } from '../../shared/load/code-section.ts';
import { encodeSpilled } from '../../shared/load/encode-spilled.ts';
import type { KnownKeys } from '../../shared/load/key-codes.ts';
import { type LoadPool, openPool } from '../../shared/load/load-pool.ts';
import type { EncodeTask } from '../../shared/load/load-work.ts';
import { readBlocks } from '../../shared/load/read-blocks.ts';
import type { RowBatch } from '../../shared/load/row-batch.ts';
import type { Section } from '../../shared/load/sections.ts';
import { writeBlock } from '../../shared/load/write-block.ts';

const MANY_BYTES = 1 << 30;
let pool: LoadPool;

beforeAll(() => {
  pool = openPool(MANY_BYTES, 2);
});
afterAll(() => pool.close());

/** A day of ten rows of two keywords. */
function day(number: number): Omit<EncodeTask, 'kind'> {
  const rows = Array.from({ length: 10 }, (_, row) => row);
  const writer = new ByteWriter();
  writeBlock(writer, storedColumns('delivery'), {
    rows: 10,
    keys: new Map<KeyColumn, KeyValue[]>([
      ['hour', rows.map(() => 5)],
      ['ad_group_id', rows.map((row) => 7 + (row % 2))],
      ['keyword', rows.map((row) => ((row + number) % 2 === 0 ? 'milk' : null))],
    ]),
    measures: new Map([['clicks', Float64Array.from(rows, (row) => row * number)]]),
    users: { rows: 10, offsets: Uint32Array.from([...rows, 10]), hashes: Float64Array.from(rows, (row) => row % 3) },
  });
  const bytes = new Uint8Array(writer.finish());
  return { days: [{ table: 'delivery', day: number, rows: 10, length: bytes.length }], bytes };
}

/** Several days, to be encoded together. */
function days(...numbers: readonly number[]): Omit<EncodeTask, 'kind'> {
  const all = numbers.map(day);
  return { days: all.flatMap((it) => it.days), bytes: joinPieces(all.map((it) => it.bytes)) };
}

describe('days', () => {
  test('are encoded by threads as by the calling thread, however many are given at once', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    const encoded = await Promise.all(numbers.map((it) => pool.encode(day(it))));
    expect(encoded).toEqual(numbers.map((it) => encodeSpilled(day(it).days, day(it).bytes).days));
  });

  test('come out the same alone and together, and lie in one buffer', async () => {
    const together = await pool.encode(days(3, 1, 2));
    expect(together).toEqual((await Promise.all([3, 1, 2].map((it) => pool.encode(day(it))))).flat());
    const arrays = together.flatMap(({ encoded, rolled }) => [...encoded.columns.values(), ...rolled.values()]);
    expect(new Set(arrays.map((it) => it.bytes.buffer)).size).toBe(1);
  });

  test('are encoded by the calling thread where loads are small, or may not make threads', async () => {
    for (const other of [openPool(1000, 2), openPool(MANY_BYTES, 0), openPool(MANY_BYTES, 1)]) {
      expect(other.atOnce).toBe(1);
      expect(await other.encode(days(3, 4))).toEqual([...(await pool.encode(day(3))), ...(await pool.encode(day(4)))]);
      await other.close();
    }
  });

  test('that cannot be encoded are an error, also for those that wait for a thread', async () => {
    const failing = openPool(MANY_BYTES, 2);
    const broken = () => ({ ...day(1), days: day(1).days.map((it) => ({ ...it, rows: 11 })) });
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map(() => failing.encode(broken())));
    expect(outcomes.map((it) => it.status)).toEqual(outcomes.map(() => 'rejected'));
    await expect(failing.encode(day(1))).rejects.toThrow('a thread of the load has failed');
    await failing.close();
  });
});

describe('sections', () => {
  const KNOWN: KnownKeys = {
    timeZone: 'UTC',
    creatives: { texts: [], advertisers: [] },
    products: { texts: [], advertisers: [] },
    adGroups: { listing: 'ad_groups', ids: [7], isDamaged: false },
    owners: [3],
    placements: { listing: 'placements', ids: [], isDamaged: false },
  };
  const FILE: FactFile = { experience: 'pla', table: 'activity', splitLists: false };
  const DELIVERY: FactFile = { experience: 'pla', table: 'delivery', splitLists: false };

  function section(line: number, ...rows: readonly object[]): Section {
    const bytes = new Uint8Array(Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
    return {
      source: { format: 'ndjson', block: { bytes, line } },
      workerBytes: 0,
      read: () => Promise.reject(new Error('this is read by a thread')),
    };
  }

  /** @returns the values of a text column of a section's one day */
  function valuesOf({ rows, facts }: CodedSection, column: KeyColumn): unknown[] {
    const { codes = [], dictionary = [] } =
      readBlocks(storedColumns('delivery'), rows, facts?.bytes ?? new Uint8Array(0)).keys.get(column) ?? {};
    return Array.from(codes, (code) => dictionary[code]);
  }

  test('have the texts of their own rows, whichever thread has met them first', async () => {
    const coding = openPool(MANY_BYTES, 2);
    coding.know(KNOWN, 10);
    const keywords = Array.from({ length: 40 }, (_, i) => [`word ${i % 7}`, `word ${i}`]);
    const sections = keywords.map((words, i) =>
      section(i, ...words.map((keyword) => ({ daily_date: '2026-03-01', hour: 1, ad_group_id: 7, keyword }))),
    );
    const coded = await Promise.all(sections.map((it) => coding.code(DELIVERY, it)));
    expect(coded.map((it) => it.problems)).toEqual(sections.map(() => ({ first: [], unseen: 0 })));
    expect(coded.map((it) => valuesOf(it, 'keyword'))).toEqual(keywords);
    await coding.close();
  });

  test('that only the calling thread can read are coded side by side, whichever can be read first', async () => {
    const coding = openPool(MANY_BYTES, 2);
    coding.know(KNOWN, 10);
    const local = Array.from({ length: 6 }, (_, i): Section => {
      const row = {
        daily_date: '2026-03-01',
        hour: 1,
        ad_group_id: 7,
        division_banner: `banner ${i % 4}`,
        keyword: `word ${i}`,
      };
      const batch: RowBatch = {
        rows: 1,
        lineOf: () => 1,
        read: async (column) => {
          await sleep(6 - i); // the later, the sooner
          const value: unknown = Object.entries(row).find(([name]) => name === column)?.[1];
          return value === undefined ? [] : [value];
        },
      };
      return { source: undefined, workerBytes: 0, read: async () => batch };
    });
    const coded = await Promise.all(local.map((it) => coding.code(DELIVERY, it)));
    expect(coded.map((it) => [valuesOf(it, 'division_banner'), valuesOf(it, 'keyword')])).toEqual(
      local.map((_, i) => [[`banner ${i % 4}`], [`word ${i}`]]),
    );
    await coding.close();
  });

  test('tell what is wrong with them by their lines', async () => {
    pool.know(KNOWN, 10);
    const row = { daily_date: '2026-03-01', hour: 1, ad_group_id: 7, live_seconds: 1, scheduled_seconds: 1 };
    const coded = await pool.code(FILE, section(101, row, { ...row, hour: 24 }, [], { ...row, more: 1 }));
    expect(coded).toMatchObject({
      problems: {
        first: [
          { line: 103, field: null, reason: 'must be a JSON object, not []' },
          { line: 102, field: 'hour', reason: 'must be an integer from 0 to 23, not 24' },
        ],
        unseen: 0,
      },
      rows: 3,
    });
    expect(coded.facts).toBeUndefined();
    expect(coded.columns).toContainEqual(['more', 104]);
  });

  test('whose bytes are no text are told as unreadable', async () => {
    pool.know(KNOWN, 10);
    const block = { bytes: Uint8Array.from([0x0a, 0xff, 0x0a]), line: 7 };
    const coded = await pool.code(FILE, { ...section(7), source: { format: 'ndjson', block } });
    expect(coded).toEqual({
      rows: 0,
      columns: [],
      problems: { first: [], unseen: 0 },
      findings: [],
      unreadable: { line: 8, reason: 'is not UTF-8' },
    });
  });
});
