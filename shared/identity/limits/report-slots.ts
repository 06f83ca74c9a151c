import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Table } from '../../store/table/client.ts';
import { numberIn } from '../../store/table/item.ts';
import { type Key, runningReportKey, runningReportRange } from '../../store/table/keys.ts';

/** Reports that end sooner are not counted: this saves their two writes, and they occupy no instance for long. One that expects to take as long is counted at once. */
const COUNTED_AFTER_MS = 100;
/** Longer than a function runs: a slot that was not released, because its instance crashed, is free by then. */
const SLOT_MS = 30_000;

/**
 * A report that the limit applies to.
 * @param signal aborts when the report is rejected
 * @param expectMs the report calls it before it computes, with the time that this will take: a long computation delays the timer by which a report is counted
 */
export type LimitedWork<Result> = (signal: AbortSignal, expectMs: (ms: number) => void) => Promise<Result>;

interface Slot {
  readonly table: Table;
  readonly clock: Clock;
  /** Of the API key. */
  readonly digest: string;
  /** Maximum concurrent reports of the key. */
  readonly limit: number;
}

/**
 * Runs a report, which counts as a running report of the key in all instances until it ends. The check is made while the report runs, so that it does
 * not delay its start; of too many concurrent reports the last ones are rejected.
 * @returns the result of the work, or undefined if the report is rejected
 */
export async function runInSlot<Result>(slot: Slot, work: LimitedWork<Result>): Promise<Result | undefined> {
  const rejected = new AbortController();
  const key = runningReportKey(slot.digest, randomUUID()); // clients can choose API Gateway's request id
  let counted = false;
  // the report is not rejected if it has ended, or if the table cannot be reached
  const { promise: checking, resolve: decide } = Promise.withResolvers<boolean>();
  const count = () => {
    if (counted) return;
    counted = true;
    const isOver = takeSlot(slot, key).then((startedAt) => isOverLimit(slot, key, startedAt));
    decide(isOver.catch(() => false));
  };
  const timer = setTimeout(count, COUNTED_AFTER_MS);
  const working = work(rejected.signal, (ms) => {
    if (ms >= COUNTED_AFTER_MS) count();
  });
  const watching = checking.then((isOver) => (isOver ? undefined : working));
  try {
    return await Promise.race([working, watching]);
  } finally {
    clearTimeout(timer);
    if (!counted) decide(false);
    if (await checking) {
      working.catch(() => undefined);
      rejected.abort(new Error('the API key has too many concurrent reports'));
    }
    // not in the background: an instance is frozen after its response, and the slot would stay occupied
    if (counted) await slot.table.delete(key).catch(() => false);
  }
}

/** @returns the time at which the slot was taken, in milliseconds since 1970 */
async function takeSlot({ table, clock }: Slot, key: Key): Promise<number> {
  const startedAt = clock();
  const endsAt = startedAt + SLOT_MS;
  const text = 'SET #startedAt = :startedAt, #endsAt = :endsAt, #expiresAt = :expiresAt';
  const values = { startedAt, endsAt, expiresAt: Math.ceil(endsAt / 1000) };
  await table.update(key, { text, values });
  return startedAt;
}

/** @returns whether at least `limit` reports that took their slots before this one (`startedAt`) are still running */
async function isOverLimit({ table, digest, limit }: Slot, { sk }: Key, startedAt: number): Promise<boolean> {
  const running = await table.query({ ...runningReportRange(digest), consistent: true });
  const before = running.filter((item) => {
    const difference = numberIn(item, 'startedAt') - startedAt;
    return numberIn(item, 'endsAt') > startedAt && (difference < 0 || (difference === 0 && item.sk < sk));
  });
  return before.length >= limit;
}
