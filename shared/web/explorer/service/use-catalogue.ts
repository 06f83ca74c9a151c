import { useEffect, useState } from 'preact/hooks';
import { Catalogue } from '../question/catalogue.ts';
import type { Account, Api, ListedAdvertiser } from './api.ts';

/** What is read once, before the first question is sent. */
export interface Metadata {
  readonly catalogue: Catalogue;
  readonly accounts: readonly Account[];
}

/** @returns the catalogue and the accounts; undefined until they are read */
export function useMetadata(api: Api, onError: (error: unknown) => void): Metadata | undefined {
  const [metadata, setMetadata] = useState<Metadata>();
  useEffect(() => {
    Promise.all([api.catalogue(), api.accounts()]).then(
      ([data, accounts]) => setMetadata({ catalogue: new Catalogue(data), accounts }),
      onError,
    );
  }, [api, onError]);
  return metadata;
}

/** @returns today in the platform's time zone, as a day number, also after midnight in an open tab */
export function useToday(catalogue: Catalogue): number {
  const [today, setToday] = useState(catalogue.calendar.today);
  useEffect(() => {
    const timer = setInterval(() => setToday(catalogue.calendar.today), 60_000);
    return () => clearInterval(timer);
  }, [catalogue]);
  return today;
}

const NONE: readonly ListedAdvertiser[] = [];

/** @returns the advertisers of the accounts; undefined until they are read */
export function useAdvertisers(
  api: Api,
  accounts: readonly Account[],
  onError: (error: unknown) => void,
): readonly ListedAdvertiser[] | undefined {
  const [found, setFound] = useState<{ readonly of: readonly Account[]; readonly list: readonly ListedAdvertiser[] }>();
  useEffect(() => {
    let isCurrent = true;
    Promise.all(accounts.map((account) => api.advertisers(account))).then(
      (lists) => isCurrent && setFound({ of: accounts, list: lists.flat() }),
      onError,
    );
    return () => {
      isCurrent = false;
    };
  }, [api, accounts, onError]);
  if (accounts.length === 0) return NONE;
  return found?.of === accounts ? found.list : undefined;
}
