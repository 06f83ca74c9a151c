import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Deadline } from '../../../shared/lib/deadline.ts';
import { compileFilter, compileFilters } from '../../../shared/report/plan/conditions.ts';
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

  test('are tested once per distinct value, however often it occurs, as long as there is memory for the results of all conditions', () => {
    const memory = { bytesLeft: 2 * (31 + 2 * 'a milk b'.length) };
    const [first, second] = ['x', 'y'].map((text) =>
      compileFilters([{ field: 'keyword', operator: 'LIKE_IN', values: [`a%${text}%b`] }], 'text', memory),
    );
    const texts = ['a milk b', 'a tea b'];
    for (const text of texts) expect([first?.passes(text), second?.passes(text)]).toEqual([false, false]);
    const indexOf = vi.spyOn(String.prototype, 'indexOf');
    for (const text of texts) expect([first?.passes(text), second?.passes(text)]).toEqual([false, false]);
    expect(indexOf).toHaveBeenCalledTimes(2);
    expect(memory.bytesLeft).toBeLessThan(31);
    indexOf.mockRestore();
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
