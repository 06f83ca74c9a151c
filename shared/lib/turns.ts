import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deadline } from './deadline.ts';

/**
 * A turn of the event loop, where the work's last one is 50 ms ago: timers run and responses arrive during a long computation. Call it between steps of the
 * computation; in a loop over small steps, where `isTurnDue`.
 * @throws ApiError DEADLINE_EXCEEDED
 */
export async function takeTurn(deadline: Deadline): Promise<void> {
  deadline.check();
  if (!deadline.isTurnDue) return;
  await nextTurn();
  deadline.beginTurn();
}

/** @returns what `work` returns for all items. @throws ApiError DEADLINE_EXCEEDED */
export async function flatMapInTurns<T, R>(
  items: readonly T[],
  deadline: Deadline,
  work: (item: T) => readonly R[],
): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) {
    await takeTurn(deadline);
    results.push(...work(item));
  }
  return results;
}
