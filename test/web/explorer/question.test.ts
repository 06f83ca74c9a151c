import { describe, expect, test } from 'vitest';
import { dayNumber } from '../../../shared/lib/calendar.ts';
import { COPY_FORMATS } from '../../../shared/web/explorer/question/copy-as.ts';
import { describeQuestion } from '../../../shared/web/explorer/question/describe.ts';
import {
  experienceOf,
  hasUnknownExperience,
  readQuestion,
  writeQuestion,
} from '../../../shared/web/explorer/question/link.ts';
import {
  EMPTY_QUESTION,
  type Question,
  resolveQuestion,
  withoutFields,
} from '../../../shared/web/explorer/question/question.ts';
import { STARTING_QUESTIONS } from '../../../shared/web/explorer/question/starting-questions.ts';
import { CATALOGUE } from './support.ts';

const FULL: Question = {
  experience: 'toa',
  account: 1001,
  advertisers: [2001, 2002],
  period: { startDate: '2026-02-01', endDate: '2026-02-28' },
  compare: 'year',
  metrics: ['cost', 'halo_roas'],
  dimensions: ['campaign_name', 'daily_date'],
  filters: [
    { field: 'campaign_name', operator: 'IN', values: ['a, b & c="d"', '100 % +', 'Ü#?'] },
    { field: 'cost', operator: 'BETWEEN', values: ['1', '2.5'] },
    { field: 'keyword', operator: 'NOT_NULL', values: [] },
  ],
  sort: [{ field: 'cost', order: 'DESC' }],
  chart: 'line',
};

describe('a link', () => {
  test.each<[string, Question]>([
    ['a full question', FULL],
    ['relative dates', { ...FULL, period: { startDate: 'startOfMonth-1m', endDate: 'endOfMonth-1m' } }],
    ...STARTING_QUESTIONS.map(({ title, question }): [string, Question] => [title, question]),
  ])('holds %s', (_, question) => {
    expect(readQuestion(writeQuestion(question), CATALOGUE)).toEqual(question);
  });

  test.each(['x%27%3B%20touch%20y%3B%20%27', '..%2F..%2Fjwt', ''])(
    'cannot put the text %s in the place of an experience',
    (text) => {
      expect(experienceOf(`experience=${text}`)).toBe('pla');
      expect(experienceOf('experience=toa')).toBe('toa');
    },
  );

  test('with an unknown experience is read with the default one, and recognized', () => {
    const link = 'experience=video&metrics=cost';
    expect(readQuestion(link, CATALOGUE)).toEqual({ ...EMPTY_QUESTION, metrics: ['cost'] });
    const links = [link, 'experience=__proto__', 'experience=..%2Fjwt', 'experience=toa', 'experience=', ''];
    expect(links.map((text) => hasUnknownExperience(text, CATALOGUE))).toEqual([true, true, true, false, false, false]);
  });

  test('that is damaged or old is read without its invalid parts', () => {
    const damaged =
      'experience=pla&account=x&advertisers=1,b,2.5&period=2026-02-30..2026-03-01&compare=ever&metrics=cost,cost,gone&by=nope&filter=[&filter=["cost"]&filter=["cost","IS","1"]&filter=["gone","IN","1"]&sort=gone:asc,cost:up&chart=pie';
    expect(readQuestion(damaged, CATALOGUE)).toEqual({ ...EMPTY_QUESTION, metrics: ['cost'] });
  });

  test('with relative dates in the wrong order is read with the default period', () => {
    const { period } = readQuestion('period=today..startOfMonth-1m&metrics=cost', CATALOGUE);
    expect(period).toEqual(EMPTY_QUESTION.period);
  });

  /** They were not visible in the form, which named all accounts. */
  test('without an account has no advertisers', () => {
    expect(readQuestion('advertisers=2001&metrics=cost', CATALOGUE).advertisers).toEqual([]);
    expect(readQuestion('account=1001&advertisers=2001&metrics=cost', CATALOGUE).advertisers).toEqual([2001]);
  });
});

test('a ready-made question has values in every experience, except for fields that have no meaning in it', () => {
  const conflicts = ['pla', 'toa', 'carousel'].flatMap((experience) =>
    STARTING_QUESTIONS.flatMap(({ question: { metrics, dimensions, filters } }) => {
      const filtered = filters.map(({ field }) => field);
      const names = new Set([...metrics, ...dimensions, ...filtered]);
      return [...names].flatMap((name) => {
        const conflict = CATALOGUE.conflictOf(name, { experience, metrics, dimensions, filtered });
        return conflict === undefined ? [] : [[experience, name, conflict.reason]];
      });
    }),
  );
  expect(conflicts).toEqual([
    ['toa', 'keyword', 'Has no meaning in TOA.'],
    ['toa', 'share_of_voice', 'Has no meaning in TOA.'],
    ['carousel', 'keyword', 'Has no meaning in Carousel.'],
  ]);
});

describe('a question becomes a request', () => {
  const lastDay = dayNumber('2026-03-01');

  test('of its period and the compared one, without filters that are not complete', () => {
    const question = { ...FULL, filters: [...FULL.filters, { field: 'clicks', operator: 'GREATER_THAN', values: [] }] };
    const { request, compared } = resolveQuestion(question, CATALOGUE, lastDay, [2001, 2002, 2003]);
    expect(request).toEqual({
      startDate: '2026-02-01',
      endDate: '2026-02-28',
      advertiserIds: [2001, 2002],
      metrics: ['cost', 'halo_roas'],
      dimensions: ['campaign_name', 'daily_date'],
      filters: FULL.filters,
      sort: [{ field: 'cost', order: 'DESC' }],
    });
    expect(compared?.request).toEqual({ ...request, startDate: '2025-02-01', endDate: '2025-02-28' });
  });

  test('of all advertisers of the account, if none is chosen, and of all of the key without an account', () => {
    const ids = (part: Partial<Question>) =>
      resolveQuestion({ ...FULL, ...part }, CATALOGUE, lastDay, [2001, 2003]).request.advertiserIds;
    expect(ids({ advertisers: [] })).toEqual([2001, 2003]);
    expect(ids({ advertisers: [], account: undefined })).toEqual([]);
  });

  /** The request had no advertisers, and so showed those of all accounts of the key under the name of this one. */
  test('unless the account has no advertisers, or others than the chosen ones', () => {
    const resolve = (part: Partial<Question>, ids: readonly number[]) =>
      resolveQuestion({ ...FULL, ...part }, CATALOGUE, lastDay, ids).request.advertiserIds;
    expect(() => resolve({ account: 1999, advertisers: [] }, [])).toThrow('This account has no advertisers yet.');
    expect(() => resolve({ account: 1999, advertisers: [2001] }, [2003])).toThrow('are not those of this account');
    expect(resolve({ account: 1999, advertisers: [2001] }, [2001, 2003])).toEqual([2001]);
    expect(resolve({ account: undefined, advertisers: [] }, [])).toEqual([]);
    expect(resolve({ account: undefined, advertisers: [2001] }, [])).toEqual([2001]);
  });

  test('that is sorted by dates and hours, else by the first metric that is not an attribute', () => {
    const sort = (part: Partial<Question>) =>
      resolveQuestion({ ...EMPTY_QUESTION, metrics: ['campaign_status', 'cost'], ...part }, CATALOGUE, lastDay, [])
        .request.sort;
    expect(sort({ dimensions: ['campaign_name'] })).toEqual([{ field: 'cost', order: 'DESC' }]);
    expect(sort({ dimensions: ['campaign_name', 'hour', 'daily_date'] })).toEqual([
      { field: 'hour', order: 'ASC' },
      { field: 'daily_date', order: 'ASC' },
    ]);
  });

  test('and is not sorted by a field that was removed', () => {
    expect(withoutFields(FULL, ['cost'])).toMatchObject({ metrics: ['halo_roas'], sort: [] });
  });
});

test.each([
  [['cost'], ['campaign_name'], 'Cost by Campaign'],
  [['cost', 'clicks'], [], 'Cost and Clicks'],
  [
    ['cost', 'clicks', 'impressions', 'halo_units', 'halo_revenue'],
    ['hour', 'daily_date'],
    'Cost, Clicks, Impressions and 2 more by Hour and Day',
  ],
  [[], ['keyword'], 'All values of Keyword'],
  [[], [], 'New report'],
])('%j by %j is called “%s”', (metrics, dimensions, title) => {
  expect(describeQuestion({ metrics, dimensions }, CATALOGUE)).toBe(title);
});

test('code of a question contains the request, and reads the key from the environment', () => {
  const { request } = resolveQuestion(
    { ...FULL, filters: [{ field: 'campaign_name', operator: 'IN', values: ["Pop's"] }] },
    CATALOGUE,
    0,
    [2001, 2002],
  );
  const texts = COPY_FORMATS.map(
    ({ id, write }) => [id, write({ base: 'https://api.example.com/v2', experience: 'pla', report: request })] as const,
  );
  const written = new Map(texts);
  expect(JSON.parse(written.get('json') ?? '')).toEqual({ ...request, pagination: { offset: 0, size: 1000 } });
  expect(written.get('curl')).toContain("Pop'\\''s");
  expect(texts.filter(([id, text]) => id !== 'json' && !text.includes('ENDCAP_KEY'))).toEqual([]);
  expect(written.get('typescript')).toContain('startDate: "2026-02-01"');
  expect(written.get('typescript')).toContain('size: 1000');
});
