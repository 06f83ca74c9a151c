import type { Meter } from '../store/client.ts';
import type { CommitState } from '../store/commits.ts';
import type { User } from '../store/users.ts';
import type { TokenClaims } from './jwt.ts';

export type { Meter } from '../store/client.ts';
export type { CommitState } from '../store/commits.ts';
export type { TokenClaims } from './jwt.ts';

/** Whose request it is. */
export interface Caller extends Omit<User, 'accountIds'> {
  /** The accounts the user may see, ascending; for the caller no others exist. */
  readonly accountIds: ReadonlySet<number>;
  /** The load that the accounts are as of. */
  readonly commit: number;
}

/** Why a key or token is not accepted: a sentence that the caller may read. */
export interface Refused {
  readonly refused: string;
}

/** What the chain asks about callers. */
export interface Identity {
  /** @returns whose API key it is: of the key, what was true at most a minute ago, of its user a second. */
  findCaller(key: string, meter: Meter): Promise<Caller | Refused>;
  /** @returns the caller as of `state`, or as of now. */
  refreshCaller(caller: Caller, meter: Meter, state?: CommitState): Promise<Caller>;
  /** @returns the claims of a token that is valid and the caller's own. */
  verifyToken(token: string, caller: Caller): Promise<TokenClaims | Refused>;
}
