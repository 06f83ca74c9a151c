import { expect } from 'vitest';
import { bodyOf, type Case, type Suite, type TestData } from './suite.ts';

interface ReportOptions {
  readonly experience?: string;
  readonly over?: 'week' | 'month';
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly filters?: readonly object[];
  readonly sort?: readonly object[];
  readonly pagination?: { readonly offset: number; readonly size: number };
}

const report = (name: string, options: ReportOptions, check?: Case['check']): Case => ({
  name,
  request: (testData: TestData) => {
    const {
      experience = 'pla',
      over = 'month',
      filters = [],
      sort = [],
      pagination = { offset: 0, size: 100 },
    } = options;
    const { dimensions, metrics } = options;
    const body = { ...testData[over], advertiserIds: [], dimensions, metrics, filters, sort, pagination };
    return { path: `/report/${experience}`, method: 'POST', as: 'agency', body };
  },
  status: 200,
  ...(check === undefined ? {} : { check }),
});

const MONEY = ['impressions', 'clicks', 'click_through_rate', 'cost', 'cost_per_click', 'halo_revenue', 'halo_roas'];

const cases: Case[] = [
  report(
    'a report without dimensions, with one row',
    { dimensions: [], metrics: [...MONEY, 'unique_user_impressions', 'pacing'] },
    (response) => expect(bodyOf(response).totalCount).toBe(1),
  ),
  report('a report by day', { dimensions: ['daily_date'], metrics: MONEY }),
  report('a report by month and campaign', {
    dimensions: ['month_date', 'campaign_name'],
    metrics: [...MONEY, 'pacing'],
  }),
  report('a report by ad group', {
    dimensions: ['ad_group_id', 'ad_group_name'],
    metrics: ['unique_user_impressions', 'unique_user_conversions', 'hours_live', 'ad_group_budget'],
    sort: [{ field: 'unique_user_impressions', order: 'DESC' }],
  }),
  report('a report by hour and placement', {
    over: 'week',
    dimensions: ['hour', 'placement'],
    metrics: ['impressions', 'share_of_voice', 'win_rate'],
  }),
  report('a report by keyword, filtered before and after grouping', {
    over: 'week',
    dimensions: ['keyword'],
    metrics: ['impressions', 'clicks', 'cost'],
    filters: [
      { field: 'keyword', operator: 'LIKE', values: ['%c%'] },
      { field: 'impressions', operator: 'GREATER_THAN', values: ['20'] },
    ],
    sort: [{ field: 'cost', order: 'DESC' }],
  }),
  report('the second page of a report by product', {
    dimensions: ['entity_id', 'entity_name', 'brand'],
    metrics: ['cost', 'halo_units', 'halo_exposed_revenue'],
    sort: [{ field: 'cost', order: 'DESC' }],
    pagination: { offset: 20, size: 20 },
  }),
  report('a report of video metrics', {
    experience: 'carousel',
    dimensions: ['week_date', 'creative_name'],
    metrics: ['video_starts', 'video_complete_view_rate', 'video_average_duration_viewed'],
  }),
  report('a report with metrics that are undefined, and so null with a warning', {
    experience: 'toa',
    dimensions: ['conversion_source'],
    metrics: ['halo_transactions', 'impressions', 'win_rate'],
  }),
  report('a report without metrics, with the distinct dimension values', {
    dimensions: ['advertiser_name', 'division_banner'],
    metrics: [],
  }),
  report('a report with many rows', {
    dimensions: ['daily_date', 'keyword', 'placement', 'entity_id'],
    metrics: ['impressions', 'clicks', 'cost'],
    pagination: { offset: 0, size: 5_000 },
  }),
  report('the next page of a report with many rows', {
    dimensions: ['daily_date', 'keyword', 'placement', 'entity_id'],
    metrics: ['impressions', 'clicks', 'cost'],
    pagination: { offset: 5_000, size: 50 },
  }),
];

export const reports: Suite = { name: 'reports', cases };
