import type { Identity } from '../identity/identity.ts';
import { withDeadline } from '../lib/deadline.ts';
import { ApiError } from '../lib/errors.ts';
import { type ApiMiddleware, headerValues } from './message/api-request.ts';

const BEARER = /^bearer(?:\s+(.*))?$/is;

const RENEW = 'Get a new token with GET /jwt, or omit the Authorization header.';

/** Verifies the bearer token, if the client sent one. A token never replaces the key; other Authorization schemes are ignored. */
export const bearer = (identity: Identity): ApiMiddleware => ({
  before: async ({ event, context: { state } }) => {
    const sent = headerValues(event, 'authorization').flatMap((value) => {
      const match = BEARER.exec(value.trim());
      return match === null ? [] : [match[1] ?? ''];
    });
    const [token, ...others] = new Set(sent);
    const { caller } = state;
    if (token === undefined || caller === undefined) return;
    if (others.length > 0)
      throw tokenError('The request has several different bearer tokens; only one is allowed.', 'Send one of them.');
    const verified = await withDeadline(state.deadline, identity.verifyToken(token, caller));
    if ('reason' in verified) throw tokenError(verified.reason, RENEW);
    state.claims = verified;
  },
});

/**
 * @param reason a sentence without quotation marks; it is used in the body and in the header
 * @param advice a sentence for the body
 */
function tokenError(reason: string, advice: string): ApiError {
  const challenge = `Bearer realm="endcap", error="invalid_token", error_description="${reason}"`;
  return new ApiError('TOKEN_INVALID', `${reason} ${advice}`, { headers: { 'WWW-Authenticate': challenge } });
}
