import type { Clock } from '../lib/clock.ts';
import type { Caller, Rejection, TokenClaims } from './identity.ts';
import { claimsFor, signToken, type TokenSettings, verifyToken } from './jwt.ts';
import type { SigningKey } from './signing-key.ts';

export interface IssuedToken {
  readonly token: string;
  readonly claims: TokenClaims;
}

/** Issues and verifies the platform's tokens. */
export class Tokens {
  readonly #settings: TokenSettings;
  readonly #openKey: () => SigningKey;
  readonly #clock: Clock;
  #key: SigningKey | undefined;

  /** @param openKey called once, when the first token is signed or verified; most instances never need the key */
  constructor(settings: TokenSettings, openKey: () => SigningKey, clock: Clock) {
    this.#settings = settings;
    this.#openKey = openKey;
    this.#clock = clock;
  }

  /** @returns the claims of a token issued to the caller now */
  claimsFor(caller: Caller): TokenClaims {
    return claimsFor(caller, this.#settings, this.#clock());
  }

  /** @returns a new token for the caller, valid for an hour */
  async issue(caller: Caller): Promise<IssuedToken> {
    const claims = this.claimsFor(caller);
    return { token: await signToken(claims, this.#signingKey()), claims };
  }

  /** @returns the token's claims, or why it is not a valid token of the caller */
  async verify(token: string, caller: Caller): Promise<TokenClaims | Rejection> {
    const publicKey = () => this.#signingKey().publicKey();
    return verifyToken(token, caller, this.#settings, publicKey, this.#clock());
  }

  #signingKey(): SigningKey {
    this.#key ??= this.#openKey();
    return this.#key;
  }
}
