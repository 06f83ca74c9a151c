import type { Clock } from '../lib/clock.ts';
import { LruCache } from '../lib/lru-cache.ts';
import type { CommitReader, CommitState } from '../store/commit/commits.ts';
import { readUser } from '../store/listings/users.ts';
import type { Table } from '../store/table/client.ts';
import { type ApiKey, digestOf, findKey, whyInvalid } from './api-keys.ts';
import type { Caller, Rejection } from './identity.ts';

/** How long a key is cached, and so how long a revoked key may still be accepted. */
const KEY_TTL_MS = 60_000;
/** How long the absence of a key is cached. */
const UNKNOWN_KEY_TTL_MS = 5_000;
const MAX_KEYS = 10_000;
const MAX_UNKNOWN_KEYS = 1_000;

const UNKNOWN: Rejection = { reason: 'The API key is unknown.' };

interface CachedKey {
  readonly record: ApiKey;
  readonly caller: Caller;
}

/** Finds the callers of one instance, with caches: keys are at most a minute old, their users are as of a commit at most a second old. */
export class Callers {
  readonly #commits: CommitReader;
  readonly #clock: Clock;
  readonly #keys: LruCache<CachedKey>;
  readonly #unknownKeys: LruCache<true>;

  constructor(commits: CommitReader, clock: Clock) {
    this.#commits = commits;
    this.#clock = clock;
    this.#keys = new LruCache({ max: MAX_KEYS, ttlMs: KEY_TTL_MS, clock });
    this.#unknownKeys = new LruCache({ max: MAX_UNKNOWN_KEYS, ttlMs: UNKNOWN_KEY_TTL_MS, clock });
  }

  /**
   * @returns the user that the key belongs to, with its accounts as of a commit at most a second old. A cached key costs one read of the commit per
   * second; any other key costs a read of the key, in parallel with that of the commit, and then a read of the user.
   */
  async find(key: string, table: Table): Promise<Caller | Rejection> {
    const digest = digestOf(key);
    if (this.#unknownKeys.get(digest)) return UNKNOWN;
    const cached = this.#keys.get(digest);
    const [record, state] = await Promise.all([cached?.record ?? findKey(table, key), this.#commits.recent(table)]);
    if (record === undefined) {
      this.#unknownKeys.set(digest, true);
      return UNKNOWN;
    }
    const reason = whyInvalid(record, this.#clock());
    if (reason !== undefined) return { reason };
    if (cached !== undefined && cached.caller.commit >= state.commit) return cached.caller;
    const caller = await readCaller(record.userId, table, state);
    if (caller === undefined) return { reason: 'The API key belongs to a user that does not exist.' };
    if (cached === undefined) this.#keys.set(digest, { record, caller });
    else this.#keys.replace(digest, { record, caller });
    return caller;
  }

  /** @returns the caller as of `state` or a later commit, without accounts if the user no longer exists. One read, if the caller is older. */
  async refresh(caller: Caller, table: Table, state: CommitState): Promise<Caller> {
    if (caller.commit >= state.commit) return caller;
    const refreshed = await readCaller(caller.userId, table, state);
    return refreshed ?? { ...caller, accountIds: new Set(), commit: state.commit };
  }
}

async function readCaller(userId: string, table: Table, state: CommitState): Promise<Caller | undefined> {
  const user = await readUser(table, userId, state);
  return user === undefined ? undefined : { ...user, accountIds: new Set(user.accountIds), commit: state.commit };
}
