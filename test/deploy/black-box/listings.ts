import { expect } from 'vitest';
import { ACCOUNT_LISTINGS } from '../../http/support/account-listings.ts';
import { bodyOf, type Case, type Suite } from './suite.ts';

const whole: Case[] = [
  { name: 'the accounts', request: { path: '/metadata/accounts', as: 'agency' }, status: 200 },
  { name: 'the placements', request: { path: '/metadata/placements', as: 'agency' }, status: 200 },
  { name: 'the fields of reports', request: { path: '/metadata/fields', as: 'agency' }, status: 200 },
  ...ACCOUNT_LISTINGS.map(({ path }) => ({
    name: `${path} of an account`,
    request: ({ accountId }: { accountId: number }) => ({
      path,
      as: 'agency' as const,
      query: [['account_id', String(accountId)]] as const,
    }),
    status: 200,
  })),
  {
    name: 'the paused ad groups of an account',
    request: ({ accountId }) => ({
      path: '/metadata/ad_groups',
      as: 'agency',
      query: [
        ['account_id', String(accountId)],
        ['status', 'PAUSED'],
        ['size', '2'],
      ],
    }),
    status: 200,
    check: (response) => {
      const { data } = bodyOf(response);
      const items: readonly object[] = Array.isArray(data) ? data : [];
      expect(items.filter((item) => Object(item).status !== 'PAUSED')).toEqual([]);
    },
  },
  {
    name: 'the products of an ad group',
    request: ({ adGroupId }) => ({ path: `/ad_groups/${adGroupId}/available_products`, as: 'agency' }),
    status: 200,
  },
];

const seenByOthers: Case[] = [
  {
    name: 'the accounts of a CPG user',
    request: { path: '/metadata/accounts', as: 'cpg' },
    status: 200,
    keys: ['cpg'],
  },
  {
    name: 'the addresses that a CPG user sees',
    request: ({ accountId }) => ({
      path: '/metadata/addresses',
      as: 'cpg',
      query: [['account_id', String(accountId)]],
    }),
    status: 200,
    keys: ['cpg'],
    check: ({ text }) => expect(text).not.toContain('"AGENCY"'),
  },
];

const compressed: Case = {
  name: 'a client that accepts gzip, with a compressed listing',
  request: { path: '/metadata/fields', as: 'agency', headers: { 'Accept-Encoding': 'gzip' } },
  status: 200,
  check: ({ headers, text }) => {
    expect(text.length).toBeGreaterThan(1_024);
    expect(headers['content-encoding']).toBe('gzip');
  },
};

export const listings: Suite = { name: 'listings', cases: [...whole, ...seenByOthers, compressed] };

const page = (name: string, offset: number, size: number, check: Case['check']): Case => ({
  name,
  request: {
    path: '/metadata/placements',
    as: 'agency',
    query: [
      ['offset', String(offset)],
      ['size', String(size)],
    ],
  },
  status: 200,
  ...(check === undefined ? {} : { check }),
});

export const paging: Suite = {
  name: 'paging',
  cases: [
    page('the first three placements', 0, 3, (response) => {
      const { hasMore } = Object(bodyOf(response).meta).page;
      const next = hasMore ? '</v2/metadata/placements?offset=3&size=3>; rel="next"' : undefined;
      expect(response.headers.link).toBe(next);
    }),
    page('the next three placements', 3, 3, (response, earlier) => {
      const ids = (of: typeof response) => Object(bodyOf(of).data).map(({ id }: { id: number }) => id);
      expect(ids(response).filter((id: number) => ids(earlier('the first three placements')).includes(id))).toEqual([]);
    }),
    page('a page past the end', 100_000, 10, (response) => expect(bodyOf(response).data).toEqual([])),
    {
      name: 'a page of a hundred products',
      request: ({ adGroupId }) => ({
        path: `/ad_groups/${adGroupId}/available_products`,
        as: 'agency',
        query: [
          ['item_offset', '2'],
          ['page_size', '100'],
        ],
      }),
      status: 200,
    },
  ],
};
