import type { Clock } from '../lib/clock.ts';
import type { Caller, Rejection, TokenClaims } from './identity.ts';
import { claimsFor, signToken, type TokenSettings, verifyToken } from './jwt.ts';
import type { SigningKey } from './signing-key.ts';

export interface IssuedToken {
  readonly token: string;
  readonly claims: TokenClaims;
}

/** The platform's tokens. */
export class Tokens {
  private readonly settings: TokenSettings;
  private readonly openKey: () => SigningKey;
  private readonly clock: Clock;
  private key: SigningKey | undefined;

  /** @param openKey called once, when a token is first to be signed or verified: most instances never see one */
  constructor(settings: TokenSettings, openKey: () => SigningKey, clock: Clock) {
    this.settings = settings;
    this.openKey = openKey;
    this.clock = clock;
  }

  /** @returns the claims that a token issued to the caller now has. */
  claimsFor(caller: Caller): TokenClaims {
    return claimsFor(caller, this.settings, this.clock());
  }

  /** @returns a token for the caller, valid from now on for an hour. */
  async issue(caller: Caller): Promise<IssuedToken> {
    const claims = this.claimsFor(caller);
    return { token: await signToken(claims, this.signingKey()), claims };
  }

  /** @returns the token's claims, or why it is not the caller's valid token. */
  async verify(token: string, caller: Caller): Promise<TokenClaims | Rejection> {
    const publicKey = () => this.signingKey().publicKey();
    return verifyToken(token, caller, this.settings, publicKey, this.clock());
  }

  private signingKey(): SigningKey {
    this.key ??= this.openKey();
    return this.key;
  }
}
