import { DAY_MS } from '../lib/calendar.ts';
import { type Clock, elapsedClock } from '../lib/clock.ts';
import { Limiter } from '../lib/concurrency.ts';
import { keysOf } from '../lib/keys-of.ts';
import { numberIn } from '../store/table/item.ts';
import { usageKey } from '../store/table/item-keys.ts';
import type { Meter, Table } from '../store/table/table.ts';

/** What is counted, by minutes and days (UTC). */
const WINDOW_MS = { requests: 60_000, dayRequests: DAY_MS, readUnits: DAY_MS } as const;
export type Counted = keyof typeof WINDOW_MS;
const COUNTED = keysOf(WINDOW_MS);

/** Days whose use is kept, today included. */
export const USAGE_DAYS = 7;

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
export function openUsage(table: Table, digest: string, clock: Clock, elapsed = elapsedClock) {
  const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const metered = table.metered(meter);
  const oneAtATime = new Limiter(1);
  const counts: Record<Counted, Count> = { requests: NONE, dayRequests: NONE, readUnits: NONE };
  let sinceSettled = { at: Number.NEGATIVE_INFINITY, requests: 0 };
  /** Attributes of past minutes and ended reports, which the next update removes. */
  let past: readonly string[] = [];

  function current(counted: Counted): Count {
    const name = nameOf(counted, clock());
    if (counts[counted].name !== name) counts[counted] = { name, total: 0, unsettled: 0 };
    return counts[counted];
  }

  /** @param endsAt of reports that this one begins or ends, by attribute. @returns the number of running reports of the key */
  function settle(endsAt: Readonly<Record<string, number>> = {}): Promise<number> {
    sinceSettled = { at: elapsed(), requests: 0 };
    return oneAtATime.run(async () => {
      const open = COUNTED.map(current);
      const added = Object.fromEntries(open.map(({ name, unsettled }) => [name, unsettled]));
      const set = { ...endsAt, expiresAt: Math.ceil((clock() + (USAGE_DAYS + 1) * DAY_MS) / 1000) };
      const add = Object.keys(added).map((name) => `#${name} :${name}`);
      const put = Object.keys(set).map((name) => `#${name} = :${name}`);
      const removed = past.filter((name) => !(name in set)).map((name) => `#${name}`);
      const text = `ADD ${add} SET ${put}${removed.length === 0 ? '' : ` REMOVE ${removed}`}`;
      const key = usageKey(digest, Math.floor(clock() / DAY_MS));
      const item = await metered.updateAndGet(key, { text, values: { ...added, ...set } }).finally(() => {
        for (const count of open) count.unsettled -= added[count.name] ?? 0;
      });
      for (const count of open) count.total = numberIn(item, count.name);
      const others = Object.keys(item).filter((name) => /^(requests|report)/.test(name) && !(name in added));
      const running = others.filter((name) => name.startsWith('report') && numberIn(item, name) > clock());
      past = others.filter((name) => !running.includes(name));
      return running.length;
    });
  }

  return {
    settle,
    /** @returns the write units that settling has consumed since the last call */
    takeWriteUnits: (): number => {
      const { writeUnits } = meter;
      meter.writeUnits = 0;
      return writeUnits;
    },
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
      current('dayRequests').unsettled += 1;
      sinceSettled.requests += 1;
      const { at, requests } = sinceSettled;
      if (elapsed() - at >= SETTLE_MS || requests >= SETTLE_REQUESTS) settle().catch(() => undefined);
    },
  };
}

export interface UsedByKey {
  readonly requests: number;
  readonly readUnits: number;
}

/** @returns one member per digest: what the key has used in the last USAGE_DAYS; undefined if nothing was counted, which holds for keys without limits */
export async function readUsage(
  table: Table,
  digests: readonly string[],
  now: number,
): Promise<(UsedByKey | undefined)[]> {
  const times = Array.from({ length: USAGE_DAYS }, (_, index) => now - index * DAY_MS);
  const keys = digests.flatMap((digest) => times.map((time) => usageKey(digest, Math.floor(time / DAY_MS))));
  const items = await table.getMany(keys, { consistent: false });
  return digests.map((_, index) => {
    const own = items.slice(index * USAGE_DAYS, (index + 1) * USAGE_DAYS);
    if (own.every((item) => item === undefined)) return undefined;
    const sum = (counted: Counted) =>
      own.reduce((total, item, day) => total + Number(item?.[nameOf(counted, times[day] ?? now)] ?? 0), 0);
    return { requests: sum('dayRequests'), readUnits: sum('readUnits') };
  });
}

/** @returns the attribute of the total: the number is that of the minute or day since 1970 */
function nameOf(counted: Counted, time: number): string {
  return `${counted}${Math.floor(time / WINDOW_MS[counted])}`;
}
