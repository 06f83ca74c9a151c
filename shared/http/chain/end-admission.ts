import { Deadline, withDeadline } from '../../lib/deadline.ts';
import type { ApiMiddleware, RequestState } from '../message/api-request.ts';

/** Maximum time that the response of a report waits until the report no longer counts as running. */
const MAX_END_MS = 1_000;

/**
 * Charges the key for what the request has read, and ends its report. It is the last step, after the line in the log, which a request must have even if the
 * function is killed while it waits for the table.
 */
export const endAdmission = (): ApiMiddleware => ({
  after: ({ context, response }) => end(context.state, response?.statusCode),
  onError: ({ context, response }) => end(context.state, response?.statusCode),
});

async function end({ admission, meter }: RequestState, status: number | undefined): Promise<void> {
  // what a 404 has read shows whether the item exists for somebody else
  const charged = status === 404 ? 0 : meter.readUnits;
  const ending = admission?.end(charged) ?? Promise.resolve();
  await withDeadline(new Deadline(performance.now() + MAX_END_MS), ending).catch(() => undefined);
}
