import { describe, expect, test } from 'vitest';
import { CellCodes } from '../../shared/load/cell-codes.ts';
import { type ColumnCoder, codeByLookup, codeMeasure } from '../../shared/load/code-column.ts';
import { Invalid } from '../../shared/load/invalid.ts';
import { readPlainNdjson } from '../../shared/load/read-plain-ndjson.ts';
import { CodedPiece, type ColumnPiece } from '../../shared/load/row-batch.ts';

const DECIMAL = { kind: 'decimal', places: 2 } as const;

/** Codes of texts by their length; nothing else is allowed. */
const textsOnly = () =>
  codeByLookup((raw) => (typeof raw === 'string' ? raw.length : new Invalid(`must be text, not ${raw}`)), false);

function code(coder: ColumnCoder, rows: number, pieces: readonly ColumnPiece[]): { codes: number[]; wrong: unknown[] } {
  const out = new Float64Array(rows);
  const wrong: unknown[] = [];
  coder(pieces, out, (row, reason) => void wrong.push([row, reason]));
  return { codes: [...out], wrong };
}

/** The values of a column as the quick reader of JSON finds them. */
async function cells(...values: unknown[]): Promise<ColumnPiece> {
  const text = values.map((it) => `${JSON.stringify({ value: it })}\n`).join('');
  const [piece] = (await readPlainNdjson({ bytes: Buffer.from(text), line: 1 })?.read('value')) ?? [];
  if (piece?.cells === undefined) throw new Error('these are no plain lines');
  return piece;
}

const values = (...given: unknown[]): ColumnPiece => ({ values: given, from: 0, to: given.length });
const coded = (dictionary: unknown[], ...indices: number[]): ColumnPiece =>
  new CodedPiece({ dictionary, indices }, 0, indices.length);

describe('the same values are coded alike, however a file has them', () => {
  test('texts', async () => {
    const expected = { codes: [1, 3, 0, 3, 1], wrong: [] };
    expect(code(textsOnly(), 5, [values('a', 'bcd', null, 'bcd', 'a')])).toEqual(expected);
    expect(code(textsOnly(), 5, [coded(['bcd', 'a', null], 1, 0, 2, 0, 1)])).toEqual(expected);
    expect(code(textsOnly(), 5, [await cells('a', 'bcd', null, 'bcd', 'a')])).toEqual(expected);
    expect(code(textsOnly(), 5, [values('a'), coded(['bcd', null], 0, 1), await cells('bcd', 'a')])).toEqual(expected);
  });

  test('measures, those of which nothing is said being 0, those that are wrong told by their rows', async () => {
    const measure = () => codeMeasure(DECIMAL, 2, false);
    const expected = { codes: [150, 0, Number.NaN, 1200, 150], wrong: [[2, expect.stringContaining('0.125')]] };
    expect(code(measure(), 5, [values(1.5, null, 0.125, 12, 1.5)])).toEqual(expected);
    expect(code(measure(), 5, [values('1.50', '', '0.125', '12', '1.5')])).toEqual(expected);
    expect(code(measure(), 5, [coded([1.5, 0.125, 12n, null], 0, 3, 1, 2, 0)])).toEqual(expected);
    expect(code(measure(), 5, [await cells(1.5, null, 0.125, 12, 1.5)])).toEqual(expected);
    expect(code(measure(), 5, [await cells('1.5', '', '0.125', '12.00', '1.5')])).toEqual(expected);
  });

  test('measures with zeros after their decimals', async () => {
    const counts = () => codeMeasure({ kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER }, 0, false);
    const expected = { codes: [1, 200, 0, 12, Number.NaN], wrong: [[4, expect.stringContaining('"1.5"')]] };
    expect(code(counts(), 5, [values('1.0', '200.000', '0.0', '12', '1.5')])).toEqual(expected);
    expect(code(counts(), 5, [await cells('1.0', '200.000', '0.0', '12', '1.5')])).toEqual(expected);
    const money = [await cells('1.250', '0.0100000', '1.2500000000', '7.000000')];
    expect(code(codeMeasure(DECIMAL, 2, false), 4, money)).toEqual({ codes: [125, 1, 125, 700], wrong: [] });
  });

  test('what is required and absent, or wrong, is told for every row of it', async () => {
    const required = () => codeMeasure(DECIMAL, 2, true);
    const wrong = [
      [0, 'is required'],
      [2, 'is required'],
      [3, 'is required'],
    ];
    expect(code(required(), 4, [values(null, 1, null)]).wrong).toEqual(wrong);
    expect(code(required(), 4, [coded([1, null], 1, 0, 1)]).wrong).toEqual(wrong);
    expect(code(required(), 4, [await cells(null, 1, null)]).wrong).toEqual(wrong);
    expect(code(textsOnly(), 2, [coded([7, null], 0, 0)]).wrong).toEqual([
      [0, 'must be text, not 7'],
      [1, 'must be text, not 7'],
    ]);
  });

  test('a number is not taken for the text that it was before', async () => {
    const coder = textsOnly();
    expect(code(coder, 1, [await cells('123')])).toEqual({ codes: [3], wrong: [] });
    expect(code(coder, 1, [await cells(123)])).toEqual({ codes: [0], wrong: [[0, 'must be text, not 123']] });
  });
});

test('cells are found again by their bytes, and all forgotten when they become too many', () => {
  const known = new CellCodes(3_000);
  const cell = (i: number) => Buffer.from(`..${i * 7919}..`);
  const find = (i: number) => known.find(cell(i), 2, cell(i).length - 2);
  for (let i = 0; i < 3_000; i++) {
    expect(find(i)).toBe(-1);
    known.add(cell(i), 2, cell(i).length - 2, i);
  }
  for (let i = 0; i < 3_000; i++) expect(find(i)).toBe(i);
  known.add(cell(3_000), 2, cell(3_000).length - 2, 3_000);
  expect([find(0), find(2_999), find(3_000)]).toEqual([-1, -1, 3_000]);
});

test('cells that are long are forgotten before they take much memory', () => {
  const known = new CellCodes(1_000);
  const cell = (i: number) => Buffer.alloc(1 << 20, `cell ${i} `);
  for (let i = 0; i < 70; i++) known.add(cell(i), 0, 1 << 20, i);
  expect(known.find(cell(0), 0, 1 << 20)).toBe(-1);
  expect(known.find(cell(69), 0, 1 << 20)).toBe(69);
});
