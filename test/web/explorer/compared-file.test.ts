import { describe, expect, test } from 'vitest';
import { dayNumber } from '../../../shared/lib/calendar.ts';
import type { Api, ReportHeader, ReportPage } from '../../../shared/web/explorer/app/api.ts';
import { readComparedCsv } from '../../../shared/web/explorer/export/compared-file.ts';
import {
  EMPTY_QUESTION,
  type ReportQuestion,
  resolveQuestion,
} from '../../../shared/web/explorer/question/question.ts';
import { CATALOGUE } from './support.ts';

const HEADERS = [
  { name: 'campaign_name', role: 'dimension', type: 'text', unit: null },
  { name: 'cost', role: 'metric', type: 'decimal', unit: 'USD' },
  { name: 'campaign_status', role: 'metric', type: 'text', unit: null },
  { name: 'halo_roas', role: 'metric', type: 'decimal', unit: 'ratio' },
] as unknown as readonly ReportHeader[]; // what the file needs of a header

const NOW = [
  { campaign_name: 'a, "b"', cost: 0.3, campaign_status: 'ACTIVE', halo_roas: 2.5 },
  { campaign_name: '=new', cost: 1, campaign_status: null, halo_roas: null },
];
const BEFORE = [
  { campaign_name: 'a, "b"', cost: 0.1, campaign_status: 'ACTIVE', halo_roas: null },
  { campaign_name: 'ended', cost: 7, campaign_status: 'ENDED', halo_roas: 1 },
];

const question = { ...EMPTY_QUESTION, compare: 'previous', metrics: ['cost'], dimensions: ['campaign_name'] } as const;
const resolved = resolveQuestion(question, CATALOGUE, dayNumber('2026-03-01'), []);
const result = { question, resolved };

/** The data version of each page; 7 where it is absent. */
interface PageVersions {
  readonly now?: readonly string[];
  readonly before?: readonly string[];
}

/** An API whose pages have one row. */
function pagedApi(versions: PageVersions = {}): Pick<Api, 'report'> {
  return {
    report: async (_, { startDate }: ReportQuestion, { offset }) => {
      const isNow = startDate === resolved.request.startDate;
      const rows = isNow ? NOW : BEFORE;
      const meta = { dataVersion: versions[isNow ? 'now' : 'before']?.[offset] ?? '7', warnings: [] };
      return {
        headers: HEADERS,
        data: rows.slice(offset, offset + 1),
        totalCount: 2,
        totals: {},
        meta,
      } as unknown as ReportPage; // as above
    },
  };
}

const progress: string[] = [];
const OPTIONS = {
  onProgress: (rows: number, total: number) => void progress.push(`${rows} of ${total}`),
  signal: new AbortController().signal,
};

test('the CSV file of a compared report has the compared value and the change beside each figure, of all pages', async () => {
  const text = await readComparedCsv(pagedApi(), result, CATALOGUE, OPTIONS);
  expect(text.split('\r\n')).toEqual([
    '\ufeffcampaign_name,cost,cost_before,cost_change,campaign_status,halo_roas,halo_roas_before,halo_roas_change',
    '"a, ""b""",0.3,0.1,0.2,"ACTIVE",2.5,,',
    `"'=new",1.0,0.0,1.0,,,,`,
    '"ended",0.0,7.0,-7.0,,,1.0,',
    '',
  ]);
  expect(progress.at(-1)).toBe('4 of 4');
});

test.each<[string, PageVersions]>([
  ['pages of the period', { now: ['7', '8'] }],
  ['pages of the compared period', { before: ['7', '8'] }],
  ['periods', { before: ['8', '8'] }],
])('the file is not written from %s of different data', async (_, versions) => {
  await expect(readComparedCsv(pagedApi(versions), result, CATALOGUE, OPTIONS)).rejects.toMatchObject({
    code: 'DATA_CHANGED',
  });
});

describe('the file of a report by day', () => {
  const byDay = { ...question, dimensions: ['daily_date'] };
  const dated = { question: byDay, resolved: resolveQuestion(byDay, CATALOGUE, dayNumber('2026-03-01'), []) };
  /** An API with two days of this period and one of the compared period; only the first of each has delivery. */
  const api: Pick<Api, 'report'> = {
    report: async (_, { startDate, metrics }) => {
      const isDelivery = metrics[0] === 'impressions';
      const days = isDelivery || startDate !== '2026-02-02' ? [startDate] : [startDate, '2026-02-03'];
      return {
        headers: [{ name: 'daily_date', role: 'dimension', type: 'date', unit: null }, HEADERS[1]],
        data: days.map((date) => ({ daily_date: date, cost: 2 })),
        totalCount: days.length,
        totals: {},
        meta: { dataVersion: isDelivery ? '8' : '7', warnings: [] },
      } as unknown as ReportPage; // as above
    },
  };

  test('has an empty value, not 0, on a day without delivery', async () => {
    const text = await readComparedCsv(api, dated, CATALOGUE, OPTIONS);
    expect(text.split('\r\n').slice(1, -1)).toEqual(['2026-02-02,2.0,2.0,0.0', '2026-02-03,2.0,,']);
  });
});
