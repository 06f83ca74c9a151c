import { getJwtInput } from '../shared/contract/resources/jwt.ts';
import { type ApiHandler, endpoint } from '../shared/http/endpoint.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';

/** GET /jwt/claims: the claims of the request's JWT, else of a JWT that would be issued now. */
export const create = (platform: Platform): ApiHandler =>
  endpoint(platform, {
    scope: 'jwt',
    input: getJwtInput,
    handle: async ({ caller, context }) => ({ body: context.claims ?? platform.tokens.claimsFor(caller) }),
  });

export const handler = create(openPlatform());
