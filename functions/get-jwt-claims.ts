import { getJwtInput } from '../shared/contract/resources/jwt.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { openPlatform } from '../shared/identity/platform.ts';

const platform = openPlatform();

/** GET /jwt/claims: the claims of the JWT that was sent, else those that a JWT issued now would have. */
export const handler = endpoint(platform.identity, {
  input: getJwtInput,
  handle: async ({ caller, context }) => ({ body: context.claims ?? platform.tokens.claimsFor(caller) }),
});
