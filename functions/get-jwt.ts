import { getJwtInput, tokenResponse } from '../shared/contract/resources/jwt.ts';
import { type ApiHandler, endpoint } from '../shared/http/endpoint.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';

/** GET /jwt: issues a JWT to the caller. */
export const create = (platform: Platform): ApiHandler =>
  endpoint(platform, {
    scope: 'jwt',
    input: getJwtInput,
    handle: async ({ caller }) => {
      const { token, claims } = await platform.tokens.issue(caller);
      return { body: tokenResponse(token, claims.exp) };
    },
  });

export const handler = create(openPlatform());
