/**
 * @returns milliseconds. A clock is passed as an argument, so that tests can control it.
 *
 * Which clock decides:
 * - `systemClock`: moments that are stored or that others compare: days, expiries of keys and tokens, windows of limits, running reports, ages of views.
 * - `elapsedClock`: how long ago something was in this process: the read of the commit or of a key, the last use of a connection, the settlement of limits, a failure of
 *   KMS, the renewal of the own lease, the beginning of a request (deadlines). While Lambda has frozen an instance, the monotonic clock may stand still and the wall clock be set.
 * - `performance.now()`: how long this process has itself watched or waited, and what is only shown. A jump of the wall clock must not end another load, whose silence is
 *   measured so. Timers measure the same: they do not run in a frozen instance, so whatever has a timer is also checked by a clock.
 * - `table.clock`: the time of the table, for how long superseded items are retained.
 */
export type Clock = () => number;

/** Milliseconds since 1970 UTC. */
export const systemClock: Clock = () => Date.now();

/** The wall clock is rounded to a millisecond. */
const ROUNDING_MS = 1;

/**
 * Only differences of its times mean something: what the wall clock or the monotonic clock has advanced, whichever is more.
 * It never goes back: a wall clock that is set back makes nothing more recent, one that is set forward makes everything older.
 */
export const elapsedClock: Clock = combineClocks(systemClock, () => performance.now());

/** @returns a clock that advances by what either clock has advanced, whichever is more */
export function combineClocks(wall: Clock, monotonic: Clock): Clock {
  let difference = wall() - monotonic();
  let stoodStillMs = 0;
  return () => {
    const now = monotonic();
    const change = wall() - now - difference;
    if (Math.abs(change) >= ROUNDING_MS) {
      difference += change;
      stoodStillMs += Math.max(0, change);
    }
    return now + stoodStillMs;
  };
}
