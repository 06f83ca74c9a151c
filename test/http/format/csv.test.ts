import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type CsvColumn, toCsv } from '../../../shared/http/format/csv.ts';

const PLAIN: Parameters<typeof toCsv>[2] = { bom: false, formulas: 'unchanged' };
const ESCAPED: typeof PLAIN = { bom: false, formulas: 'escaped' };

const TYPES: Readonly<Record<string, CsvColumn['type']>> = {
  day: 'date',
  name: 'text',
  count: 'integer',
  rate: 'decimal',
};

const columns = (...names: readonly string[]) => names.map((name) => ({ name, type: TYPES[name] }));

/** @returns the lines of the CSV */
const linesOf = (names: readonly string[], rows: readonly Record<string, unknown>[], options = PLAIN) =>
  toCsv(columns(...names), rows, options).split('\r\n');

const folder = await mkdtemp(join(tmpdir(), 'endcap-test-'));
const database = await DuckDBInstance.create(':memory:');
const connection = await database.connect();
afterAll(async () => {
  connection.closeSync();
  database.closeSync();
  await rm(folder, { recursive: true });
});

/** @returns the rows as DuckDB reads them with the given types, or with those that it detects */
async function readBack(csv: string, types?: Readonly<Record<string, string>>): Promise<unknown[][]> {
  const file = join(folder, 'file.csv');
  await writeFile(file, csv);
  const list = Object.entries(types ?? {}).map(([name, type]) => `'${name}': '${type}'`);
  const option =
    types === undefined
      ? ''
      : `, columns = {${list.join(', ')}}, auto_detect = false, header = true, quote = '"', escape = '"', new_line = '\\r\\n'`;
  const result = await connection.runAndReadAll(
    `SELECT * FROM read_csv('${file}'${option}, allow_quoted_nulls = false)`,
  );
  return result.getRowsJS();
}

test.each([
  ['Period: 2026-02-01 to 2026-02-02', '# Period: 2026-02-01 to 2026-02-02'],
  ['two\r\nlines\tand a tab', '# two lines and a tab'],
  ['names: a,=1+1; =2', "# names: a,'=1+1;' =2"],
  ['names: a, "b', "# names: a, 'b"],
  ['=1', '# =1'],
])('a comment is one line, begins with # and holds no formula: %s', (comment, expected) => {
  expect(toCsv(columns('count'), [{ count: 1 }], ESCAPED, [comment]).split('\r\n')).toEqual([
    expected,
    'count',
    '1',
    '',
  ]);
});

describe('CSV', () => {
  test('has a header line, texts in quotation marks, and lines that end with CR LF', () => {
    const row = { day: '2026-02-01', name: 'Chips', count: 3, rate: 0.25, active: true };
    expect(toCsv(columns('day', 'name', 'count', 'rate', 'active'), [row], PLAIN)).toBe(
      'day,name,count,rate,active\r\n2026-02-01,"Chips",3,0.25,true\r\n',
    );
  });

  test('doubles quotation marks in texts, and keeps commas and line breaks', () => {
    expect(toCsv(columns('name'), [{ name: '6" pie,\r\nfrozen' }], PLAIN)).toBe('name\r\n"6"" pie,\r\nfrozen"\r\n');
  });

  test('distinguishes null, which is empty, and an empty text', () => {
    expect(linesOf(['name', 'count'], [{ name: null, count: null }, { name: '' }])).toEqual([
      'name,count',
      ',',
      '"",',
      '',
    ]);
  });

  test('writes null as "" if there is only one column, because readers skip empty lines', async () => {
    const csv = toCsv(columns('keyword'), [{ keyword: null }, { keyword: 'tea' }], PLAIN);
    expect(csv).toBe('keyword\r\n""\r\n"tea"\r\n');
    expect(await readBack(csv)).toHaveLength(2);
  });

  test('writes lists as one text', () => {
    expect(linesOf(['ids', 'names'], [{ ids: [1, 2], names: ['a', 'b'] }])[1]).toBe('"1, 2","a, b"');
  });

  test('begins with a byte order mark if that is wanted', () => {
    expect(toCsv(columns('name'), [], { bom: true, formulas: 'unchanged' })).toBe('\ufeffname\r\n');
    expect(toCsv(columns('name'), [], PLAIN)).toBe('name\r\n');
  });

  test.each([
    [0, '0'],
    [-0, '0'],
    [1_234.5, '1234.5'],
    [0.1 + 0.2, '0.30000000000000004'],
    [8_589_934_591.123457, '8589934591.123457'],
    [0.000001, '0.000001'],
    [1e-7, '0.0000001'],
    [-1.25e-9, '-0.00000000125'],
    [1e21, '1000000000000000000000'],
    [1.5e300, `15${'0'.repeat(299)}`],
    [-1.234e21, '-1234000000000000000000'],
  ])('writes %d as %s: without an exponent, and without separators of thousands', (value, text) => {
    expect(toCsv(columns('n'), [{ n: value }], PLAIN)).toBe(`n\r\n${text}\r\n`);
  });

  test('writes a whole number in a column of decimals with a decimal point, so that no reader takes the column for integers', () => {
    const rows = [{ rate: 0, count: 0 }, { rate: 12, count: 12 }, { rate: 1e21 }, { rate: 0.5 }];
    expect(linesOf(['rate', 'count'], rows).slice(1, 5)).toEqual([
      '0.0,0',
      '12.0,12',
      '1000000000000000000000.0,',
      '0.5,',
    ]);
  });

  test('writes every number so that it reads as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const [, text = ''] = toCsv(columns('n'), [{ n: value }], PLAIN).split('\r\n');
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text) + 0).toBe(value + 0);
      }),
    );
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1+1', '\t=1', '\rx', '\nx', '＝1+1', '－1', '\u00a0=1'])(
    'with formulas=escaped has an apostrophe before the text %j, and none without',
    (text) => {
      expect(toCsv(columns('name'), [{ name: text }], ESCAPED)).toBe(`name\r\n"'${text}"\r\n`);
      expect(toCsv(columns('name'), [{ name: text }], PLAIN)).toBe(`name\r\n"${text}"\r\n`);
    },
  );

  /**
   * Where lists are separated by semicolons, as in Germany, a spreadsheet splits a line at semicolons and line breaks: quotation marks count only at the
   * beginning of a field, and the field of all columns but the first begins with another column.
   */
  test.each([
    ['a;=1+1;b', "a;'=1+1;b"],
    ['a; -1;+2', "a;' -1;'+2"],
    ['a\n=1+1', "a\n'=1+1"],
    ['a\r\n@SUM(A1)', "a\r\n'@SUM(A1)"],
    ['=1;=2', "'=1;'=2"],
    ['\n=1', "'\n'=1"],
    ['a;"=1+1', 'a;\'""=1+1'],
    ['a;b = 5-10, c-d', 'a;b = 5-10, c-d'],
  ])('with formulas=escaped has an apostrophe in %j where a spreadsheet could begin a cell', (text, escaped) => {
    expect(toCsv(columns('count', 'name'), [{ count: 1, name: text }], ESCAPED)).toBe(
      `count,name\r\n1,"${escaped}"\r\n`,
    );
  });

  test('with formulas=escaped leaves negative numbers, dates and other texts as they are', () => {
    const row = { day: '2026-02-01', name: "'s Best = 5-10", count: -3 };
    expect(linesOf(['day', 'name', 'count'], [row], ESCAPED)[1]).toBe('2026-02-01,"\'s Best = 5-10",-3');
  });

  test('is read by DuckDB with the values that were written, whatever the texts are', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', "'", '=', ' ', 'a') }),
    );
    const row = fc.record({
      name: fc.option(text.filter((value) => !value.includes('\0'))),
      count: fc.option(fc.maxSafeInteger()),
      rate: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        const csv = toCsv(columns('name', 'count', 'rate'), rows, PLAIN);
        const read = await readBack(csv, { name: 'VARCHAR', count: 'BIGINT', rate: 'DOUBLE' });
        expect(
          read.map(([name, count, rate]) => ({
            name,
            count: count === null ? null : Number(count),
            rate: rate === null ? null : Number(rate) + 0,
          })),
        ).toEqual(
          rows.map(({ name, count, rate }) => ({
            name,
            count: count === null ? null : count + 0,
            rate: rate === null ? null : rate + 0,
          })),
        );
      }),
      { numRuns: 50 },
    );
  });

  test('has dates, numbers and texts whose types DuckDB detects', async () => {
    const rows = [
      { day: '2026-02-01', name: 'Chips', count: 3, rate: 0.25 },
      { day: '2026-02-02', name: null, count: null, rate: 1e-9 },
    ];
    const csv = toCsv(columns('day', 'name', 'count', 'rate'), rows, { bom: true, formulas: 'unchanged' });
    expect(await readBack(csv)).toEqual([
      [new Date('2026-02-01'), 'Chips', 3n, 0.25],
      [new Date('2026-02-02'), null, null, 1e-9],
    ]);
  });
});
