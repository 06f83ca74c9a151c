import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deadline } from './deadline.ts';

/**
 * Yields to the event loop if the work's last turn was 50 ms ago or more, so that timers fire and responses arrive during a long computation. Call it between
 * steps of the computation; in a loop over small steps, only if `isTurnDue`.
 * @throws ApiError DEADLINE_EXCEEDED
 */
export async function takeTurn(deadline: Deadline): Promise<void> {
  deadline.check();
  if (!deadline.isTurnDue) return;
  await nextTurn();
  deadline.beginTurn();
}
