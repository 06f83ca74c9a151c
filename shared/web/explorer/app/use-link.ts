import { useMemo } from 'preact/hooks';
import { leaveOutForeign, readLink } from '../question/link.ts';
import { firstQuestion } from '../question/starting-questions.ts';
import type { Api } from './api.ts';
import { type Metadata, useAdvertisers } from './use-catalogue.ts';

/**
 * @returns what the query of the address asks, the first question if it is empty; and the advertisers of the question's account, undefined while they are being
 * read
 */
export function useLink(api: Api, query: string, { catalogue, accounts }: Metadata, onError: (error: unknown) => void) {
  const link = useMemo(() => {
    const ids = accounts.map(({ id }) => id);
    return query === '' ? { question: firstQuestion(), leftOut: [] } : readLink(query, catalogue, ids);
  }, [query, catalogue, accounts]);
  const advertisers = useAdvertisers(api, link.question.account, onError);
  return useMemo(() => {
    const ids = advertisers?.map(({ id }) => id);
    return { ...(ids === undefined ? link : leaveOutForeign(link, ids)), advertisers };
  }, [link, advertisers]);
}
