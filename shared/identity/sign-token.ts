import { createHash, randomUUID } from 'node:crypto';
import { errors, type JWTHeaderParameters, jwtVerify } from 'jose';
import type { Caller, Rejection, TokenClaims } from './identity.ts';
import type { PublicKey, SigningKey } from './signing-key.ts';

export interface TokenSettings {
  readonly issuer: string;
  readonly audience: string;
}

const LIFETIME_S = 3_600;
const MAX_LISTED_ACCOUNTS = 100;
/** Tolerated difference between the clocks of two instances. */
const CLOCK_TOLERANCE_S = 5;

const NOT_A_JWT = 'The token is not a JWT.';

/** @returns the claims of a token issued to the caller at `now` (milliseconds since 1970) */
export function claimsFor(caller: Caller, { issuer, audience }: TokenSettings, now: number): TokenClaims {
  const iat = Math.floor(now / 1000);
  const accounts =
    caller.accountIds.size <= MAX_LISTED_ACCOUNTS && !caller.seesAll
      ? { accountIds: [...caller.accountIds] }
      : { accountCount: caller.accountIds.size };
  const registered = { iss: issuer, sub: caller.userId, aud: audience, iat, exp: iat + LIFETIME_S, jti: randomUUID() };
  return { ...registered, userType: caller.userType, ...accounts };
}

/** @returns the token: JWS compact serialization, ES256 */
export async function signToken(claims: TokenClaims, key: SigningKey): Promise<string> {
  const { kid } = await key.publicKey();
  const signed = `${encode({ alg: 'ES256', typ: 'JWT', kid })}.${encode(claims)}`;
  const signature = await key.sign(createHash('sha256').update(signed).digest());
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

/**
 * @param findKey returns the accepted key with the given id; called only if the token is a JWS whose header names ES256
 * @param now milliseconds since 1970; expiry and time of issue are checked with a tolerance of 5 s
 * @returns the claims if the platform has issued the token to the caller and it is valid now, else the reason why not
 * @throws errors of `findKey`
 */
export async function verifyToken(
  token: string,
  caller: Caller,
  { issuer, audience }: TokenSettings,
  findKey: (kid: string | undefined) => Promise<PublicKey | undefined>,
  now: number,
): Promise<TokenClaims | Rejection> {
  if (!hasCanonicalSignature(token)) return { reason: NOT_A_JWT };
  try {
    const requireKey = async ({ kid }: JWTHeaderParameters) => {
      const found = await findKey(kid);
      if (found === undefined) throw new errors.JWKSNoMatchingKey();
      return found.key;
    };
    const { payload } = await jwtVerify(token, requireKey, {
      algorithms: ['ES256'],
      typ: 'JWT',
      issuer,
      audience,
      subject: caller.userId,
      requiredClaims: ['exp', 'iat', 'jti'],
      maxTokenAge: LIFETIME_S,
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now),
    });
    return payload as unknown as TokenClaims; // signed with one of our keys, so made by claimsFor
  } catch (error) {
    if (error instanceof errors.JOSEError) return { reason: explain(error) };
    throw error;
  }
}

function explain(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'sub'
      ? 'The token belongs to another user.'
      : `The claim ${error.claim} of the token is not valid.`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token does not match.';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token is not signed with ES256.';
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token is not signed with an accepted key.';
  return NOT_A_JWT;
}

/** 64 bytes are 85⅓ characters of base64url, so the last character has four bits that decoders ignore: 16 texts would be one signature. */
function hasCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
