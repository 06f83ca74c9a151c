import { type Clock, elapsedClock } from '../../lib/clock.ts';
import { type Retention, STATE_KEY } from '../table/item-keys.ts';
import { storeInconsistent } from '../table/store-errors.ts';
import type { Table } from '../table/table.ts';
import { type CommitState, readState } from './commit-state.ts';
import { CommitWriter } from './commit-writer.ts';
import { collectGarbage } from './garbage.ts';
import { sweepJournals } from './journal.ts';
import { acquireLease, type Lease, type LeaseOptions } from './lease.ts';
import { findVersion, type Numbered } from './versions.ts';

export type { CommitState } from './commit-state.ts';
export type { CommitWriter } from './commit-writer.ts';

/** Age up to which a cached state is recent. */
const RECENT_MS = 1_000;

/** @returns the current state, read consistently */
export const readCommit: (table: Table) => Promise<CommitState> = readState;

/** Reads the commit state and caches the latest one that this instance has read. */
export class CommitReader {
  readonly #table: Table;
  readonly #clock: Clock;
  #latest: CommitState | undefined;
  #readAt = 0;

  constructor(table: Table, clock = elapsedClock) {
    this.#table = table;
    this.#clock = clock;
  }

  /**
   * @param since a time of `elapsedClock`; absent = now
   * @returns a state that was read consistently at that time or later
   */
  async current(table: Table = this.#table, since = Number.POSITIVE_INFINITY): Promise<CommitState> {
    if (this.#latest !== undefined && this.#readAt >= since) return this.#latest;
    const startedAt = this.#clock();
    const state = await readState(table);
    if (this.#latest === undefined || state.commit >= this.#latest.commit) this.#latest = state;
    this.#readAt = Math.max(this.#readAt, startedAt);
    return state;
  }

  /** @returns the cached state if its read began less than a second ago, else one that is read now */
  async recent(table: Table = this.#table): Promise<CommitState> {
    const isRecent = this.#clock() - this.#readAt < RECENT_MS;
    return this.#latest !== undefined && isRecent ? this.#latest : this.current(table);
  }

  /**
   * @param n the newest version among the items that were read
   * @returns the cached state if its commit is at least `n`, however old it is, because the items have no newer version; else a recent state
   */
  async atLeast(n: number, table: Table = this.#table): Promise<CommitState> {
    return this.#latest !== undefined && this.#latest.commit >= n ? this.#latest : this.recent(table);
  }

  /** Whether a state is cached. */
  get hasState(): boolean {
    return this.#latest !== undefined;
  }

  /**
   * @returns the state at the earlier commit `n`. Loads with lower numbers that have written are committed or aborted before a commit is made, so the
   * state of any later commit contains all aborted numbers below `n`.
   */
  async stateAt(n: number, table: Table = this.#table): Promise<CommitState> {
    const later = this.#latest !== undefined && this.#latest.commit >= n ? this.#latest : await this.current(table);
    const { aborted, identity } = later;
    return { commit: n, aborted, ...(identity !== undefined && { identity }) };
  }
}

/** The state that a read is consistent with: a given one, one that is being read, or the latest one of a CommitReader. */
export type Snapshot = CommitState | Promise<CommitState> | CommitReader;

/**
 * Reads versioned items concurrently with the state that determines their visible versions. A CommitReader does not read the state again if none of them is
 * newer than its cached state.
 * @param read reads the items
 * @param versionsIn returns the versions of each thing among them, ascending
 * @param retention of what they refer to
 * @throws ApiError STORE_INCONSISTENT if what a given state saw has been deleted
 */
export async function readVersioned<T>(
  snapshot: Snapshot,
  table: Table,
  read: () => Promise<T>,
  versionsIn: (items: T) => readonly (readonly Numbered[])[],
  retention: Retention = 'readers',
): Promise<[T, CommitState]> {
  if (snapshot instanceof CommitReader) {
    const [items] = await Promise.all([read(), snapshot.hasState ? undefined : snapshot.recent(table)]);
    const things = versionsIn(items);
    const newest = things.reduce((max, versions) => Math.max(max, versions.at(-1)?.n ?? 0), 0);
    const state = await snapshot.atLeast(newest, table);
    return [items, isAnyHidden(things, state) ? await snapshot.current(table) : state];
  }
  const [items, state] = await Promise.all([read(), snapshot]);
  if (isAnyHidden(versionsIn(items), state) && state.commit < (await readState(table)).floors[retention])
    throw storeInconsistent(`what was visible at commit ${state.commit}`);
  return [items, state];
}

/** @returns whether something has only versions that are not visible: it is new, or an older version has been deleted */
function isAnyHidden(things: readonly (readonly Numbered[])[], state: CommitState): boolean {
  return things.some((versions) => versions.length > 0 && findVersion(versions, state) === undefined);
}

interface CommitOptions extends LeaseOptions {
  /** Measures the retention of superseded items; default: the table's, because clocks of loaders may differ. */
  readonly clock?: Clock;
}

/**
 * Begins a load: waits for the lease, removes what interrupted loads have left, and deletes superseded items whose retention is over.
 * @throws ApiError STORE_BUSY if another load holds the lease for longer than `waitMs`
 */
export async function beginCommit(table: Table, options: CommitOptions): Promise<CommitWriter> {
  const clock = options.clock ?? table.clock;
  const lease = await acquireLease(table, options);
  try {
    const floors = await cleanUp(table.withSignal(lease.signal), lease, clock);
    return new CommitWriter(table, lease, floors, clock);
  } catch (error) {
    await lease.stop();
    await lease.release().catch(() => false); // if this fails, the lease expires
    throw error;
  }
}

/** @returns a writer that reads and compares as that of a load does, writes nothing, and needs no lease */
export function rehearseCommit(table: Table, { commit, aborted }: CommitState): CommitWriter {
  const { signal } = new AbortController();
  const lease = {
    n: commit,
    base: { aborted, commit },
    signal,
    stop: async () => undefined,
    release: async () => true,
  };
  return new CommitWriter(table, lease, { readers: 0, views: 0 }, table.clock, false);
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
    await table.update(STATE_KEY, change, lease.heldCondition());
  }
  return floors;
}
