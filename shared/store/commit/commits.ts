import type { Clock } from '../../lib/clock.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Table } from '../table/client.ts';
import type { Retention } from '../table/keys.ts';
import { STATE_KEY } from '../table/keys.ts';
import type { CommitState } from './commit-state.ts';
import { readState } from './commit-state.ts';
import { CommitWriter } from './commit-writer.ts';
import { collectGarbage } from './garbage.ts';
import { sweepJournals } from './journal.ts';
import type { Lease, LeaseOptions } from './lease.ts';
import { acquireLease } from './lease.ts';

const RECENT_MS = 1_000;

/** @returns the commit as of now, read consistently. */
export function readCommit(table: Table): Promise<CommitState> {
  return readState(table);
}

/** The commit as one instance knows it. What it knows only ever moves forward. */
export class CommitReader {
  private readonly table: Table;
  private readonly now: () => number;
  private latest: CommitState | undefined;
  private readAt = 0;
  private reading: Promise<CommitState> | undefined;

  /** @param now milliseconds that only ever go forward */
  constructor(table: Table, now: () => number = () => performance.now()) {
    this.table = table;
    this.now = now;
  }

  /** Read consistently, now. */
  async current(table: Table = this.table): Promise<CommitState> {
    const asked = this.now();
    const state = await readState(table);
    if (this.latest === undefined || state.commit >= this.latest.commit) this.latest = state;
    this.readAt = Math.max(this.readAt, asked);
    return state;
  }

  /** As it was at most a second ago. */
  async recent(table: Table = this.table): Promise<CommitState> {
    if (this.latest !== undefined && this.now() - this.readAt < RECENT_MS) return this.latest;
    this.reading ??= this.current(table).finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /**
   * Something has versions up to number `n`: a state that tells which of them is in force. One known already is enough when it is at `n` or later,
   * however old it is: nothing newer exists.
   */
  async atLeast(n: number, table: Table = this.table): Promise<CommitState> {
    return this.latest !== undefined && this.latest.commit >= n ? this.latest : this.recent(table);
  }

  /** Whether a state has been read yet. */
  get knows(): boolean {
    return this.latest !== undefined;
  }

  /**
   * What a reader at the earlier commit `n` goes by. Numbers below a commit are settled before it is made, so any state at `n` or later knows all
   * that were aborted.
   */
  async snapshot(n: number, table: Table = this.table): Promise<CommitState> {
    const known = this.latest !== undefined && this.latest.commit >= n ? this.latest : await this.current(table);
    return { commit: n, aborted: known.aborted };
  }
}

/** What a read goes by: a given state, one that is being read, or whatever is in force now as the instance's reader knows it. */
export type Snapshot = CommitState | Promise<CommitState> | CommitReader;

/**
 * Reads versioned items side by side with the state to judge them by.
 * @param read reads the items
 * @param newest the highest number among them: a reader that knows a state at least as new reads no other
 */
export async function readAsOf<T>(
  snapshot: Snapshot,
  table: Table,
  read: () => Promise<T>,
  newest: (items: T) => number,
): Promise<[T, CommitState]> {
  if (!(snapshot instanceof CommitReader)) return Promise.all([read(), snapshot]);
  const [items] = await Promise.all([read(), snapshot.knows ? undefined : snapshot.recent(table)]);
  return [items, await snapshot.atLeast(newest(items), table)];
}

export interface CommitOptions extends LeaseOptions {
  readonly clock?: Clock;
}

/**
 * Begins a load: waits for its turn, cleans up after loads that died, and deletes what has been superseded long enough.
 * @throws ApiError STORE_BUSY when another load goes on for longer than `waitMs`
 */
export async function beginCommit(table: Table, options: CommitOptions): Promise<CommitWriter> {
  const clock = options.clock ?? systemClock;
  const lease = await acquireLease(table, options);
  try {
    const floors = await cleanUp(table.withSignal(lease.signal), lease, clock);
    return new CommitWriter(table, lease, floors, clock);
  } catch (error) {
    await lease.stop();
    await lease.release({ text: '#drawn = #drawn' }).catch(() => false); // if this fails too, others see it fall silent
    throw error;
  }
}

async function cleanUp(table: Table, lease: Lease, clock: Clock): Promise<Readonly<Record<Retention, number>>> {
  const { base } = lease;
  await sweepJournals(table, base);
  const floors = {
    readers: await collectGarbage(table, 'readers', base, clock),
    views: await collectGarbage(table, 'views', base, clock),
  };
  if (floors.readers > base.floors.readers || floors.views > base.floors.views) {
    const change = { text: 'SET #readersFloor = :readers, #viewsFloor = :views', values: floors };
    await table.update(STATE_KEY, change, lease.stillHeld());
  }
  return floors;
}

export type { CommitState } from './commit-state.ts';
export type { CommitWriter } from './commit-writer.ts';
