import { describe, expect, test } from 'vitest';
import { type ColumnCoder, codeByLookup, codeMeasure } from '../../../shared/load/code/code-column.ts';
import { Invalid } from '../../../shared/load/schema/value-types.ts';

const DECIMAL = { kind: 'decimal', places: 2 } as const;
const COUNT = { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER } as const;

/** @returns a coder that codes texts by their length and rejects everything else */
const textsOnly = (required = false) =>
  codeByLookup((raw) => (typeof raw === 'string' ? raw.length : new Invalid(`must be text, not ${raw}`)), required);

function code(
  coder: ColumnCoder,
  values: readonly unknown[],
  rows = values.length,
): { codes: number[]; wrong: unknown[] } {
  const out = new Float64Array(rows);
  const wrong: unknown[] = [];
  coder(values, out, (row, reason) => void wrong.push([row, reason]));
  return { codes: [...out], wrong };
}

describe('columns whose values are looked up', () => {
  test('code each value, and rows without a value as 0', () => {
    expect(code(textsOnly(), ['a', 'bcd', null, 'bcd', '', 'a'], 7)).toEqual({
      codes: [1, 3, 0, 3, 0, 1, 0],
      wrong: [],
    });
  });

  test('report a wrong value in every row that has it', () => {
    const wrong = [0, 1, 3].map((row) => [row, 'must be text, not 7']);
    expect(code(textsOnly(), [7, 7, 'a', 7])).toEqual({ codes: [0, 0, 1, 0], wrong });
  });

  test('do not confuse a number with the equal text', () => {
    const coder = textsOnly();
    expect(code(coder, ['123'])).toEqual({ codes: [3], wrong: [] });
    expect(code(coder, [123]).wrong).toEqual([[0, 'must be text, not 123']]);
  });
});

describe('measures', () => {
  test.each([
    ['numbers', [1.5, null, 0.125, 12, 1.5]],
    ['texts', ['1.50', '', '0.125', '12', '1.5']],
    ['integers of 64 bits', [1.5, undefined, '0.125', 12n, 1.5]],
  ])('written as %s are scaled, absent ones are 0, wrong ones are reported with their row', (_, values) => {
    const expected = { codes: [150, 0, Number.NaN, 1200, 150], wrong: [[2, expect.stringContaining('0.125')]] };
    expect(code(codeMeasure(DECIMAL, 2, false), values)).toEqual(expected);
  });

  test('may have zeros after their decimals', () => {
    const expected = { codes: [1, 200, 0, 12, Number.NaN], wrong: [[4, expect.stringContaining('"1.5"')]] };
    expect(code(codeMeasure(COUNT, 0, false), ['1.0', '200.000', '0.0', '12', '1.5'])).toEqual(expected);
    const money = ['1.250', '0.0100000', '1.2500000000', '7.000000'];
    expect(code(codeMeasure(DECIMAL, 2, false), money)).toEqual({ codes: [125, 1, 125, 700], wrong: [] });
  });
});

test.each([
  ['looked up', textsOnly(true), 'a'],
  ['a measure', codeMeasure(DECIMAL, 2, true), 1],
])('a required column that is %s reports every row without a value', (_, coder, value) => {
  expect(code(coder, [null, value, ''], 4).wrong).toEqual([0, 2, 3].map((row) => [row, 'is required']));
});
