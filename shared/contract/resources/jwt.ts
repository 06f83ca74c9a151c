import * as z from 'zod/mini';

/** Neither token endpoint takes parameters. */
export const getJwtInput = {};

export const TokenClaims = z
  .strictObject({
    iss: z.string().check(z.meta({ description: 'Issuer: this platform.' })),
    sub: z.string().check(z.meta({ description: 'User id of the caller.' })),
    aud: z.string().check(z.meta({ description: 'Audience.' })),
    iat: z.int().check(z.meta({ description: 'Issued at, in seconds since 1970.', examples: [1772366400] })),
    exp: z
      .int()
      .check(z.meta({ description: 'Expires at, in seconds since 1970: an hour after iat.', examples: [1772370000] })),
    jti: z.string().check(z.meta({ description: 'Unique id of the token.' })),
    userType: z.enum(['AGENCY', 'CPG']).check(z.meta({ description: 'Type of the user.' })),
    accountIds: z.optional(
      z.array(z.int()).check(z.maxLength(100), z.meta({ description: 'Accounts of the user; absent where over 100.' })),
    ),
    accountCount: z.optional(
      z.int().check(z.meta({ description: 'How many accounts the user has, where over 100.', examples: [101] })),
    ),
  })
  .check(z.meta({ id: 'TokenClaims', description: 'Claims of a JWT.' }));

export const TokenResponse = z
  .strictObject({
    token: z.string().check(z.meta({ description: 'JWT (JWS compact, ES256). Send it as Authorization: Bearer.' })),
    tokenType: z.literal('Bearer'),
    expiresAt: z.iso
      .datetime()
      .check(z.meta({ description: 'When it expires.', examples: ['2026-03-01T13:00:00.000Z'] })),
  })
  .check(z.meta({ id: 'TokenResponse', description: 'The caller’s JWT.' }));
export type TokenResponse = z.infer<typeof TokenResponse>;

/** @param exp seconds since 1970 */
export function tokenResponse(token: string, exp: number): TokenResponse {
  return { token, tokenType: 'Bearer', expiresAt: new Date(exp * 1000).toISOString() };
}
