import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWrittenNumber, mayHaveLongNumber, parseExactly } from '../../../shared/load/schema/exact-numbers.ts';

/** @returns the value, or the text of a number that was kept as written */
const shown = (value: unknown) => (isWrittenNumber(value) ? `written ${value.rawJSON}` : value);

describe('reads JSON numbers exactly as written', () => {
  test.each<[string, unknown]>([
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740994', 9007199254740994n],
    ['10000000000000000', 10000000000000000n],
    ['-10000000000000000', -10000000000000000n],
    ['1e16', 1e16],
    ['9007199254740994.0', 9007199254740994],
    ['-0', -0],
    ['0.12345600000000000001', 'written 0.12345600000000000001'],
    ['4.0000000000000001', 'written 4.0000000000000001'],
    ['4.00000000000000000000', 4],
    ['0.30000000000000004', 0.30000000000000004],
    ['0.1000000000000000055511151231257827', 'written 0.1000000000000000055511151231257827'],
    ['1e400', 'written 1e400'],
    ['1E-400', 'written 1E-400'],
    ['-0.0e-999', -0],
    ['123456789012345678900000', 123456789012345678900000n],
    ['"9007199254740993"', '9007199254740993'],
  ])('%s', (text, value) => {
    expect(shown(parseExactly(text))).toEqual(value);
  });

  test('reads them in lists and objects, whatever the names of members', () => {
    const text = '{"__proto__":9007199254740993,"a":[1,9007199254740993,{"b":"x"}]}';
    expect(Object.entries(Object(parseExactly(text)))).toEqual([
      ['__proto__', 9007199254740993n],
      ['a', [1, 9007199254740993n, { b: 'x' }]],
    ]);
  });

  test('keeps an integer of a million digits as written, in time that is in proportion to them: it once took hours', () => {
    const digits = `1${'0'.repeat(1_000_000)}1`;
    expect(mayHaveLongNumber(digits)).toBe(true);
    expect(shown(parseExactly(digits))).toBe(`written ${digits}`);
  });

  test('reports invalid JSON with JSON.parse’s message', () => {
    expect(() => parseExactly('{"a":9007199254740993,}')).toThrow(
      new SyntaxError('Expected double-quoted property name in JSON at position 22 (line 1 column 23)'),
    );
  });
});

describe('detects texts that may have long numbers', () => {
  test.each<[string, boolean]>([
    ['{"id":123456789012345}', false],
    ['{"id":1234567890123456}', true],
    ['{"id": -1234567890123456}', true],
    ['[1,0.12345678901234]', true],
    ['{"userId":"12345678901234567890","x":["-1234567890123456"]}', false],
    ['{"userId":"a12345678901234567890"}', false],
    ['{"a":1e-99}', false],
    ['{"a":1e-400}', true],
    ['{"a":1E-400}', true],
    ['{"a":"the-400"}', true],
    ['', false],
  ])('%s: %s', (text, expected) => {
    expect(mayHaveLongNumber(text)).toBe(expected);
  });

  test('detects them after any white space of JSON', () => {
    const spaces = [' ', '\t', '\r', '\n'];
    expect(spaces.filter((space) => mayHaveLongNumber(`{"id":${space}-12345678901234567}`))).toEqual(spaces);
  });

  test('detects them at any position; JSON.parse loses no digits of other texts', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{0,25}$/);
    const number = fc
      .tuple(digits, fc.option(digits), fc.option(fc.integer({ min: -450, max: 290 })))
      .map(
        ([whole, fraction, exponent]) =>
          `${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
      );
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9 ]{0,40}$/), number, (before, written) => {
        const text = JSON.stringify({ before }).replace('}', `,"n":${written},"after":[1,2.5]}`);
        const isDetected = mayHaveLongNumber(text);
        expect(isDetected).toBe(/[\d.]{16}|e-\d{3}/.test(written));
        if (!isDetected && Number.isFinite(Number(written))) expect(parseExactly(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });
});
