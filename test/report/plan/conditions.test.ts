import { afterEach, describe, expect, test, vi } from 'vitest';
import { compileFilter } from '../../../shared/report/plan/conditions.ts';
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

  test('are tested once per distinct value, however often it occurs, as long as there is memory for the results of all filters', () => {
    const memory = { left: 2 };
    const [first, second] = ['x', 'y'].map((text) =>
      compileFilter({ field: 'keyword', operator: 'LIKE_IN', values: [`a%${text}%b`] }, 'text', memory),
    );
    const texts = ['a milk b', 'a tea b'];
    for (const text of texts) expect([first?.passes(text), second?.passes(text)]).toEqual([false, false]);
    const indexOf = vi.spyOn(String.prototype, 'indexOf');
    for (const text of texts) expect([first?.passes(text), second?.passes(text)]).toEqual([false, false]);
    expect(indexOf).toHaveBeenCalledTimes(2);
    expect(memory.left).toBe(0);
    indexOf.mockRestore();
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
