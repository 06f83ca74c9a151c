import { findClosest } from '../lib/closest-name.ts';
import { quoteText } from '../lib/quote-text.ts';
import type { CallApi } from './call-api.ts';
import type { AnyReport } from './request-report.ts';

/**
 * @param texts ids or names of advertisers, also several with commas
 * @returns the ids; of a name, that of the one advertiser among the caller's own with data that has it
 * @throws Error about a name that none or several of them have
 */
export async function findAdvertisers(call: CallApi, texts: readonly string[]): Promise<readonly string[]> {
  if (texts.every((text) => /^[\d\s,]*$/.test(text))) return texts.flatMap((text) => text.split(','));
  const { data } = await call<AnyReport>('/report/all', {
    ...{ startDate: 'latest-731d', endDate: 'latest', dimensions: ['advertiser_id', 'advertiser_name'], metrics: [] },
    ...{ filters: [], sort: [], advertiserIds: [], pagination: { offset: 0, size: 10_000 } },
  });
  const idsOf = Map.groupBy(data, (row) => `${row.advertiser_name}`.toLowerCase());
  const find = (text: string) => idsOf.get(text.trim().toLowerCase())?.map((row) => `${row.advertiser_id}`) ?? [];
  return texts
    .flatMap((text) => (find(text).length > 0 ? [text] : text.split(',')))
    .map((text) => {
      const [id, ...others] = /^\s*\d+\s*$/.test(text) ? [text] : find(text);
      if (id !== undefined && others.length === 0) return id;
      const wanted = text.trim().toLowerCase();
      const near = findClosest(wanted, [...idsOf.keys()]) ?? [...idsOf.keys()].find((name) => name.includes(wanted));
      const names = (idsOf.get(near ?? '') ?? []).map((row) => quoteText(`${row.advertiser_name}`));
      throw new Error(
        id === undefined
          ? `advertisers ${quoteText(text.trim())}: none of your advertisers with data has this name.${names[0] ? ` Did you mean ${names[0]}?` : ''} list_access lists ids and names.`
          : `advertisers ${quoteText(text.trim())}: ${others.length + 1} of your advertisers have this name: ${[id, ...others].join(', ')}. Use an id.`,
      );
    });
}
