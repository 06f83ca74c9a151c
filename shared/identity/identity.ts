import type { Meter } from '../store/client.ts';
import type { User } from '../store/users.ts';
import type { TokenClaims } from './jwt.ts';

export type { Meter } from '../store/client.ts';
export type { TokenClaims } from './jwt.ts';

/** Whose request it is. */
export interface Caller extends Omit<User, 'accountIds'> {
  /** The accounts the user may see, ascending; for the caller no others exist. */
  readonly accountIds: ReadonlySet<number>;
}

/** Why a key or token is not accepted: a sentence that the caller may read. */
export interface Refused {
  readonly refused: string;
}

/** What the chain asks about callers. */
export interface Identity {
  /** @returns whose API key it is; what it says is at most a minute old. */
  findCaller(key: string, meter: Meter): Promise<Caller | Refused>;
  /** @returns the caller as it is now. */
  refreshCaller(caller: Caller, meter: Meter): Promise<Caller>;
  /** @returns the claims of a token that is valid and the caller's own. */
  verifyToken(token: string, caller: Caller): Promise<TokenClaims | Refused>;
}
