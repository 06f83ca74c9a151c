import { useEffect, useRef, useState } from 'preact/hooks';
import { dayNumber, yesterdayIn } from '../../../lib/calendar.ts';
import { Catalogue } from '../question/catalogue.ts';
import type { Account, Advertiser, Api } from './api.ts';

/** What is read once, before the first question is sent. */
export interface Metadata {
  readonly catalogue: Catalogue;
  readonly accounts: readonly Account[];
}

/**
 * @param experience of the first question: its last day is read at the same time; undefined if no question is shown
 * first
 * @returns the catalogue and the accounts; undefined until they are read
 */
export function useMetadata(
  api: Api,
  experience: string | undefined,
  timeZone: string,
  onError: (error: unknown) => void,
): Metadata | undefined {
  const [metadata, setMetadata] = useState<Metadata>();
  const first = useRef(experience);
  useEffect(() => {
    // useLastDay repeats the request and reports its error
    if (first.current !== undefined) readLastDay(api, first.current, timeZone).catch(() => undefined);
    Promise.all([api.catalogue(), api.accounts()]).then(
      ([data, accounts]) => setMetadata({ catalogue: new Catalogue(data), accounts }),
      onError,
    );
  }, [api, timeZone, onError]);
  return metadata;
}

/** The latest day of presets: all end on it, except those of whole months and quarters. */
export interface LastDay {
  /** Number of the day through which data is complete, but at most yesterday; yesterday if there is no data. */
  readonly day: number;
  readonly isYesterday: boolean;
}

/** @returns the latest day of presets in the experience; undefined until it is read */
export function useLastDay(
  api: Api,
  experience: string,
  timeZone: string,
  onError: (error: unknown) => void,
): LastDay | undefined {
  const [found, setFound] = useState<ReadonlyMap<string, LastDay>>(new Map());
  useEffect(() => {
    readLastDay(api, experience, timeZone).then(
      (day) => setFound((known) => new Map(known).set(experience, day)),
      onError,
    );
  }, [api, experience, timeZone, onError]);
  return found.get(experience);
}

async function readLastDay(api: Api, experience: string, timeZone: string): Promise<LastDay> {
  const date = yesterdayIn(timeZone);
  const completeThrough = await api.completeThrough(experience, date);
  const yesterday = dayNumber(date);
  const complete = completeThrough === null ? yesterday : dayNumber(completeThrough);
  return { day: Math.min(complete, yesterday), isYesterday: complete >= yesterday };
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
