import type { CommitState } from '../store/commit/commits.ts';
import type { User } from '../store/listings/users.ts';
import type { Meter } from '../store/table/client.ts';

export type { CommitState } from '../store/commit/commits.ts';
export type { Meter } from '../store/table/client.ts';

/** Whose request it is. */
export interface Caller extends Omit<User, 'accountIds'> {
  /** The accounts the user may see, ascending; for the caller no others exist. */
  readonly accountIds: ReadonlySet<number>;
  /** The load that the accounts are as of. */
  readonly commit: number;
}

/** The claims of a token; times in seconds since 1970. */
export interface TokenClaims {
  readonly iss: string;
  /** The user's id. */
  readonly sub: string;
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly userType: Caller['userType'];
  /** The user's accounts, ascending, where there are at most 100; else `accountCount` says how many. */
  readonly accountIds?: readonly number[];
  readonly accountCount?: number;
}

/** Why a key or token is not accepted: a sentence that the caller may read. */
export interface Rejection {
  readonly reason: string;
}

/** What the chain asks about callers. */
export interface Identity {
  /** @returns whose API key it is: of the key, what was true at most a minute ago, of its user a second. */
  findCaller(key: string, meter: Meter): Promise<Caller | Rejection>;
  /** @returns the caller as of `state`, or as of now. */
  refreshCaller(caller: Caller, meter: Meter, state?: CommitState): Promise<Caller>;
  /** @returns the claims of a token that is valid and the caller's own. */
  verifyToken(token: string, caller: Caller): Promise<TokenClaims | Rejection>;
}
