import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { KeyValue } from '../../../shared/columns/column.ts';
import { compileFilter, compileFilters, rememberResults } from '../../../shared/report/plan/conditions.ts';
import { loadJoins } from '../../../shared/report/plan/joins.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import type { Filter } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';
import { query } from './declared-source.ts';

const compile = (operator: Filter['operator'], ...values: readonly string[]) =>
  compileFilter({ field: 'keyword', operator, values }, 'text');

/** A field whose value is null where the base value is, and otherwise the advertiser's name. */
const NAMES = { valueOf: (_field: string, id: number, base: KeyValue) => (base === null ? null : `name ${id}`) };

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

  test('are tested again for a base value of another advertiser, where it has another meaning, and for null', () => {
    const { passes } = compileFilters([{ field: 'campaign_name', operator: 'LIKE', values: ['name 1'] }], 'text');
    const [own, shared] = [true, false].map((isPerAdvertiser) =>
      rememberResults(
        (values, advertiserId, base) => passes(values.valueOf('campaign_name', advertiserId, base)),
        isPerAdvertiser,
      ),
    );
    expect([own?.(NAMES, 1, 5), own?.(NAMES, 2, 5), own?.(NAMES, 1, null)]).toEqual([true, false, false]);
    expect([shared?.(NAMES, 1, 5), shared?.(NAMES, 2, 5)]).toEqual([true, true]);
  });

  /** Texts that 58 days remembered took 2 GB. */
  test('remember the results of the first values only', () => {
    const passes = vi.fn(() => true);
    const test = rememberResults(passes, false, 60);
    const texts = Array.from({ length: 100 }, (_, i) => `y${i}`);
    for (const text of [...texts, ...texts]) test(NAMES, 1, text);
    expect(passes.mock.calls.length).toBe(2 * texts.length - 60);
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
  ])('match as regular expressions with .* for %% do: %j matches %j', (pattern, matching) => {
    const texts = ['', 'a', 'aa', 'aaa', 'aaaa', 'ab', 'ba', 'aba', 'xaxbx', 'aabaa', 'bb'];
    const asRegex = new RegExp(`^${(pattern.includes('%') ? pattern : `%${pattern}%`).replaceAll('%', '.*')}$`);
    expect(texts.filter((text) => compile('LIKE', pattern).passes(text))).toEqual(
      texts.filter((text) => asRegex.test(text)),
    );
    expect(matching.every((text) => compile('LIKE', pattern).passes(text))).toBe(true);
  });
});

/** With 100 filters on names of accounts, a year took 92 ms for one foreign owner and 207 ms for five. */
test('the owners of an advertiser are read once per report, so that its time does not disclose how many are not the caller’s', async () => {
  const source = await storedSource(
    dataset({
      accounts: [1, 2, 3].map((id) => ({ id, name: `Account ${id}` })),
      advertisers: [{ id: 7, name: 'Seven', accountId: 2, accountIds: [1, 2, 3] }],
    }),
  );
  const plan = planReport({ ...query, dimensions: ['accounts', 'primaryAccountName'] });
  const joins = await loadJoins(
    source,
    [plan],
    {
      accountIds: new Set([1]),
      advertiserIds: [7],
      ownAdvertiserIds: [7],
    },
    SETTINGS,
  );
  const split = vi.spyOn(String.prototype, 'split');
  for (let day = 0; day < 30; day++) {
    expect(joins.valueOf('accounts', 7, 7)).toBe('Account 1');
    expect(joins.valueOf('primaryAccountName', 7, 7)).toBe('Account 1');
  }
  expect(split).toHaveBeenCalledTimes(2); // once per dimension
  split.mockRestore();
});

/** 300 advertisers of the same 25,000 accounts took 1.8 GB. */
test('the names of accounts are joined once for all advertisers of the same owners', async () => {
  const accountIds = Array.from({ length: 3_000 }, (_, i) => 1_000_000 + i); // longer than what V8 hashes
  const advertisers = [7, 8, 9].map((id) => ({
    ...{ id, name: `Advertiser ${id}`, accountId: 1, accountIds: id === 9 ? accountIds.slice(0, 2) : accountIds },
  }));
  const accounts = accountIds.map((id) => ({ id, name: `Account ${id}` }));
  const plan = planReport({ ...query, dimensions: ['accounts'] });
  const scope = { accountIds: new Set(accountIds), advertiserIds: [7, 8, 9], ownAdvertiserIds: [7, 8, 9] };
  const joins = await loadJoins(await storedSource(dataset({ accounts, advertisers })), [plan], scope, SETTINGS);
  const join = vi.spyOn(Array.prototype, 'join');
  const [seven, eight, nine] = [7, 8, 9].map((id) => joins.valueOf('accounts', id, id));
  const joined = join.mock.calls.length;
  join.mockRestore();
  expect(joined).toBe(2);
  expect([eight, nine]).toEqual([seven, 'Account 1000000, Account 1000001']);
});
