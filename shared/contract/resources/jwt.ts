import * as z from 'zod/mini';
import { described } from '../described.ts';

/** The token endpoints have no parameters. */
export const getJwtInput = {};

export const TokenClaims = z
  .strictObject({
    iss: z.string().check(described('Issuer: this platform.')),
    sub: z.string().check(described('User id of the caller.')),
    aud: z.string().check(described('Audience.')),
    iat: z.int().check(described('Time of issue, in seconds since 1970.', 1772366400)),
    exp: z.int().check(described('Time of expiry, in seconds since 1970: an hour after iat.', 1772370000)),
    jti: z.string().check(described('Unique id of the token.')),
    userType: z.enum(['AGENCY', 'CPG']).check(described('Type of the user.')),
    accountIds: z.optional(
      z
        .array(z.int())
        .check(
          z.maxLength(100),
          described(
            'Ids of the accounts that the key allows; absent if there are more than 100, or if the user sees all accounts.',
          ),
        ),
    ),
    accountCount: z.optional(
      z
        .int()
        .check(described('Number of the accounts that the key allows; present only if accountIds is absent.', 101)),
    ),
  })
  .check(z.meta({ id: 'TokenClaims', description: 'Claims of a JWT.' }));

export const TokenResponse = z
  .strictObject({
    token: z
      .string()
      .check(
        described(
          'JWT (JWS compact serialization, ES256). Send it in the header Authorization, with the scheme Bearer.',
        ),
      ),
    tokenType: z.literal('Bearer'),
    expiresAt: z.iso.datetime().check(described('When the token expires.', '2026-03-01T13:00:00.000Z')),
  })
  .check(z.meta({ id: 'TokenResponse', description: 'The caller’s JWT.' }));
export type TokenResponse = z.infer<typeof TokenResponse>;

/** @param exp seconds since 1970 */
export function tokenResponse(token: string, exp: number): TokenResponse {
  return { token, tokenType: 'Bearer', expiresAt: new Date(exp * 1000).toISOString() };
}

/** How long clients may keep the key set. It is also the time that a new key must be published before it signs. */
export const KEY_SET_SECONDS = 300;

const PublicKey = z
  .strictObject({
    kty: z.literal('EC').check(described('Key type.', 'EC')),
    crv: z.literal('P-256').check(described('Curve.', 'P-256')),
    x: z.string().check(described('x coordinate, base64url.')),
    y: z.string().check(described('y coordinate, base64url.')),
    kid: z
      .string()
      .check(described('Id of the key, as in the header of the tokens that it has signed: the thumbprint (RFC 7638).')),
    alg: z.literal('ES256').check(described('Algorithm of the signatures.', 'ES256')),
    use: z.literal('sig').check(described('The key is for signatures.', 'sig')),
  })
  .check(z.meta({ id: 'PublicKey', description: 'A public key (RFC 7517).' }));

export const KeySetResponse = z
  .strictObject({
    keys: z
      .array(PublicKey)
      .check(
        described('All keys whose tokens are accepted: the one that signs now, and during a rotation the others.'),
      ),
  })
  .check(z.meta({ id: 'KeySetResponse', description: 'The public keys that verify the tokens (RFC 7517).' }));
