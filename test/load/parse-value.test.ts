import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { factColumns } from '../../shared/load/schema/fact-columns.ts';
import { parseScaled, parseValue, type ValueFormat } from '../../shared/load/schema/parse-value.ts';
import { integerOf } from '../../shared/load/schema/text-ids.ts';
import { TimeZone } from '../../shared/load/schema/time-zone.ts';
import {
  BOOLEAN,
  COUNT,
  choice,
  DATE,
  formatValue,
  HOUR,
  ID,
  ID_TEXT,
  Invalid,
  itemList,
  KEY_TEXT,
  LABEL_ID,
  LONG_TEXT,
  list,
  MICRO_MONEY,
  MONEY,
  SIGNED_COUNT,
  TEXT,
  UPC,
  type ValueType,
} from '../../shared/load/schema/value-types.ts';

/** @returns the decimal of the type that is stored with so many places */
const decimal = (places: number, isSigned = false) =>
  ({ kind: 'decimal', places, ...(isSigned ? { isSigned } : {}) }) as const;
const FORMAT: ValueFormat = { splitLists: false, zone: new TimeZone('UTC'), productIds: 'upc', integerOf };

describe('control characters', () => {
  const BREAKS = ['a\tb', 'a\nb', 'a\r\nb'];
  const OTHERS = ['\u0000', 'a\u0000', '\u001b[2J', 'a\u007f', '\u0085', 'e\u0301\u0001'];
  const keyword = factColumns('delivery').find(({ name }) => name === 'keyword')?.type ?? TEXT;
  test.each<[string, ValueType, readonly string[], readonly string[]]>([
    ['names', TEXT, [], [...BREAKS, ...OTHERS]],
    ['ids', ID_TEXT, [], [...BREAKS, ...OTHERS]],
    ['labels', LABEL_ID, [], [...BREAKS, ...OTHERS]],
    ['users of keys', KEY_TEXT, [], [...BREAKS, ...OTHERS]],
    ['descriptions', LONG_TEXT, BREAKS, OTHERS],
    ['keywords', keyword, BREAKS, OTHERS],
  ])('are rejected in %s', (_, type, accepted, rejected) => {
    for (const text of accepted) expect(parseValue(text, type, FORMAT)).toBe(text);
    for (const text of rejected)
      expect(parseValue(text, type, FORMAT)).toEqual(
        new Invalid(expect.stringMatching(/^must have no control characters/)),
      );
  });
});

describe('invisible characters', () => {
  test.each([
    ['\ufeffoats', 'oats', 'a byte order mark'],
    ['oat\u200bs\u2060', 'oats', 'characters of no width'],
    ['oat\u00ads', 'oats', 'a soft hyphen'],
    ['\u202aoats\u202c\u200e', 'oats', 'direction marks'],
    ['oat\u200ds \u200cd\u200c', 'oats d', 'joiners of Latin letters'],
    ['\u0438\u200d', '\u0438', 'a joiner of a Cyrillic letter'],
    ['e\u200b\u0301', '\u00e9', 'one within a letter, which is then in NFC'],
  ])('are removed: %j is read as %j (%s)', (raw, expected) => {
    let removed = 0;
    expect(parseValue(raw, TEXT, { ...FORMAT, onInvisible: () => removed++ })).toBe(expected);
    expect(parseValue(raw, ID_TEXT, FORMAT)).toBe(expected);
    expect(removed).toBe(1);
  });

  test.each([
    ['\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', 'a family'],
    ['\u{1f469}\u{1f3fd}\u200d\u{1f680}', 'a skin tone before the joiner'],
    ['\u{1f3f3}\ufe0f\u200d\u{1f308}', 'a variation selector before the joiner'],
    ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', 'Persian'],
    ['\u0d28\u0d4d\u200d', 'Malayalam'],
    ['\u0915\u094d\u200d\u0937', 'Hindi'],
    ['\u1820\u180e\u1820', 'Mongolian'],
    ['\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', 'the flag of England'],
    ['caf\u00e9 \u3000 \u2014 \u20ac', 'no invisible characters'],
  ])('are kept where emoji and scripts need them: %j (%s)', (raw) => {
    const onInvisible = () => expect.unreachable();
    expect(parseValue(raw, TEXT, { ...FORMAT, onInvisible })).toBe(raw);
  });

  test.each([
    ['\u200b5', COUNT, 5],
    ['2026-03-01\u200e', DATE, '2026-03-01'],
    ['\ufefftrue', BOOLEAN, true],
    ['0000000000017\u200b', UPC, '0000000000017'],
    ['\u200b123', ID, 123],
  ] as const)('are removed from other values, too: %j', (raw, type, expected) => {
    expect(parseValue(raw, type, FORMAT)).toBe(expected);
  });
});

describe('decimals are read exactly', () => {
  test.each<[unknown, number, number]>([
    ['0.1', 6, 100_000],
    ['0.10', 6, 100_000],
    [0.1, 6, 100_000],
    [0.3, 6, 300_000],
    ['0.000001', 6, 1],
    [1e-6, 6, 1],
    [0.000001, 6, 1],
    ['1.2300000000', 6, 1_230_000],
    ['007', 6, 7_000_000],
    [7n, 6, 7_000_000],
    [4.35, 6, 4_350_000],
    [1.005, 3, 1005],
    [1.1, 1, 11],
    ['12e2', 0, 1200],
    [1e3, 0, 1000],
    ['1.5E+1', 0, 15],
    [123456789.123456, 6, 123_456_789_123_456],
    ['9007199254.740991', 6, Number.MAX_SAFE_INTEGER],
    [0, 6, 0],
    [-0, 6, 0],
    ['0.0000000', 6, 0],
    ['-0', 0, 0],
    ['-0.0', 6, 0],
    ['-0.000e5', 6, 0],
  ])('%s with %i places is %i', (raw, places, scaled) => {
    expect(parseScaled(raw, decimal(places))).toBe(scaled);
  });

  test.each<[unknown, number]>([
    ['9007199254.740992', 6],
    [9007199254740992, 0],
    [1e300, 6],
    ['1e999', 6],
    [-1, 6],
    ['-0.5', 6],
    ['-0.000001', 6],
    ['--0', 6],
    [9007199254740994n, 0],
    [10000000000000000n, 6],
    ['+1', 6],
    ['1.', 6],
    ['.5', 6],
    ['1,5', 6],
    ['$1', 6],
    [' 1', 6],
    ['0x10', 6],
    ['NaN', 6],
    [Number.NaN, 6],
    [Number.POSITIVE_INFINITY, 6],
    [true, 6],
    [[1], 6],
    [{}, 6],
  ])('%s with %i places is an error', (raw, places) => {
    expect(parseScaled(raw, decimal(places))).toBeInstanceOf(Invalid);
  });

  test.each<[unknown, number, number]>([
    ['0.0023471', 2_347, -0.1],
    [0.0023471, 2_347, -0.1],
    [6.970000000000001, 6_970_000, -1e-9],
    ['0.0000005', 0, -0.5],
    ['0.0000015', 2, 0.5],
    ['0.0000025', 2, -0.5],
    ['0.00000250000000000000000001', 3, 0.5],
    ['0.00000249999999999999999999', 2, -0.5],
    ['1.9999999', 2_000_000, 0.1],
    ['0.00000005', 0, -0.05],
    [5e-300, 0, -5e-294],
    ['1e-999', 0, 0],
    ['1234567890.1234564999999999999', 1_234_567_890_123_456, -0.5],
    ['-0.0023471', -2_347, 0.1],
    ['-0.0000015', -2, -0.5],
    [-0.0000004, 0, 0.4],
  ])('%s has more than 6 decimals and is rounded half to even to %i millionths', (raw, scaled, change) => {
    const changes: number[] = [];
    expect(parseScaled(raw, decimal(6, true), (by) => changes.push(by))).toBe(scaled);
    expect(changes).toEqual([expect.closeTo(change, 12)]);
  });

  test('are negative only where the column allows it, with the same limit', () => {
    const signed = decimal(6, true);
    const raws = [-1, '-0.5', -12n, '-9007199254.740991', '-0.0', '-1.0e2'];
    const scaled = [-1_000_000, -500_000, -12_000_000, -Number.MAX_SAFE_INTEGER, 0, -100_000_000];
    expect(raws.map((raw) => parseScaled(raw, signed))).toEqual(scaled);
    expect(parseScaled('-9007199254.740992', signed)).toEqual(
      new Invalid('must be at least -9007199254.740991, not "-9007199254.740992"'),
    );
    expect(parseScaled('-0.0000001', MONEY)).toEqual(new Invalid('must be a decimal ≥ 0, not "-0.0000001"'));
    expect(parseScaled('-3.0', SIGNED_COUNT)).toBe(-3);
    expect(parseScaled('-3.5', SIGNED_COUNT)).toEqual(new Invalid('must be an integer, not "-3.5"'));
  });

  test.each([
    [0, '9007199254740991'],
    [3, '9007199254740.991'],
    [6, '9007199254.740991'],
  ])('the largest decimal with %i places is %s, as the error of a larger one says', (places, max) => {
    expect(parseScaled(max, decimal(places))).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseScaled(1e16, decimal(places))).toEqual(new Invalid(`must be at most ${max}, not 10000000000000000`));
  });

  test('digits between zeros take time in proportion to their number: a cell of a million digits once took hours', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(parseScaled(`1${zeros}1`, MONEY)).toBeInstanceOf(Invalid);
    expect(parseScaled(`${zeros}1.5${zeros}`, MONEY)).toBe(1_500_000);
    expect(parseScaled(`0.${zeros}1`, MONEY)).toBe(0);
  });

  test('every number of micros is read back from its text, and from its double below 10^15', () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (micros) => {
        const digits = String(micros).padStart(7, '0');
        const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
        expect(parseScaled(text, MONEY)).toBe(micros);
        if (micros < 1e15) expect(parseScaled(micros / 1e6, MONEY)).toBe(micros);
      }),
    );
  });
});

describe('values of the other types', () => {
  test.each<[ValueType, unknown, unknown]>([
    [ID, '42', 42],
    [ID, 42n, 42],
    [ID, 42.0, 42],
    // pandas writes a column of integers that has gaps as floats
    [ID, '1.0', 1],
    [ID, '1.00', 1],
    [ID, '9007199254740991.0', 9007199254740991],
    [HOUR, '23.0', 23],
    [HOUR, '-0.0', 0],
    [UPC, '1111.0', '0000000001111'],
    [UPC, '1234567890123.00', '1234567890123'],
    [list(ID), ['1.0', '2'], [1, 2]],
    [HOUR, 0, 0],
    [HOUR, '-0', 0],
    [HOUR, '023', 23],
    [MONEY, '12345.678901', 12345.678901],
    [MICRO_MONEY, '9007199254.740991', 9007199254740991],
    [UPC, 7, '0000000000007'],
    [UPC, '0000000000007', '0000000000007'],
    [UPC, 12n, '0000000000012'],
    [DATE, '2024-02-29', '2024-02-29'],
    [BOOLEAN, 'TRUE', true],
    [BOOLEAN, false, false],
    ...['t', 'T', 'yes', 'Y', '1', 1, 1n].map((raw): [ValueType, unknown, unknown] => [BOOLEAN, raw, true]),
    ...['f', 'No', 'n', '0', 0, 0n].map((raw): [ValueType, unknown, unknown] => [BOOLEAN, raw, false]),
    [UPC, '12345678901234', '12345678901234'],
    [UPC, 12345678901234n, '12345678901234'],
    [UPC, '01234567890123.0', '1234567890123'],
    [TEXT, 'e\u0301 \u1100\u1161', '\u00e9 \uac00'],
    [ID_TEXT, 'A\u030a', '\u00c5'],
    [choice('A', 'B'), 'B', 'B'],
    [TEXT, ' kept as it is ', ' kept as it is '],
    [TEXT, '😀', '😀'],
    [TEXT, '1.0', '1.0'],
    [ID_TEXT, 'a b', 'a b'],
    [ID_TEXT, '12345.0', '12345'],
    [KEY_TEXT, '-0012.00', '-0012'],
    [LABEL_ID, ' 7.0', ' 7.0'],
    [itemList(LABEL_ID), ['7.0', '7.10', '.0'], ['7', '7.10', '.0']],
    [ID_TEXT, '9007199254740991.0', '9007199254740991'],
    [ID_TEXT, '90071992547409930', '90071992547409930'],
    [ID_TEXT, '9007199254740994', '9007199254740994'],
    [ID_TEXT, '10000000000000000', '10000000000000000'],
    [ID_TEXT, '12e+18', '12e+18'],
    [ID_TEXT, '5E22', '5E22'],
    [ID_TEXT, '1.5e7', '1.5e7'],
    [ID_TEXT, '1e18', '1e18'],
    [ID, '1e+05', 100_000],
    [ID, '9E+15', 9e15],
    [ID, '1e5', integerOf('1e5')],
    [HOUR, '1e+01', 10],
    [UPC, '5e+12', '5000000000000'],
    [ID_TEXT, '1e+15', '1000000000000000'],
    [LABEL_ID, '-2e+05', '-200000'],
    [LABEL_ID, '12e+05', '12e+05'],
    [ID, '12e+05', integerOf('12e+05')],
    [DATE, 10_957, '2000-01-01'],
    [DATE, 20_000n, '2024-10-04'],
    [DATE, 36_524, '2069-12-31'],
    [list(ID), [1, '2'], [1, 2]],
    [list(ID), [], []],
    [ID, 'cmp_81', 2216258125749436],
    [ID, '9007199254740994', 1325242476028528],
    [ID, 9007199254740994n, 1325242476028528],
    [ID, '1e3', 389473005898461],
    [ID, 'A\u030a', 372303127396770],
    [list(ID), ['7', 'cmp_81'], [7, 2216258125749436]],
    [list(TEXT), ['a|b'], ['a|b']],
  ])('%o: %s is %o', (type, raw, cell) => {
    expect(parseValue(raw, type, FORMAT)).toEqual(cell);
  });

  test.each<[ValueType, unknown]>([
    [ID, 0],
    [ID, '0'],
    [ID, 9007199254740992],
    [ID, -9007199254740993n],
    [ID, '00000000000000001'],
    [ID, '1.2345678901234568e+18'],
    [ID, '1,000'],
    [ID, ' cmp_81'],
    [ID, 'a\u0000'],
    [ID, '\ud800'],
    [ID, 'x'.repeat(201)],
    [ID, 'NULL'],
    [ID, '1e+16'],
    [ID, '1.5e+05'],
    [UPC, '1e+14'],
    [UPC, 'cmp'],
    [ID_TEXT, '1e+16'],
    [DATE, 10_956],
    [DATE, 36_525],
    [DATE, 20_000.5],
    [DATE, '20000'],
    [COUNT, '9007199254740992'],
    [COUNT, 9007199254740994n],
    [UPC, 10000000000000000n],
    [ID_TEXT, 9007199254740994n],
    [ID, '1.5'],
    [ID, '1.'],
    [ID, '.0'],
    [ID, '1.0.0'],
    [ID, '9007199254740992.0'],
    [ID, true],
    [HOUR, 24],
    [HOUR, '-1'],
    [UPC, '123456789012345'],
    [UPC, '123456789012345.0'],
    [UPC, '12.5'],
    [UPC, '12.'],
    [UPC, -1],
    [UPC, 1.5],
    [DATE, '2023-02-29'],
    [DATE, '2024-2-9'],
    [DATE, '2024-02-29T01:00:00Z'],
    [DATE, 20240229],
    [BOOLEAN, 'ja'],
    [BOOLEAN, 2],
    [BOOLEAN, [1]],
    [choice('A', 'B'), 'a'],
    [TEXT, 5],
    [TEXT, 'x'.repeat(1001)],
    [TEXT, '\ud800'],
    [ID_TEXT, ' '],
    [ID_TEXT, '\u00a0a'],
    [ID_TEXT, 'a\t'],
    [ID_TEXT, '9007199254740992.0'],
    [ID_TEXT, '1.2345678901234568e+18'],
    [ID_TEXT, '1.2345678E7'],
    [ID_TEXT, '1.23456789012345677E18'],
    [KEY_TEXT, '-1E+18'],
    [itemList(LABEL_ID), ['1e+16']],
    [DATE, '0099-12-31'],
    [list(ID), '1|2'],
    [list(ID, 1), []],
    [list(ID), [1, ' x']],
    [list(ID), [1, null]],
  ])('%o: %o is an error', (type, raw) => {
    expect(parseValue(raw, type, FORMAT)).toBeInstanceOf(Invalid);
  });

  test('the length of a text is its number of code points, some of which are two units of UTF-16', () => {
    const accepts = (text: string) => parseValue(text, TEXT, FORMAT) === text;
    const texts = [[1000], [1001], [500, 500], [500, 501]].map(([emoji = 0, letters = 0]) => {
      return '😀'.repeat(emoji) + 'x'.repeat(letters);
    });
    expect(texts.map(accepts)).toEqual([true, false, true, false]);
  });

  test('errors quote whole characters', () => {
    const reason = (raw: unknown) => (parseValue(raw, HOUR, FORMAT) as Invalid).reason;
    expect(reason(`x${'😀'.repeat(60)}`)).toBe(`must be an integer from 0 to 23, not "x${'😀'.repeat(55)}…`);
    expect(reason('😀'.repeat(58))).toBe(`must be an integer from 0 to 23, not "${'😀'.repeat(58)}"`);
  });

  test('product ids are any texts, as they are, on a platform that has such', () => {
    const parse = (raw: unknown) => parseValue(raw, UPC, { ...FORMAT, productIds: 'text' });
    expect(['B00EXAMPLE', '0042', 42, 42n, '42.0'].map(parse)).toEqual(['B00EXAMPLE', '0042', '42', '42', '42']);
    expect([' x', 1.5, true, 'x'.repeat(1001)].map(parse)).toEqual(new Array(4).fill(expect.any(Invalid)));
  });

  test('a text is a list only if the format writes lists as text', () => {
    expect(parseValue('1|2', list(ID), { ...FORMAT, splitLists: true })).toEqual([1, 2]);
  });
});

describe('a long value, which all rows of a Parquet file may share,', () => {
  test('is cut before it is written into a message', () => {
    const long = 'ab'.repeat(140_000_000); // as JSON, two of them are longer than any string can be
    expect(formatValue(long)).toBe(`"${'ab'.repeat(28)}…`);
    expect(formatValue([long, long])).toBe(`["${'ab'.repeat(27)}a…`);
    expect(formatValue('😀'.repeat(1_000))).toBe(`"${'😀'.repeat(56)}…`);
  });

  test('is written as JSON, with the digits of bigints', () => {
    expect(formatValue([1, [2n, { a: 'b' }], null, 'c'])).toBe('[1,["2",{"a":"b"}],null,"c"]');
  });
});
