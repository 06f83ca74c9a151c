import type { Identity } from '../identity/identity.ts';
import { ApiError } from '../lib/errors.ts';
import { type ApiRequest, headerValues } from './api-request.ts';
import { withDeadline } from './deadline.ts';

const BEARER = /^bearer(?:\s+(.*))?$/i;

/** Verifies the bearer token where one is sent; it never replaces the key, and other Authorization schemes are not ours. */
export const bearer = (identity: Identity) => ({
  before: async ({ event }: ApiRequest): Promise<void> => {
    const sent = headerValues(event, 'authorization').flatMap((value) => {
      const match = BEARER.exec(value.trim());
      return match === null ? [] : [match[1] ?? ''];
    });
    const [token, ...others] = new Set(sent);
    const { caller } = event.state;
    if (token === undefined || caller === undefined) return;
    if (others.length > 0) throw refuse('Several different bearer tokens were sent; send one.');
    const verified = await withDeadline(event.state.deadline, identity.verifyToken(token, caller));
    if ('reason' in verified) throw refuse(verified.reason);
    event.state.claims = verified;
  },
});

/** @param why a sentence without quotation marks, for the body and the header */
function refuse(why: string): ApiError {
  const detail = `${why} Fetch a new one with GET /jwt, or leave the Authorization header out.`;
  const challenge = `Bearer realm="endcap", error="invalid_token", error_description="${why}"`;
  return new ApiError('TOKEN_INVALID', detail, { headers: { 'WWW-Authenticate': challenge } });
}
