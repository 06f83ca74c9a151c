import type { Identity } from '../../identity/identity.ts';
import type { Admission } from '../../identity/key-limiter.ts';
import { explainForbiddenUse, type Scope } from '../../identity/keys/key-rights.ts';
import { elapsedClock } from '../../lib/clock.ts';
import { Deadline, withDeadline } from '../../lib/deadline.ts';
import { ApiError } from '../../lib/errors.ts';
import type { ApiMiddleware, RequestState } from '../message/api-request.ts';

/**
 * Rejects the request if its key has exceeded a limit, or does not allow the operation or the client's address, and stores the admission in the request's state.
 * Requests that the key does not allow are limited, too, but counted apart: whoever has stolen a key must not use up its requests from a wrong address.
 */
export const keyLimits = (identity: Identity, scope: Scope): ApiMiddleware => ({
  before: ({ event, context: { state } }) => {
    if (state.key === undefined) return;
    const forbidden = explainForbiddenUse(state.key, { scope, address: event.requestContext.identity.sourceIp });
    state.admission = identity.admit(state.key, forbidden !== undefined);
    if (state.admission.rejection !== undefined) throw tooManyRequests(state.admission.rejection);
    if (forbidden !== undefined)
      throw new ApiError(forbidden.code, `${forbidden.reason} Ask the operator of the platform to change the key.`);
  },
});

export function tooManyRequests({ reason, retryAfterS }: NonNullable<Admission['rejection']>): ApiError {
  const detail = `${reason} Try again after the time in Retry-After.`;
  return new ApiError('TOO_MANY_REQUESTS', detail, { headers: { 'Retry-After': String(retryAfterS) } });
}

/** Maximum time that the response of a report waits until the report no longer counts as running. */
const MAX_END_MS = 1_000;

/** What a write unit costs in read units, at on-demand prices. */
const READ_UNITS_OF_WRITE_UNIT = 5;

/**
 * Charges the key for what the request has read and written, and ends its report. It is the last step, after the line in the log, which a request must have even if the
 * function is killed while it waits for the table.
 */
export const endAdmission = (): ApiMiddleware => ({
  after: ({ context, response }) => end(context.state, response?.statusCode),
  onError: ({ context, response }) => end(context.state, response?.statusCode),
});

async function end({ admission, meter }: RequestState, status: number | undefined): Promise<void> {
  // what a 404 has read shows whether the item exists for somebody else
  const units = (status === 404 ? 0 : meter.readUnits) + READ_UNITS_OF_WRITE_UNIT * meter.writeUnits;
  const ending = admission?.end(units) ?? Promise.resolve();
  await withDeadline(new Deadline(elapsedClock() + MAX_END_MS), ending).catch(() => undefined);
}
