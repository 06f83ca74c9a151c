import { KEY_SET_SECONDS } from '../shared/contract/resources/jwt.ts';
import { publicEndpoint } from '../shared/http/chain/public-endpoint.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { openSigningKeys } from '../shared/identity/signing-key.ts';
import { readEnv } from '../shared/lib/env.ts';

/** GET /.well-known/jwks.json: the public keys with which everybody can verify tokens, of all signing keys whose tokens are accepted. */
export function create(): ApiHandler {
  const { JWT_KEY_IDS } = readEnv(['JWT_KEY_IDS']);
  const signingKeys = openSigningKeys(JWT_KEY_IDS);
  const headers = { 'Cache-Control': `public, max-age=${KEY_SET_SECONDS}` };
  return publicEndpoint(async () => ({ body: { keys: await signingKeys.listPublished() }, headers }));
}

export const handler = create();
