import { getJwtInput } from '../shared/contract/resources/jwt.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { openPlatform } from '../shared/identity/platform.ts';

const platform = openPlatform();

/** GET /jwt/claims: the claims of the request's JWT, else of a JWT that would be issued now. */
export const handler = endpoint(platform, {
  scope: 'jwt',
  input: getJwtInput,
  handle: async ({ caller, context }) => ({ body: context.claims ?? platform.tokens.claimsFor(caller) }),
});
