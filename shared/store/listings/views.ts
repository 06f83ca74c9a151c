import type { Clock } from '../../lib/clock.ts';
import { systemClock } from '../../lib/clock.ts';
import type { CommitReader, CommitState } from '../commit/commits.ts';
import type { Table } from '../table/client.ts';
import { numberIn } from '../table/item.ts';
import { viewKey } from '../table/keys.ts';

const DAY_MS = 86_400_000;
/** A view this old is moved by the next read. */
const EXPIRED_MS = 30 * DAY_MS;
/**
 * A view that stays at its commit is written all the same after this time. Two instances in turn can let it pass twice, so a view says to the day
 * when it was last moved.
 */
const TOUCH_MS = DAY_MS / 2;
const REMEMBERED_USERS = 10_000;

/** The commit as of which a user sees contacts and addresses, and when it was last moved. */
interface View {
  readonly commit: number;
  readonly at: number;
}

/**
 * The users' views of contacts and addresses. A view is a commit number in the table; it only moves forward, whichever instance moves it. What this
 * instance remembers is used to leave out writes only, never instead of a read.
 */
export class Views {
  private readonly table: Table;
  private readonly commits: CommitReader;
  private readonly clock: Clock;
  private readonly moved = new Map<string, View>();

  constructor(table: Table, commits: CommitReader, clock: Clock = systemClock) {
    this.table = table;
    this.commits = commits;
    this.clock = clock;
  }

  /** @returns what the user sees contacts and addresses by. The first read fills the view, and one after 30 days refills it. */
  async stateOf(userId: string, table: Table = this.table): Promise<CommitState> {
    const view = await this.read(userId, table);
    if (view !== undefined && this.clock() - view.at < EXPIRED_MS) return this.commits.snapshot(view.commit, table);
    const current = await this.commits.current(table);
    await this.advance(userId, current, table);
    // another instance may have moved it further in the meantime
    const moved = await this.read(userId, table);
    return this.commits.snapshot(moved?.commit ?? current.commit, table);
  }

  /**
   * The user has seen the accounts as of `state`: contacts and addresses are as of then from the next read on, on any instance. Written only when that
   * moves the view, or twice a day.
   */
  async advance(userId: string, state: CommitState, table: Table = this.table): Promise<void> {
    const at = this.clock();
    const known = this.moved.get(userId);
    if (known !== undefined && known.commit >= state.commit && at - known.at < TOUCH_MS) return;
    await table.update(
      viewKey(userId),
      { text: 'SET #commit = :commit, #at = :at', values: { commit: state.commit, at } },
      {
        text: 'attribute_not_exists(#pk) OR #commit < :commit OR (#commit = :commit AND #at < :touch)',
        values: { touch: at - TOUCH_MS },
      },
    );
    this.remember(userId, { commit: state.commit, at });
  }

  private async read(userId: string, table: Table): Promise<View | undefined> {
    const item = await table.get(viewKey(userId), { consistent: true });
    return item === undefined ? undefined : { commit: numberIn(item, 'commit'), at: numberIn(item, 'at') };
  }

  private remember(userId: string, view: View): void {
    this.moved.delete(userId);
    this.moved.set(userId, view);
    const [oldest] = this.moved.keys();
    if (oldest !== undefined && this.moved.size > REMEMBERED_USERS) this.moved.delete(oldest);
  }
}
