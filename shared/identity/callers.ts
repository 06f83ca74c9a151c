import { type Clock, elapsedClock } from '../lib/clock.ts';
import { LruCache } from '../lib/lru-cache.ts';
import { lastChange } from '../store/commit/commit-state.ts';
import type { CommitReader, CommitState } from '../store/commit/commits.ts';
import { readUser } from '../store/listings/users.ts';
import type { Table } from '../store/table/table.ts';
import type { Caller, Identity, Rejection } from './identity.ts';
import { type ApiKey, digestOf, explainInvalid, findKey, isMistyped } from './keys/key-record.ts';

/** How long a key is cached, and so how long a revoked or changed key may still be accepted, and an extended one rejected. */
const KEY_TTL_MS = 10_000;

const UNKNOWN: Rejection = { reason: 'The API key is unknown.' };
const MISTYPED: Rejection = { reason: 'The API key is mistyped or incomplete.' };
const NO_USER: Rejection = { reason: 'The API key belongs to a user that does not exist.' };

/** A key's record, undefined if there is none, and when the read of it began. */
interface ReadKey {
  readonly record: ApiKey | undefined;
  readonly readAt: number;
}

/** A key's user; undefined if there was none at the commit. */
interface CachedCaller {
  readonly caller: Caller | undefined;
  readonly commit: number;
}

/** Finds the callers of one instance, with caches: keys are at most 10 seconds old, their users are as of a commit that was current at most a second ago. */
export class Callers {
  readonly #commits: CommitReader;
  readonly #clock: Clock;
  readonly #elapsed: Clock;
  /** The three caches by digest; callers also by the accounts that the key is limited to. */
  readonly #keys: LruCache<ReadKey>;
  readonly #callers: LruCache<CachedCaller>;
  readonly #rejections: LruCache<Rejection>; // separate, because a flood of unknown keys must not evict those of callers

  constructor(commits: CommitReader, clock: Clock, elapsed = elapsedClock) {
    this.#commits = commits;
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#keys = new LruCache({ ttlMs: KEY_TTL_MS, clock: elapsed });
    this.#callers = new LruCache({});
    this.#rejections = new LruCache({ ttlMs: KEY_TTL_MS, clock: elapsed });
  }

  /**
   * @param since a time of `elapsedClock`; the commit is one that was read then or later. Absent = one that was current at most a second ago
   * @returns the user that the key belongs to, with its accounts as of that commit. This costs a read of the commit unless a cached one will do, in parallel a
   * read of the key unless it is cached, and then a read of the user unless the user is cached as of that commit. A key that is not valid costs nothing while
   * that is cached.
   */
  async find(key: string, table: Table, since?: number): ReturnType<Identity['findCaller']> {
    if (isMistyped(key)) return MISTYPED;
    const digest = digestOf(key);
    const rejected = this.#rejections.get(digest);
    if (rejected !== undefined) return rejected;
    const [{ record, readAt }, state] = await Promise.all([
      this.#keys.get(digest) ?? this.#readKey(digest, table),
      since === undefined ? this.#commits.recent(table) : this.#commits.current(table, since),
    ]);
    const reason = record === undefined ? UNKNOWN.reason : explainInvalid(record, this.#clock());
    if (record === undefined || reason !== undefined) {
      const rejection = reason === undefined ? UNKNOWN : { reason };
      this.#rejections.set(digest, rejection, readAt);
      return rejection;
    }
    const caller = await this.#findUser(record, table, state);
    return caller === undefined ? NO_USER : { caller, key: record };
  }

  /** @returns the caller as of `state` or a later commit, without accounts if the user no longer exists. Costs a read if the caller is older. */
  async refresh(caller: Caller, table: Table, state: CommitState): Promise<Caller> {
    if (caller.commit >= lastChange(state, ['users'])) return caller;
    const refreshed = await readCaller(caller, table, state);
    return refreshed ?? { ...caller, accountIds: new Set(), userAccountIds: [], seesAll: false, commit: state.commit };
  }

  async #readKey(digest: string, table: Table): Promise<ReadKey> {
    const readAt = this.#elapsed(); // an entry's age counts from here: counted from the response, a change during a slow read would be noticed too late
    const record = await findKey(table, digest);
    if (record !== undefined) this.#keys.set(digest, { record, readAt }, readAt);
    return { record, readAt };
  }

  async #findUser(record: ApiKey, table: Table, state: CommitState): Promise<Caller | undefined> {
    const { userId, digest, accountIds: keyAccountIds } = record;
    const cacheKey = `${state.identity} ${digest} ${keyAccountIds?.join() ?? ''}`;
    const cached = this.#callers.get(cacheKey);
    if (cached !== undefined && cached.commit >= lastChange(state, ['users'])) return cached.caller;
    const caller = await readCaller(keyAccountIds === undefined ? { userId } : { userId, keyAccountIds }, table, state);
    this.#callers.set(cacheKey, { caller, commit: state.commit });
    return caller;
  }
}

async function readCaller(
  { userId, keyAccountIds }: Pick<Caller, 'userId' | 'keyAccountIds'>,
  table: Table,
  state: CommitState,
): Promise<Caller | undefined> {
  const user = await readUser(table, userId, state);
  if (user === undefined) return undefined;
  const caller = { ...user, accountIds: new Set(user.accountIds), commit: state.commit };
  if (keyAccountIds === undefined) return caller;
  const allowed = new Set(keyAccountIds);
  const accountIds = new Set(user.accountIds.filter((id) => allowed.has(id)));
  return { ...caller, keyAccountIds, userAccountIds: user.accountIds, accountIds };
}
