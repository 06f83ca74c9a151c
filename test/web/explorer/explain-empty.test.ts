import { afterAll, expect, test } from 'vitest';
import { dayNumber } from '../../../shared/lib/calendar.ts';
import { Api } from '../../../shared/web/explorer/app/api.ts';
import type { Result } from '../../../shared/web/explorer/app/use-result.ts';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';
import { buildRequest, EMPTY_QUESTION, type Question } from '../../../shared/web/explorer/question/question.ts';
import { explainEmpty } from '../../../shared/web/explorer/result/explain-empty.ts';
import { DEMO_END, startTestStage } from '../../support/stage.ts';
import { CATALOGUE } from './support.ts';

const stage = await startTestStage({ demo: true });
afterAll(() => stage.close());
const api = new Api(await stage.url(), 'ecap_demo_agency');

/** Asks the question, which must have no rows. */
async function explain(part: Partial<Question>): Promise<string> {
  const question = { ...EMPTY_QUESTION, metrics: ['cost'], dimensions: ['campaign_name'], ...part };
  const request = buildRequest(question, CATALOGUE, dayNumber(DEMO_END), []);
  const page = await api.report(question.experience, request, { offset: 0, size: 1 });
  expect(page.totalCount).toBe(0);
  const result: Result = { question, request, page, rows: [], delivered: undefined };
  const { signal } = new AbortController();
  return explainEmpty(api, { result, catalogue: CATALOGUE, format: new Formatter('en-US'), signal });
}

const filter = (field: string, operator: string, ...values: string[]) => ({ field, operator, values });
const expensive = filter('cost', 'GREATER_THAN', '1000000');

/** It was an empty table, without a word. */
test.each<[string, Partial<Question>, string]>([
  [
    'a period without data',
    { period: { startDate: '2025-01-01', endDate: '2025-01-31' } },
    'There is no data in Jan 1 – 31, 2025. PLA has data in Dec 2, 2025 – Mar 1, 2026.',
  ],
  [
    'a period in which the advertisers have no such data',
    { advertisers: [2014], metrics: ['halo_revenue'], period: { startDate: '2026-03-01', endDate: '2026-03-01' } },
    'These advertisers have no such data in Mar 1, 2026, but in Dec 2, 2025 – Feb 28, 2026.',
  ],
  [
    'an experience in which they never had any',
    { experience: 'toa', advertisers: [2014] },
    'These advertisers have no such data in TOA.',
  ],
  [
    'a filter on a metric',
    { filters: [expensive] },
    'The filter by Cost leaves no row. Its values are $102.38 to $1,821.02.',
  ],
  [
    'a filter on a text',
    { filters: [filter('placement', 'EQUALS', 'Nowhere')] },
    'The filter by Placement leaves no row. Its values are Cart – Before You Go, Category Browse – In Grid, Product Page – Similar Items, Savings Hub, Search Results – In Grid and 1 more.',
  ],
  [
    'a filter on a closed set',
    { filters: [filter('campaign_status', 'EQUALS', 'DRAFT')] },
    'The filter by Campaign status leaves no row. Its values are DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED.',
  ],
  [
    'a filter on dates',
    { filters: [filter('daily_date', 'LESS_THAN', '2026-01-01')] },
    'The filter by Day leaves no row. Its values are Feb 2, 2026 to Mar 1, 2026.',
  ],
  [
    'a filter on a dimension without values',
    { experience: 'toa', filters: [filter('keyword', 'NOT_NULL')] },
    'The filter by Keyword leaves no row. It has no value in this report.',
  ],
  [
    'the second of two filters, among the rows of the first',
    { filters: [filter('cost', 'LESS_THAN', '200'), filter('clicks', 'GREATER_THAN', '1000')] },
    'The filter by Clicks leaves no row. With the other filters, its values are 114 to 196.',
  ],
  [
    'the filter that a warning is about, of two that leave no row',
    { filters: [expensive, filter('daily_date', 'BETWEEN', '2026-03-01', '2026-02-02')] },
    'The filter by Day leaves no row. Its values are Feb 2, 2026 to Mar 1, 2026.',
  ],
])('an empty result names %s', async (_, part, text) => {
  expect((await explain(part)).replaceAll('\u2009', ' ')).toBe(text);
});
