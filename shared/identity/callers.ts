import type { Clock } from '../clock.ts';
import type { Table } from '../store/client.ts';
import type { AsOf, CommitReader } from '../store/commits.ts';
import { readUser } from '../store/users.ts';
import { type ApiKey, digestOf, findKey, whyNotInForce } from './api-keys.ts';
import type { Caller, Refused } from './identity.ts';
import { RecentMap } from './recent-map.ts';

/** How long a revoked key may still be taken for valid. */
const KEY_MS = 60_000;
/** How long a key that did not exist is not looked up again. */
const UNKNOWN_MS = 5_000;
const REMEMBERED_CALLERS = 10_000;
const REMEMBERED_UNKNOWN = 1_000;

const UNKNOWN: Refused = { refused: 'The API key is unknown.' };

interface Known {
  readonly record: ApiKey;
  readonly caller: Caller;
  /** The caller's accounts are those of this commit, or of a later one. */
  readonly commit: number;
}

/** Whose keys are whose, as one instance knows it: keys up to a minute old, their users as of the newest commit it has seen. */
export class Callers {
  private readonly commits: CommitReader;
  private readonly clock: Clock;
  private readonly known: RecentMap<Known>;
  private readonly unknown: RecentMap<true>;

  constructor(commits: CommitReader, clock: Clock) {
    this.commits = commits;
    this.clock = clock;
    this.known = new RecentMap(REMEMBERED_CALLERS, KEY_MS, clock);
    this.unknown = new RecentMap(REMEMBERED_UNKNOWN, UNKNOWN_MS, clock);
  }

  /** @returns whose key it is. No read for a key seen in the last minute, unless something was loaded since; else two. */
  async find(key: string, table: Table): Promise<Caller | Refused> {
    const digest = digestOf(key);
    if (this.unknown.get(digest)) return UNKNOWN;
    const known = this.known.get(digest);
    const record = known?.record ?? (await findKey(table, key));
    if (record === undefined) {
      this.unknown.set(digest, true);
      return UNKNOWN;
    }
    const refused = whyNotInForce(record, this.clock());
    if (refused !== undefined) return { refused };
    const { commit } = await this.commits.deciding(0, table); // whichever is known, so no read
    if (known !== undefined && known.commit >= commit) return known.caller;
    const caller = await this.read(record.userId, table, this.commits);
    if (caller === undefined) return { refused: 'The API key is of a user that does not exist.' };
    const entry = { record, caller, commit };
    if (known === undefined) this.known.set(digest, entry);
    else this.known.replace(digest, entry);
    return caller;
  }

  /** @returns the caller as of the newest commit there is; without accounts where the user is gone. Two reads side by side. */
  async refresh(caller: Caller, table: Table): Promise<Caller> {
    const now = await this.read(caller.userId, table, this.commits.current(table));
    return now ?? { ...caller, accountIds: new Set() };
  }

  private async read(userId: string, table: Table, asOf: AsOf): Promise<Caller | undefined> {
    const user = await readUser(table, userId, asOf);
    return user === undefined ? undefined : { ...user, accountIds: new Set(user.accountIds) };
  }
}
