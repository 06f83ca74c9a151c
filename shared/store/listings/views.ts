import { DAY_MS } from '../../lib/calendar.ts';
import { type Clock, elapsedClock, systemClock } from '../../lib/clock.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import type { CommitReader, CommitState } from '../commit/commits.ts';
import { numberIn } from '../table/item.ts';
import { viewKey } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';

/** Age at which the next read advances a view to the current commit. */
const MAX_AGE_MS = 30 * DAY_MS;
/**
 * Minimum time between two writes of a view that stays at its commit. Two instances can each skip a write for this long, so the stored time is exact to a
 * day.
 */
const TOUCH_MS = DAY_MS / 2;

interface View {
  readonly commit: number;
  /** Milliseconds since 1970 of the last advance, which may have been to the same commit; exact to a day. */
  readonly at: number;
}

/**
 * The users' views of contacts and addresses. A view is a commit number that is stored per user and never decreases, whichever instance writes it. An
 * instance caches views only to skip writes, never to skip reads.
 */
export class Views {
  readonly #table: Table;
  readonly #commits: CommitReader;
  readonly #clock: Clock;
  /** The commit to which this instance last advanced each user's view, whether or not that needed a write. */
  readonly #written: LruCache<number>;

  constructor(table: Table, commits: CommitReader, clock: Clock = systemClock, elapsed = elapsedClock) {
    this.#table = table;
    this.#commits = commits;
    this.#clock = clock;
    this.#written = new LruCache({ ttlMs: TOUCH_MS, clock: elapsed });
  }

  /**
   * Advances a view that is absent or older than 30 days to the current commit.
   * @returns the state at which the user sees contacts and addresses
   */
  async stateOf(userId: string, table: Table = this.#table): Promise<CommitState> {
    const view = await this.#read(userId, table);
    if (view !== undefined && this.#clock() - view.at < MAX_AGE_MS) return this.#commits.stateAt(view.commit, table);
    const current = await this.#commits.current(table);
    await this.advance(userId, current, table);
    // another instance may have advanced it further
    const advanced = await this.#read(userId, table);
    return this.#commits.stateAt(advanced?.commit ?? current.commit, table);
  }

  /**
   * Advances the user's view to `state`, for later reads on any instance. Writes only if the view is absent or has an earlier commit, or has the same
   * one and was last written more than half a day ago.
   */
  async advance(userId: string, state: CommitState, table: Table = this.#table): Promise<void> {
    const written = this.#written.get(userId);
    if (written !== undefined && written >= state.commit) return;
    const at = this.#clock();
    await table.update(
      viewKey(userId),
      { text: 'SET #commit = :commit, #at = :at', values: { commit: state.commit, at } },
      {
        text: 'attribute_not_exists(#pk) OR #commit < :commit OR (#commit = :commit AND #at < :touch)',
        values: { touch: at - TOUCH_MS },
      },
    );
    this.#written.set(userId, state.commit);
  }

  async #read(userId: string, table: Table): Promise<View | undefined> {
    const item = await table.get(viewKey(userId), { consistent: true });
    return item === undefined ? undefined : { commit: numberIn(item, 'commit'), at: numberIn(item, 'at') };
  }
}
