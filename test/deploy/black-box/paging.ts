import { expect } from 'vitest';
import { bodyOf, type Case, type Suite } from './suite.ts';

const placements = (name: string, offset: number, check: NonNullable<Case['check']>): Case => ({
  name,
  request: { path: `/metadata/placements?offset=${offset}&size=3`, as: 'agency' },
  status: 200,
  check,
});

const idsOf = (response: Parameters<typeof bodyOf>[0]): number[] =>
  Object(bodyOf(response).data).map(({ id }: { id: number }) => id);

export const paging: Suite = {
  name: 'paging',
  cases: [
    placements('the first three placements', 0, (response) => {
      const { hasMore } = Object(bodyOf(response).meta).page;
      const next = hasMore ? '</v2/metadata/placements?offset=3&size=3>; rel="next"' : undefined;
      expect(response.headers.link).toBe(next);
    }),
    placements('the next three placements', 3, (response, earlier) => {
      const before = idsOf(earlier('the first three placements'));
      expect(idsOf(response).filter((id) => before.includes(id))).toEqual([]);
    }),
    {
      name: 'the addresses that a CPG user sees, which are not those of agencies',
      request: ({ accountId }) => ({ path: `/metadata/addresses?account_id=${accountId}`, as: 'cpg' }),
      status: 200,
      keys: ['cpg'],
      check: ({ text }) => expect(text).not.toContain('"AGENCY"'),
    },
  ],
};
