import type { Identity } from '../identity/identity.ts';
import { withDeadline } from '../lib/deadline.ts';
import { ApiError } from '../lib/errors.ts';
import type { ApiRequest } from './api-request.ts';

/** Rejects the request if its key has exceeded a limit, and stores the admission in the request's state. */
export const rateLimit = (identity: Identity) => ({
  before: async ({ event }: ApiRequest): Promise<void> => {
    const { state } = event;
    if (state.key === undefined) return;
    state.admission = await withDeadline(state.deadline, identity.admit(state.key));
    if (state.admission.rejection !== undefined) throw tooManyRequests(state.admission.rejection);
  },
});

export function tooManyRequests({ reason, retryAfterS }: { reason: string; retryAfterS: number }): ApiError {
  const detail = `${reason} Try again after the time in Retry-After.`;
  return new ApiError('TOO_MANY_REQUESTS', detail, { headers: { 'Retry-After': String(retryAfterS) } });
}
