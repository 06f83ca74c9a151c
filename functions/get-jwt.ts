import { getJwtInput, tokenResponse } from '../shared/contract/resources/jwt.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { openPlatform } from '../shared/identity/platform.ts';

const platform = openPlatform();

/** GET /jwt: issues a JWT to the caller. */
export const handler = endpoint(platform, {
  scope: 'jwt',
  input: getJwtInput,
  handle: async ({ caller }) => {
    const { token, claims } = await platform.tokens.issue(caller);
    return { body: tokenResponse(token, claims.exp) };
  },
});
