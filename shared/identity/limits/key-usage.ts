import type { Clock } from '../../lib/clock.ts';
import { Limiter } from '../../lib/concurrency.ts';
import { numberIn } from '../../store/table/item.ts';
import { usageKey } from '../../store/table/item-keys.ts';
import type { Table } from '../../store/table/table.ts';

/** What is counted, by minutes and days (UTC). */
const WINDOW_MS = { requests: 60_000, readUnits: 86_400_000 } as const;
export type Counted = keyof typeof WINDOW_MS;

const SETTLE_MS = 1_000;
const SETTLE_REQUESTS = 20;

/** What was used in one minute or day: by all instances as of the last time that this one settled, and what it has counted since. */
interface Count {
  /** The attribute of the total, such as `requests29736421`: the number is that of the minute since 1970. */
  readonly name: string;
  total: number;
  unsettled: number;
}

const NONE: Count = { name: '', total: 0, unsettled: 0 };

export type KeyUsage = ReturnType<typeof openUsage>;

/**
 * @returns what a key uses. One item per key and day has the totals of all instances, and when each running report ends at the latest. An instance settles once a
 * second or every 20 requests: it adds what it has counted, and receives the totals. What it cannot settle is not counted.
 */
export function openUsage(table: Table, clock: Clock, digest: string) {
  const oneAtATime = new Limiter(1);
  const counts: Record<Counted, Count> = { requests: NONE, readUnits: NONE };
  let sinceSettled = { at: Number.NEGATIVE_INFINITY, requests: 0 };
  /** Attributes of past minutes and ended reports, which the next update removes. */
  let past: readonly string[] = [];

  function current(counted: Counted): Count {
    const name = `${counted}${Math.floor(clock() / WINDOW_MS[counted])}`;
    if (counts[counted].name !== name) counts[counted] = { name, total: 0, unsettled: 0 };
    return counts[counted];
  }

  /** @param endsAt of reports that this one begins or ends, by attribute. @returns the number of running reports of the key */
  function settle(endsAt: Readonly<Record<string, number>> = {}): Promise<number> {
    sinceSettled = { at: clock(), requests: 0 };
    return oneAtATime.run(async () => {
      const [requests, readUnits] = [current('requests'), current('readUnits')];
      const added = { [requests.name]: requests.unsettled, [readUnits.name]: readUnits.unsettled };
      const set = { ...endsAt, expiresAt: Math.ceil((clock() + 2 * WINDOW_MS.readUnits) / 1000) };
      const add = Object.keys(added).map((name) => `#${name} :${name}`);
      const put = Object.keys(set).map((name) => `#${name} = :${name}`);
      const removed = past.filter((name) => !(name in set)).map((name) => `#${name}`);
      const text = `ADD ${add} SET ${put}${removed.length === 0 ? '' : ` REMOVE ${removed}`}`;
      const key = usageKey(digest, Math.floor(clock() / WINDOW_MS.readUnits));
      const item = await table.updateAndGet(key, { text, values: { ...added, ...set } }).finally(() => {
        for (const count of [requests, readUnits]) count.unsettled -= added[count.name] ?? 0;
      });
      for (const count of [requests, readUnits]) count.total = numberIn(item, count.name);
      const others = Object.keys(item).filter((name) => /^(requests|report)/.test(name) && name !== requests.name);
      const running = others.filter((name) => name.startsWith('report') && numberIn(item, name) > clock());
      past = others.filter((name) => !running.includes(name));
      return running.length;
    });
  }

  return {
    settle,
    /** @returns what the key has used in this minute or day, as far as the instance has seen, and when that ends */
    read: (counted: Counted) => {
      const [{ total, unsettled }, windowMs] = [current(counted), WINDOW_MS[counted]];
      const secondsLeft = Math.ceil((windowMs - (clock() % windowMs)) / 1000);
      return { used: total + unsettled, windowS: windowMs / 1000, secondsLeft };
    },
    countReadUnits: (amount: number): void => {
      current('readUnits').unsettled += amount;
    },
    /** Counts a request, and settles in the background if that is due. */
    countRequest: (): void => {
      current('requests').unsettled += 1;
      sinceSettled.requests += 1;
      const { at, requests } = sinceSettled;
      if (clock() - at >= SETTLE_MS || requests >= SETTLE_REQUESTS) settle().catch(() => undefined);
    },
  };
}
