import type { CommitState } from '../store/commit/commits.ts';
import type { User } from '../store/listings/users.ts';
import type { Meter } from '../store/table/table.ts';
import type { Admission } from './key-limiter.ts';
import type { ApiKey } from './keys/key-record.ts';

// http may not import the store, so it imports these types from here
export type { CommitState } from '../store/commit/commits.ts';
export type { Meter } from '../store/table/table.ts';

/** The user that a request's API key belongs to. */
export interface Caller extends Omit<User, 'accountIds'> {
  /** The accounts the caller may see, ascending; other accounts do not exist for the caller. */
  readonly accountIds: ReadonlySet<number>;
  /** The accounts that the key is limited to; absent = all of the user's. */
  readonly keyAccountIds?: readonly number[];
  /** All accounts of the user, ascending; absent = those in `accountIds`. Their advertisers are not the caller's rivals, whatever the key is limited to. */
  readonly userAccountIds?: readonly number[];
  /** The commit at which the user and its accounts were read. */
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
  /** The accounts the caller may see, ascending; absent if there are more than 100, or the caller sees all. */
  readonly accountIds?: readonly number[];
  /** The number of these accounts; present only if they are not listed. */
  readonly accountCount?: number;
}

/** Why a key or token is not accepted. */
export interface Rejection {
  /** A sentence that is shown to the client. */
  readonly reason: string;
}

/** What the HTTP chain needs to authenticate a request. */
export interface Identity {
  /**
   * Finds the user of a key, and records in the background when the key was used.
   * @param since a time of `elapsedClock`; the user is as of a commit that was read then or later. Absent = a commit that was current at most a
   * second ago
   * @returns the user that the key belongs to, and the key's record, which may be cached for 10 seconds
   * @throws ApiError STORE_BUSY
   */
  findCaller(
    key: string,
    meter: Meter,
    since?: number,
  ): Promise<{ readonly caller: Caller; readonly key: ApiKey } | Rejection>;
  /**
   * Decides about a request by the limits of its key, and counts it if it is admitted.
   * @param isForbidden whether the request will be rejected; such requests have the same limits, and counters of their own
   */
  admit(key: ApiKey, isForbidden: boolean): Admission;
  /**
   * @returns the caller as of `state` or a later commit, without accounts if the user no longer exists; absent `state` = the current commit
   * @throws ApiError STORE_BUSY
   */
  refreshCaller(caller: Caller, meter: Meter, state?: CommitState): Promise<Caller>;
  /**
   * @returns the claims of the token if it is valid and belongs to the caller, else the reason why not
   * @throws ApiError STORE_BUSY while KMS is throttled or unreachable and the token's key is not cached
   */
  verifyToken(token: string, caller: Caller): Promise<TokenClaims | Rejection>;
}
