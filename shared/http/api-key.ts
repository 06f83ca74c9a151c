import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Identity } from '../identity/identity.ts';
import { KEY_PREFIX } from '../identity/keys/key-record.ts';
import type { Scope } from '../identity/keys/key-rights.ts';
import { withDeadline } from '../lib/deadline.ts';
import { ApiError, type ProblemCode } from '../lib/errors.ts';
import { type ApiMiddleware, headerValues, queryValues } from './message/api-request.ts';

export const KEY_HEADER = 'Ocp-Apim-Subscription-Key';
export const KEY_QUERY = 'subscription-key';

/** Enough to distinguish keys in a log, and far too few to guess one: `ecap_` and 4 of 43 random digits. */
const LOGGED_CHARACTERS = 9;

const CHALLENGE = `ApiKey realm="endcap", header="${KEY_HEADER}", query="${KEY_QUERY}"`;

/** Authenticates the request by its API key, and stores the caller and the key's record in the request's state. */
export const apiKey = (identity: Identity, scope: Scope): ApiMiddleware => ({
  before: async ({ event, context: { state } }) => {
    const key = readKey(event);
    if (key.startsWith(KEY_PREFIX)) state.keyPrefix = key.slice(0, LOGGED_CHARACTERS);
    // a report needs the current commit anyway, so it is read here, in parallel with the key
    const since = scope === 'report' ? state.startedAt : undefined;
    const found = await withDeadline(state.deadline, identity.findCaller(key, state.meter, since));
    if ('reason' in found)
      throw keyError('KEY_INVALID', `${found.reason} Ask the operator of the platform for a new key.`);
    state.caller = found.caller;
    state.key = found.key;
  },
});

/** @returns the request's one key, from the header, the query or both; an empty key counts as missing */
function readKey(event: APIGatewayProxyEvent): string {
  const inHeader = headerValues(event, KEY_HEADER.toLowerCase());
  const inQuery = queryValues(event, KEY_QUERY);
  const keys = new Set([...inHeader, ...inQuery].filter((key) => key !== ''));
  const [key] = keys;
  if (key === undefined) {
    const isElsewhere = headerValues(event, 'authorization').length > 0;
    const advice = isElsewhere ? ' Keys do not go into Authorization, which is for tokens of GET /jwt.' : '';
    throw keyError(
      'KEY_MISSING',
      `Send your API key in the header ${KEY_HEADER} or in the query parameter ${KEY_QUERY}.${advice}`,
    );
  }
  if (keys.size > 1) {
    throw keyError('KEY_CONFLICT', 'Send one API key: in the header, in the query, or the same key in both.');
  }
  return key;
}

function keyError(code: ProblemCode, detail: string): ApiError {
  return new ApiError(code, detail, { headers: { 'WWW-Authenticate': CHALLENGE } });
}
