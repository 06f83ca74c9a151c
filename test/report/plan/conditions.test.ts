import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { KeyValue } from '../../../shared/columns/column.ts';
import { Deadline } from '../../../shared/lib/deadline.ts';
import { compileFilter, compileFilters, rememberResults } from '../../../shared/report/plan/conditions.ts';
import type { Filter } from '../../../shared/report/query.ts';

const compile = (operator: Filter['operator'], ...values: readonly string[]) =>
  compileFilter({ field: 'keyword', operator, values }, 'text');

afterEach(() => void vi.restoreAllMocks());

describe('the patterns of a filter', () => {
  test('treat a run of % as one: 60,000 of them make no more searches than one', () => {
    const indexOf = vi.spyOn(String.prototype, 'indexOf');
    for (const pattern of ['%', '%'.repeat(60_000), `o${'%'.repeat(60_000)}k`]) {
      expect(compile('LIKE', pattern).passes('oat milk')).toBe(true);
    }
    expect(indexOf).not.toHaveBeenCalled();
    expect(compile('LIKE', `o${'%'.repeat(60_000)}k`).searches).toBe(compile('LIKE', 'o%k').searches);
  });

  test('are tested once per base value, however often it occurs, as long as there is memory for the results of all conditions', () => {
    const memory = { bytesLeft: 2 * 32 };
    const values = { valueOf: vi.fn((_field: string, _advertiserId: number, base: KeyValue) => `a milk ${base}`) };
    const [first, second] = ['x', 'y'].map((text) => {
      const { passes } = compileFilters([{ field: 'campaign_name', operator: 'LIKE', values: [text] }], 'text');
      return rememberResults('campaign_name', passes, memory, true);
    });
    const testAll = () => [1, 2].map((id) => [first?.(values, 7, id), second?.(values, 7, id)]);
    expect(testAll()).toEqual([
      [false, false],
      [false, false],
    ]);
    expect(memory.bytesLeft).toBe(0);
    values.valueOf.mockClear();
    testAll();
    expect(values.valueOf.mock.calls.map(([, , base]) => base)).toEqual([2, 2]);
  });

  test('are tested again for a base value of another advertiser, where it has another meaning, and for null', () => {
    const values = { valueOf: (_field: string, id: number, base: KeyValue) => (base === null ? null : `name ${id}`) };
    const { passes } = compileFilters([{ field: 'campaign_name', operator: 'LIKE', values: ['name 1'] }], 'text');
    const [own, shared] = [true, false].map((is) => rememberResults('campaign_name', passes, { bytesLeft: 999 }, is));
    expect([own?.(values, 1, 5), own?.(values, 2, 5), own?.(values, 1, null)]).toEqual([true, false, false]);
    expect([shared?.(values, 1, 5), shared?.(values, 2, 5)]).toEqual([true, true]);
  });

  /** Texts that 58 days remembered took 2 GB. */
  test('remember no more texts of facts than fit into the memory', () => {
    const memory = { bytesLeft: 10_000 };
    const { passes } = compileFilters([{ field: 'keyword', operator: 'LIKE', values: ['x'] }], 'text');
    const test = rememberResults('keyword', passes, memory, false);
    const values = { valueOf: (_field: string, _advertiserId: number, base: KeyValue) => base };
    for (let i = 0; i < 100; i++) test(values, 1, String(i).padStart(1_000, 'y'));
    expect(memory.bytesLeft).toBe(10_000 - 4 * (32 + 16 + 2_000));
  });

  test.each([
    ['ΟΔΟΣ%', 'ΟΔΟΣΑ'],
    ['ΟΔΟΣ', 'ΟΔΟΣΑ'],
    ['%ΜΟΥΣ%', 'μουσακάς'],
    ['%ας', 'ΜΟΥΣΑΚΑΣ'],
  ])(
    'match whatever the case of a sigma, which is another letter at the end of a word: %s matches %s',
    (pattern, text) => {
      expect(compile('LIKE', pattern).passes(text)).toBe(true);
      expect(compile('NOT_LIKE', pattern).passes(text)).toBe(false);
    },
  );

  test('of more than 250 characters match as shorter ones do', () => {
    const text = fc.array(fc.constantFrom('a'.repeat(120), 'b', 'ab'), { minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(text, fc.nat(3), fc.nat(9), fc.boolean(), (pieces, from, count, isChanged) => {
        const part = pieces.slice(from, from + count).join('') + (isChanged ? 'aab' : '');
        fc.pre(part.length > 250);
        expect(compile('LIKE', part).passes(pieces.join(''))).toBe(pieces.join('').includes(part));
      }),
    );
    expect.hasAssertions();
  });

  test('of more than 250 characters read each character of a value once: 60 KB of them once took 25 s in 3,000 values', () => {
    const value = 'a'.repeat(5_000);
    const { passes } = compile('LIKE', `${'a'.repeat(10)}b${'a'.repeat(300)}`);
    const charCodeAt = vi.spyOn(String.prototype, 'charCodeAt');
    expect(passes(value)).toBe(false);
    expect(charCodeAt).toHaveBeenCalledTimes(value.length);
  });

  test('spend time by the length of a value: the deadline was not checked for 13 s, within one value of 145,000 characters', () => {
    const { passes } = compile('NOT_LIKE', ...Array.from({ length: 1_000 }, (_, i) => `x${i}`));
    const late = () => new Deadline(0, () => 1);
    expect(passes('a'.repeat(1_000), late())).toBe(true);
    expect(() => passes('a'.repeat(145_000), late())).toThrow('25 seconds');
  });

  test('that are equal, apart from case and runs of %, are tested once', () => {
    expect(compile('LIKE_IN', 'a%%b', 'A%b', 'a%b').searches).toBe(compile('LIKE', 'a%b').searches);
  });

  test.each([
    ['', ['', 'a']],
    ['a%', ['a', 'ab']],
    ['%%a', ['a', 'ba']],
    ['a%%a', ['aa', 'aba']],
    ['%a%b%', ['ab', 'xaxbx']],
    ['aa%aa', ['aaaa', 'aabaa']],
  ])('%j matches %j', (pattern, matching) => {
    const texts = ['', 'a', 'aa', 'aaa', 'aaaa', 'ab', 'ba', 'aba', 'xaxbx', 'aabaa', 'bb'];
    const asRegex = new RegExp(`^${(pattern.includes('%') ? pattern : `%${pattern}%`).replaceAll('%', '.*')}$`);
    expect(texts.filter((text) => compile('LIKE', pattern).passes(text))).toEqual(
      texts.filter((text) => asRegex.test(text)),
    );
    expect(matching.every((text) => compile('LIKE', pattern).passes(text))).toBe(true);
  });
});
