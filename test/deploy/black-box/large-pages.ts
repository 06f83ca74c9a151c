import { expect } from 'vitest';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { bodyOf, type Case, type Suite } from './suite.ts';

/** The largest page that the contract allows; the demo network has enough rows for it, other data may not. */
const request = (headers: Readonly<Record<string, string>>) =>
  ({
    path: '/report/toa',
    method: 'POST',
    as: 'agency',
    headers,
    body: {
      startDate: 'latest-29d',
      endDate: 'latest',
      advertiserIds: [],
      dimensions: ['daily_date', 'hour', 'ad_group_id', 'placement', 'division_banner'],
      metrics: METRIC_NAMES,
      filters: [],
      sort: [],
      pagination: { offset: 0, size: 10_000 },
    },
  }) as const;

const compressed = (coding: string, headers: Readonly<Record<string, string>>): Case => ({
  name: `the largest page, for a client that prefers ${coding}`,
  request: request(headers),
  status: 200,
  check: (response) => {
    expect(response.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept, Accept-Encoding' });
    expect(response.text.length).toBeGreaterThan(12_000_000);
    expect(bodyOf(response).data).toHaveLength(10_000);
  },
});

const rejected = (client: string, headers: Readonly<Record<string, string>>): Case => ({
  name: `the largest page, for a client that ${client}`,
  request: request(headers),
  status: 422,
  code: 'PAGE_TOO_LARGE',
});

const cases: Case[] = [
  compressed('gzip', { Accept: '*/*', 'Accept-Encoding': 'gzip, deflate' }),
  compressed('br', { Accept: 'application/json', 'Accept-Encoding': 'gzip;q=0.5, br' }),
  rejected('accepts no compression', { Accept: '*/*', 'Accept-Encoding': 'identity;q=0, gzip;q=0' }),
  rejected('does not send Accept', { 'Accept-Encoding': 'gzip' }),
];

export const largePages: Suite = { name: 'large pages', cases };
