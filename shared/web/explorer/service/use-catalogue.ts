import { useEffect, useState } from 'preact/hooks';
import { Catalogue } from '../question/catalogue.ts';
import type { Account, Advertiser, Api } from './api.ts';

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

/** @returns the advertisers of an account; [] without one, undefined until they are read */
export function useAdvertisers(
  api: Api,
  account: number | undefined,
  onError: (error: unknown) => void,
): readonly Advertiser[] | undefined {
  const [found, setFound] = useState<ReadonlyMap<number, readonly Advertiser[]>>(new Map());
  useEffect(() => {
    if (account === undefined) return;
    api.advertisers(account).then((list) => setFound((known) => new Map(known).set(account, list)), onError);
  }, [api, account, onError]);
  return account === undefined ? NONE : found.get(account);
}

const NONE: readonly Advertiser[] = [];
