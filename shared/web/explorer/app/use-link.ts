import { useMemo } from 'preact/hooks';
import { readLink } from '../question/link.ts';
import { firstQuestion } from '../question/starting-questions.ts';
import type { Api } from './api.ts';
import { type Metadata, useAdvertisers } from './use-catalogue.ts';

/** @returns the question of the query, and its account's advertisers, undefined while they are being read */
export function useLink(api: Api, query: string, { catalogue, accounts }: Metadata, onError: (error: unknown) => void) {
  const read = (advertiserIds?: readonly number[]) => {
    const accountIds = accounts.map(({ id }) => id);
    return query === ''
      ? { question: firstQuestion(), leftOut: [] }
      : readLink(query, catalogue, accountIds, advertiserIds);
  };
  const account = useMemo(() => read().question.account, [query, catalogue, accounts]);
  const advertisers = useAdvertisers(api, account, onError);
  return useMemo(
    () => ({ ...read(advertisers?.map(({ id }) => id)), advertisers }),
    [query, catalogue, accounts, advertisers],
  );
}
