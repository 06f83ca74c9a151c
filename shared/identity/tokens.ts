import type { Clock } from '../lib/clock.ts';
import type { Caller, Rejection, TokenClaims } from './identity.ts';
import { claimsFor, signToken, type TokenSettings, verifyToken } from './sign-token.ts';
import type { SigningKeys } from './signing-key.ts';

interface IssuedToken {
  readonly token: string;
  readonly claims: TokenClaims;
}

/** Issues and verifies the platform's tokens. */
export class Tokens {
  readonly #settings: TokenSettings;
  readonly #openKeys: () => SigningKeys;
  readonly #clock: Clock;
  #keys: SigningKeys | undefined;

  /** @param openKeys called once, when the first token is signed or verified; most instances never need the keys */
  constructor(settings: TokenSettings, openKeys: () => SigningKeys, clock: Clock) {
    this.#settings = settings;
    this.#openKeys = openKeys;
    this.#clock = clock;
  }

  /** @returns the claims of a token issued to the caller now */
  claimsFor(caller: Caller): TokenClaims {
    return claimsFor(caller, this.#settings, this.#clock());
  }

  /** @returns a new token for the caller, valid for an hour. @throws ApiError STORE_BUSY while KMS is throttled or unreachable */
  async issue(caller: Caller): Promise<IssuedToken> {
    const claims = this.claimsFor(caller);
    return { token: await signToken(claims, this.#signingKeys().current), claims };
  }

  /**
   * @returns the token's claims, or why it is not a valid token of the caller
   * @throws ApiError STORE_BUSY while KMS is throttled or unreachable and the token's key is not cached
   */
  async verify(token: string, caller: Caller): Promise<TokenClaims | Rejection> {
    const findKey = (kid: string | undefined) => this.#signingKeys().find(kid);
    return verifyToken(token, caller, this.#settings, findKey, this.#clock());
  }

  #signingKeys(): SigningKeys {
    this.#keys ??= this.#openKeys();
    return this.#keys;
  }
}
