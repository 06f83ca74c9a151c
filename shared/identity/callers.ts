import type { Clock } from '../lib/clock.ts';
import { LruCache } from '../lib/lru-cache.ts';
import type { CommitReader, CommitState } from '../store/commit/commits.ts';
import { readUser } from '../store/listings/users.ts';
import type { Table } from '../store/table/client.ts';
import { type ApiKey, digestOf, findKey, whyNotInForce } from './api-keys.ts';
import type { Caller, Rejection } from './identity.ts';

/** How long a revoked key may still be taken for valid. */
const KEY_MS = 60_000;
/** How long a key that did not exist is not looked up again. */
const UNKNOWN_MS = 5_000;
const REMEMBERED_CALLERS = 10_000;
const REMEMBERED_UNKNOWN = 1_000;

const UNKNOWN: Rejection = { reason: 'The API key is unknown.' };

interface Known {
  readonly record: ApiKey;
  readonly caller: Caller;
}

/** Whose keys are whose, as one instance knows it: keys up to a minute old, their users as of a commit at most a second old. */
export class Callers {
  private readonly commits: CommitReader;
  private readonly clock: Clock;
  private readonly known: LruCache<Known>;
  private readonly unknown: LruCache<true>;

  constructor(commits: CommitReader, clock: Clock) {
    this.commits = commits;
    this.clock = clock;
    this.known = new LruCache({ max: REMEMBERED_CALLERS, ttlMs: KEY_MS, clock });
    this.unknown = new LruCache({ max: REMEMBERED_UNKNOWN, ttlMs: UNKNOWN_MS, clock });
  }

  /**
   * @returns whose key it is, with its accounts as of a commit at most a second old. For a key seen in the last minute no read but that of the commit, once a
   * second; else the key beside the commit, then the user.
   */
  async find(key: string, table: Table): Promise<Caller | Rejection> {
    const digest = digestOf(key);
    if (this.unknown.get(digest)) return UNKNOWN;
    const known = this.known.get(digest);
    const [record, state] = await Promise.all([known?.record ?? findKey(table, key), this.commits.recent(table)]);
    if (record === undefined) {
      this.unknown.set(digest, true);
      return UNKNOWN;
    }
    const reason = whyNotInForce(record, this.clock());
    if (reason !== undefined) return { reason };
    if (known !== undefined && known.caller.commit >= state.commit) return known.caller;
    const caller = await this.read(record.userId, table, state);
    if (caller === undefined) return { reason: 'The API key belongs to a user that does not exist.' };
    const entry = { record, caller };
    if (known === undefined) this.known.set(digest, entry);
    else this.known.replace(digest, entry);
    return caller;
  }

  /** @returns the caller as of the given commit or a later one; without accounts where the user is gone. One read, where something was loaded since. */
  async refresh(caller: Caller, table: Table, state: CommitState): Promise<Caller> {
    if (caller.commit >= state.commit) return caller;
    const now = await this.read(caller.userId, table, state);
    return now ?? { ...caller, accountIds: new Set(), commit: state.commit };
  }

  private async read(userId: string, table: Table, state: CommitState): Promise<Caller | undefined> {
    const user = await readUser(table, userId, state);
    return user === undefined ? undefined : { ...user, accountIds: new Set(user.accountIds), commit: state.commit };
  }
}
