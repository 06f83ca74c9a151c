import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FactFile } from '../../shared/load/code-section.ts';
import { encodeSpilled } from '../../shared/load/encode-spilled.ts';
import { type KnownKeys, keyDecoders } from '../../shared/load/key-codes.ts';
import { type LoadPool, openPool } from '../../shared/load/load-pool.ts';
import type { EncodeTask } from '../../shared/load/load-work.ts';
import { MergedTexts } from '../../shared/load/merge-texts.ts';
import type { RowBatch } from '../../shared/load/row-batch.ts';
import type { Section } from '../../shared/load/sections.ts';

const MANY_BYTES = 1 << 30;
let pool: LoadPool;

beforeAll(() => {
  pool = openPool(MANY_BYTES, 2);
});
afterAll(() => pool.close());

/** A day of ten rows of two keywords. */
function day(number: number): Omit<EncodeTask, 'kind'> {
  const rows = Array.from({ length: 10 }, (_, row) => row);
  return {
    table: 'delivery',
    day: number,
    spilled: {
      rows: 10,
      keys: new Map([
        ['hour', { dictionary: [5], codes: new Uint32Array(10) }],
        ['ad_group_id', { dictionary: [7, 8], codes: Uint32Array.from(rows, (row) => row % 2) }],
        ['keyword', { dictionary: ['milk', null], codes: Uint32Array.from(rows, (row) => (row + number) % 2) }],
      ]),
      measures: new Map([['clicks', Float64Array.from(rows, (row) => row * number)]]),
      users: { offsets: Uint32Array.from([...rows, 10]), hashes: Float64Array.from(rows, (row) => row % 3) },
    },
  };
}

describe('days', () => {
  test('are encoded by threads as by the calling thread, however many are given at once', async () => {
    const days = Array.from({ length: 20 }, (_, index) => index + 1);
    const encoded = await Promise.all(days.map((it) => pool.encode(day(it))));
    expect(encoded).toEqual(days.map((it) => encodeSpilled('delivery', it, day(it).spilled)));
  });

  test('are encoded by the calling thread where loads are small, or may not make threads', async () => {
    for (const other of [openPool(1000, 2), openPool(MANY_BYTES, 0), openPool(MANY_BYTES, 1)]) {
      expect(other.atOnce).toBe(1);
      expect(await other.encode(day(3))).toEqual(encodeSpilled('delivery', 3, day(3).spilled));
      await other.close();
    }
  });

  test('that cannot be encoded are an error, also for those that wait for a thread', async () => {
    const failing = openPool(MANY_BYTES, 2);
    const broken = { ...day(1), spilled: { ...day(1).spilled, rows: -1 } };
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4, 5].map(() => failing.encode({ ...broken, spilled: { ...broken.spilled } })),
    );
    expect(outcomes.map((it) => it.status)).toEqual(outcomes.map(() => 'rejected'));
    await expect(failing.encode(day(1))).rejects.toThrow('a thread of the load has failed');
    await failing.close();
  });
});

describe('sections', () => {
  const KNOWN: KnownKeys = {
    adGroups: { listing: 'ad_groups', ids: [7], isDamaged: false },
    placements: { listing: 'placements', ids: [], isDamaged: false },
  };
  const FILE: FactFile = { experience: 'pla', table: 'activity', splitLists: false };
  const DELIVERY: FactFile = { experience: 'pla', table: 'delivery', splitLists: false };

  function section(line: number, ...rows: readonly object[]): Section {
    const bytes = new Uint8Array(Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
    return {
      source: { format: 'ndjson', block: { bytes, line } },
      bytesElsewhere: 0,
      read: () => Promise.reject(new Error('this is read by a thread')),
    };
  }

  test('have the texts of all threads, each under one code, whichever thread met them first', async () => {
    const coding = openPool(MANY_BYTES, 2);
    coding.know(KNOWN, 10);
    const keywords = Array.from({ length: 40 }, (_, i) => [`word ${i % 7}`, `word ${i}`]);
    const sections = keywords.map((words, i) =>
      section(i, ...words.map((keyword) => ({ daily_date: '2026-03-01', hour: 1, ad_group_id: 7, keyword }))),
    );
    const merged = new MergedTexts();
    const found: unknown[] = [];
    for (const { coder, coded } of await Promise.all(sections.map((it) => coding.code(DELIVERY, it)))) {
      expect(coded.problems).toEqual({ first: [], unseen: 0 });
      merged.add(coder, coded.newTexts);
      const column = coded.facts?.columns[4] ?? new Float64Array(0); // hour, ad group, placement, banner, keyword
      merged.translate(coder, column);
      found.push(Array.from(column, keyDecoders(KNOWN, merged.texts).keyword));
    }
    expect(found).toEqual(keywords);
    await coding.close();
  });

  test('that only the calling thread can read have texts of their own, whichever can be read first', async () => {
    const coding = openPool(MANY_BYTES, 2);
    coding.know(KNOWN, 10);
    const merged = new MergedTexts();
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
          return value === undefined ? [] : [{ values: [value], from: 0, to: 1 }];
        },
      };
      return { source: undefined, bytesElsewhere: 0, read: async () => batch };
    });
    const found: unknown[] = [];
    for (const { coder, coded } of await Promise.all(local.map((it) => coding.code(DELIVERY, it)))) {
      merged.add(coder, coded.newTexts);
      const texts = [3, 4].map((index) => {
        const column = coded.facts?.columns[index] ?? new Float64Array(0);
        merged.translate(coder, column);
        return keyDecoders(KNOWN, merged.texts).keyword(column[0] ?? 0);
      });
      found.push(texts);
    }
    expect(found).toEqual(local.map((_, i) => [`banner ${i % 4}`, `word ${i}`]));
    await coding.close();
  });

  test('tell what is wrong with them by their lines', async () => {
    pool.know(KNOWN, 10);
    const row = { daily_date: '2026-03-01', hour: 1, ad_group_id: 7, live_seconds: 1, scheduled_seconds: 1 };
    const { coded } = await pool.code(FILE, section(101, row, { ...row, hour: 24 }, [], { ...row, more: 1 }));
    expect(coded).toMatchObject({
      problems: {
        first: [
          { line: 103, field: null, reason: 'must be a JSON object, not []' },
          { line: 102, field: 'hour', reason: 'must be an integer from 0 to 23, not 24' },
        ],
        unseen: 0,
      },
      facts: { rows: 3 },
    });
    expect(coded.columns).toContainEqual(['more', 104]);
  });

  test('whose bytes are no text are told as unreadable', async () => {
    pool.know(KNOWN, 10);
    const block = { bytes: Uint8Array.from([0x0a, 0xff, 0x0a]), line: 7 };
    const { coded } = await pool.code(FILE, { ...section(7), source: { format: 'ndjson', block } });
    expect(coded).toEqual({
      newTexts: [],
      columns: [],
      problems: { first: [], unseen: 0 },
      unreadable: { line: 8, reason: 'is not UTF-8' },
    });
  });
});
