import type { Identity } from '../identity/identity.ts';
import type { Admission } from '../identity/key-limiter.ts';
import { explainForbiddenUse, type Scope } from '../identity/keys/key-rights.ts';
import { ApiError } from '../lib/errors.ts';
import type { ApiMiddleware } from './message/api-request.ts';

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
