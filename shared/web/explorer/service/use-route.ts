import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { readLink, writeQuestion } from '../question/link.ts';
import { firstQuestion } from '../question/starting-questions.ts';
import type { Api } from './api.ts';
import { type Metadata, useAdvertisers } from './use-catalogue.ts';

/** What the fragment of the address says: `#/report?…` or `#/data`. */
export interface Route {
  readonly page: 'report' | 'data';
  /** The question; empty without one. */
  readonly query: string;
}

/** @returns the current route, and a function that goes to another one and adds it to the history */
export function useRoute(): readonly [Route, (route: Route) => void] {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const update = () => setRoute(readRoute());
    window.addEventListener('popstate', update);
    return () => window.removeEventListener('popstate', update);
  }, []);
  const go = useCallback((next: Route) => {
    const hash = hashOf(next);
    if (hash !== location.hash) history.pushState(null, '', hash);
    setRoute(next);
  }, []);
  return [route, go];
}

export function hashOf({ page, query }: Route): string {
  return `#/${page}${query === '' ? '' : `?${query}`}`;
}

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.slice(1).split(/\?(.*)/s); // at the first question mark
  return path === '/data' ? { page: 'data', query: '' } : { page: 'report', query };
}

/** @returns the question of the query, and the advertisers of its account, or of all if it names some without an account; undefined while they are being read */
export function useLink(api: Api, query: string, { catalogue, accounts }: Metadata, onError: (error: unknown) => void) {
  const read = (advertiserIds?: readonly number[]) => {
    const accountIds = accounts.map(({ id }) => id);
    return query === ''
      ? { question: firstQuestion(catalogue), leftOut: [] }
      : readLink(query, catalogue, accountIds, advertiserIds);
  };
  const { account, advertisers: chosen } = useMemo(() => read().question, [query, catalogue, accounts]);
  const isNamed = account === undefined && chosen.length > 0;
  const shown = useMemo(
    () => (isNamed ? accounts : accounts.filter(({ id }) => id === account)),
    [isNamed, account, accounts],
  );
  const advertisers = useAdvertisers(api, shown, onError);
  const link = useMemo(() => read(advertisers?.map(({ id }) => id)), [query, catalogue, accounts, advertisers]);
  // the same until it says something else: each question is sent
  const question = useMemo(() => link.question, [writeQuestion(link.question), catalogue]);
  return { ...link, question, advertisers };
}
