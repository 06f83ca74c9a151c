import { expect } from 'vitest';
import { bodyOf, type Case, type Suite } from './suite.ts';

const ofAccount = ['advertisers', 'contacts', 'addresses'] as const;

const whole: Case[] = [
  { name: 'accounts', ask: { path: '/metadata/accounts', as: 'agency' }, status: 200 },
  { name: 'placements', ask: { path: '/metadata/placements', as: 'agency' }, status: 200 },
  ...ofAccount.map((listing) => ({
    name: `${listing} of an account`,
    ask: ({ accountId }: { accountId: number }) => ({
      path: `/metadata/${listing}`,
      as: 'agency' as const,
      query: [['account_id', String(accountId)]] as const,
    }),
    status: 200,
  })),
  {
    name: 'products of an ad group',
    ask: ({ adGroupId }) => ({ path: `/ad_groups/${adGroupId}/available_products`, as: 'agency' }),
    status: 200,
  },
];

const seenByOthers: Case[] = [
  { name: 'accounts of a CPG user', ask: { path: '/metadata/accounts', as: 'cpg' }, status: 200, keys: ['cpg'] },
  {
    name: 'addresses of an account as a CPG user sees them',
    ask: ({ accountId }) => ({ path: '/metadata/addresses', as: 'cpg', query: [['account_id', String(accountId)]] }),
    status: 200,
    keys: ['cpg'],
    check: ({ text }) => expect(text).not.toContain('"AGENCY"'),
  },
];

const compressed: Case = {
  name: 'a listing for whoever takes it compressed',
  ask: { path: '/metadata/placements', as: 'agency', query: [['size', '100']], headers: { 'Accept-Encoding': 'gzip' } },
  status: 200,
  check: ({ headers, text }) => {
    expect(text.length).toBeGreaterThan(1_024);
    expect(headers['content-encoding']).toBe('gzip');
  },
};

export const listings: Suite = { name: 'listings', cases: [...whole, ...seenByOthers, compressed] };

const page = (name: string, offset: number, size: number, check: Case['check']): Case => ({
  name,
  ask: {
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
    page('the first three', 0, 3, ({ headers }) =>
      expect(headers.link).toBe('</v2/metadata/placements?offset=3&size=3>; rel="next"'),
    ),
    page('the next three', 3, 3, (reply, earlier) => {
      const ids = (of: typeof reply) => Object(bodyOf(of).data).map((it: { id: number }) => it.id);
      expect(ids(reply).filter((id: number) => ids(earlier('the first three')).includes(id))).toEqual([]);
    }),
    page('past the end', 100_000, 10, (reply) => expect(bodyOf(reply).data).toEqual([])),
    {
      name: 'products by the hundred',
      ask: ({ adGroupId }) => ({
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
