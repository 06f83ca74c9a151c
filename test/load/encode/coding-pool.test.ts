import { describe, expect, test } from 'vitest';
import type { KeyColumn } from '../../../shared/catalog/tables.ts';
import { readBlocks } from '../../../shared/load/encode/blocks.ts';
import type { References } from '../../../shared/load/encode/code-facts.ts';
import type { CodedSection, FactFile } from '../../../shared/load/encode/code-section.ts';
import { openCodingPool } from '../../../shared/load/encode/coding-pool.ts';
import { storedColumns } from '../../../shared/load/schema/fact-columns.ts';
import type { Section } from '../../../shared/load/source/sections.ts';
import { USER_ID_KEY } from '../../support/user-id-key.ts';

const MANY_BYTES = 1 << 30;

type TextSection = Extract<Section, { format: 'ndjson' }>;

describe('a coding pool', () => {
  const REFERENCES: References = {
    timeZone: 'UTC',
    userIdKey: USER_ID_KEY,
    productIds: 'upc',
    ids: new Map([['ad_groups', new Set([7])]]),
    texts: new Map(),
    owners: new Map([[7, 3]]),
    creatives: new Set(),
    products: new Map(),
    chosenProducts: new Map(),
  };
  const ACTIVITY: FactFile = { experience: 'pla', table: 'activity', names: {}, partitions: new Map(), nullWords: [] };
  const DELIVERY: FactFile = { experience: 'pla', table: 'delivery', names: {}, partitions: new Map(), nullWords: [] };

  function section(line: number, ...rows: readonly object[]): TextSection {
    const bytes = new Uint8Array(Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
    return { format: 'ndjson', block: { bytes, line } };
  }

  /** @returns the values of a text column of a section's one day */
  function valuesOf({ rows, facts }: CodedSection, column: KeyColumn): unknown[] {
    const { codes = [], dictionary = [] } =
      readBlocks(storedColumns('delivery'), rows, facts?.bytes ?? new Uint8Array(0)).keys.get(column) ?? {};
    return Array.from(codes, (code) => dictionary[code]);
  }

  test('gives each section the texts of its own rows, whichever thread read them first', async () => {
    const coding = openCodingPool(MANY_BYTES, 2);
    coding.setReferences(REFERENCES, 10);
    const keywords = Array.from({ length: 40 }, (_, i) => [`word ${i % 7}`, `word ${i}`]);
    const sections = keywords.map((words, i) =>
      section(i, ...words.map((keyword) => ({ daily_date: '2026-03-01', hour: 1, ad_group_id: 7, keyword }))),
    );
    const coded = await Promise.all(sections.map((section) => coding.code(DELIVERY, section)));
    expect(coded.map((section) => section.problems)).toEqual(sections.map(() => ({ first: [], unseen: 0 })));
    expect(coded.map((section) => valuesOf(section, 'keyword'))).toEqual(keywords);
    await coding.close();
  });

  test('reports bytes that are not text as unreadable from a thread', async () => {
    const coding = openCodingPool(MANY_BYTES, 2);
    coding.setReferences(REFERENCES, 10);
    const block = { bytes: Uint8Array.from([0x0a, 0xff, 0x0a]), line: 7 };
    const coded = await coding.code(ACTIVITY, { format: 'ndjson', block });
    await coding.close();
    expect(coded).toEqual({
      rows: 0,
      columns: [],
      emptyRow: undefined,
      problems: { first: [], unseen: 0 },
      findings: [],
      unreadable: { line: 8, reason: expect.stringContaining('is not UTF-8') },
    });
  });

  test('fails with the error of a thread, also for sections that wait for one', async () => {
    const failing = openCodingPool(MANY_BYTES, 2); // without references, no section can be coded
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map((line) => failing.code(ACTIVITY, section(line))));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(outcomes.map(() => 'rejected'));
    await expect(failing.code(ACTIVITY, section(6))).rejects.toThrow('a thread of the load has failed');
    await failing.close();
  });
});
