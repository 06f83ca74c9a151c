import type { Experience } from '../../catalog/tables.ts';
import type { LoadTime } from '../../layout/segment-reads.ts';
import type { Clock } from '../../lib/clock.ts';
import { allEnded, Limiter } from '../../lib/concurrency.ts';
import type { Item } from '../table/item.ts';
import { type ChangeKind, garbageKey, type Key, kindOf, type Retention } from '../table/item-keys.ts';
import { inGroups } from '../table/requests.ts';
import type { Table } from '../table/table.ts';
import { KEYS_PER_ITEM, WriteQueue } from '../table/write-queue.ts';
import { auditItem, type LoadEntry } from './audit-entry.ts';
import { type CommitState, formatNumbers, readState } from './commit-state.ts';
import { stampGarbage } from './garbage.ts';
import { HeadReader } from './head-reader.ts';
import { dropJournal, packKeys, undoLoad, writeJournal } from './journal.ts';
import type { Lease } from './lease.ts';
import { loadTimeItem, readLoadTime } from './load-time.ts';

const RETENTIONS = ['readers', 'views'] as const satisfies readonly Retention[];

interface WriterLease extends Pick<Lease, 'n' | 'signal' | 'stop' | 'release'> {
  readonly base: Pick<CommitState, 'aborted' | 'commit'>;
}

/**
 * Writes one load. Everything it writes carries the load's number `n` and becomes visible when `finish` commits it. A load writes its data through
 * this class, which records each key in the load's journal first. The audit entry and the settings of the data are not undone.
 */
export class CommitWriter {
  readonly n: number;
  /** Its calls throw once the lease is lost. Only reads, and writes that need not be undone, may use it directly. */
  readonly table: Table;
  /** What the load itself sees: the latest commit and its own writes. */
  readonly state: CommitState;
  /** The commits up to which superseded items may be deleted already. */
  readonly floors: Readonly<Record<Retention, number>>;
  /** Aborts when the lease is lost; after that the load must not write. */
  readonly signal: AbortSignal;
  /** The experiences of which the load changes the days with rows of any advertiser. */
  readonly changedDays = new Set<Experience>();
  readonly #lease: WriterLease;
  readonly #plainTable: Table;
  readonly #clock: Clock;
  readonly #headReader: HeadReader;
  readonly #items: WriteQueue;
  readonly #heads: WriteQueue;
  readonly #superseded: Record<Retention, Key[]> = { readers: [], views: [] };
  readonly #garbageParts: Record<Retention, number> = { readers: 0, views: 0 };
  readonly #claimed = new Set<string>();
  readonly #changed = new Set<ChangeKind>();
  readonly #turns = new Limiter(1);
  #journalParts = 0;
  #auditEntry: LoadEntry | undefined;
  #time: Promise<LoadTime> | undefined;

  /** @param writes false: what is queued is dropped */
  constructor(
    table: Table,
    lease: WriterLease,
    floors: Readonly<Record<Retention, number>>,
    clock: Clock,
    writes = true,
  ) {
    this.n = lease.n;
    this.#plainTable = table;
    this.table = table.withSignal(lease.signal);
    this.#lease = lease;
    this.signal = lease.signal;
    this.state = { commit: lease.n, aborted: lease.base.aborted };
    this.floors = floors;
    this.#clock = clock;
    this.#headReader = new HeadReader(this.table);
    this.#items = new WriteQueue(async (group) => (writes ? this.#putItemGroup(group) : undefined));
    this.#heads = new WriteQueue(async (group) => (writes ? this.#putHeadGroup(group) : undefined));
  }

  /** Records that this load writes the thing with this head. @throws Error the second time, because its first items would never be deleted */
  claim(head: Key): void {
    if (this.#claimed.has(head.pk)) throw new Error(`${head.pk} is written twice in one load`);
    this.#claimed.add(head.pk);
  }

  /** @returns when this load is made, later than any load before it, and what it knows of the days that they changed */
  time(): Promise<LoadTime> {
    this.#time ??= readLoadTime(this.table, this.#lease.base.commit).then(({ at, days } = { at: 0, days: {} }) => {
      return { at: Math.max(at + 1, this.#clock()), days };
    });
    return this.#time;
  }

  /** Runs one task at a time, in the order of the calls. */
  inTurn<T>(task: () => Promise<T>): Promise<T> {
    return this.#turns.run(task);
  }

  /** Queues items, whose keys must contain `n`, and waits while the queue is full. `flush` and `finish` write all queued items. */
  putItems(items: readonly Item[]): Promise<void> {
    return this.#items.add(items);
  }

  /** @returns the stored head, read consistently; undefined if there is none. Call this before `putHeads` of the same head. */
  readHead(key: Key): Promise<Item | undefined> {
    return this.#headReader.read(key);
  }

  /** Queues heads, each of which is written on the condition that no later load has written it. */
  putHeads(items: readonly Item[]): Promise<void> {
    return this.#heads.add(items);
  }

  /** Sets the load's audit entry. If the load has written anything, it is written before the commit; readers ignore it if the commit fails. */
  setAuditEntry(auditEntry: LoadEntry): void {
    this.#auditEntry = auditEntry;
  }

  /** Returns once everything queued is written, so that the load can read it. */
  async flush(): Promise<void> {
    await this.#items.drain();
    await this.#heads.drain();
  }

  /** Records items to be deleted once this load is committed and the retention is over. */
  async supersede(keys: readonly Key[], retention: Retention): Promise<void> {
    for (const { pk, sk } of keys) this.#superseded[retention].push({ pk, sk });
    if (this.#superseded[retention].length >= KEYS_PER_ITEM) await this.#flushSuperseded(retention);
  }

  /**
   * Commits the load, which makes it visible. A load that has written nothing does not change the commit.
   * @returns the load's audit entry, or undefined if it has none or has written nothing
   * @throws Error if the lease is lost or a write fails before the commit: then nothing is visible. If the commit's own call fails, it may have been made.
   */
  async finish(): Promise<LoadEntry | undefined> {
    const written = await this.#writeRest().catch(async (error: unknown) => {
      await this.abandon().catch(() => undefined); // the next load removes what this one could not
      throw error;
    });
    await this.#lease.stop();
    this.signal.throwIfAborted();
    if (this.#journalParts === 0) {
      await this.#lease.release();
      return undefined;
    }
    const changes = ['commit', ...this.#changed].map((name) => `#${name} = :n`);
    const released = await this.#lease.release({ text: changes.join(', '), values: { n: this.n } });
    if (!released && !(await this.#isCommitted())) throw new Error(`load ${this.n} has lost its lease`);
    // the load is visible now; if this load fails to tidy up, the next one does
    await this.#tidyUp().catch(() => undefined);
    return written;
  }

  async #writeRest(): Promise<LoadEntry | undefined> {
    for (const retention of RETENTIONS) await this.#flushSuperseded(retention);
    await this.flush();
    if (this.#journalParts === 0) return undefined;
    await this.putItems([loadTimeItem(this.n, await this.time(), this.changedDays)]);
    await this.flush();
    const written = this.#auditEntry;
    if (written !== undefined) await this.table.put(auditItem(written, this.n));
    return written;
  }

  /**
   * Undoes the writes that the journal records, and releases the lease. If the lease is lost, it only stops writing: the next load cleans up. If undoing
   * fails, the lease expires, because it is not renewed any more.
   */
  async abandon(): Promise<void> {
    try {
      await Promise.all([this.#items.stop(), this.#heads.stop()]); // what arrived after the undo would remain for ever
      if (this.signal.aborted) return;
      if (this.#journalParts > 0) await undoLoad(this.table, this.n);
    } finally {
      await this.#lease.stop();
    }
    const aborted = formatNumbers(new Set([...this.state.aborted, this.n]));
    await this.#lease.release(
      this.#journalParts === 0 ? undefined : { text: '#aborted = :aborted', values: { aborted } },
    );
  }

  async #putItemGroup(items: readonly Item[]): Promise<void> {
    await this.#record('items', items);
    await this.table.putMany(items);
  }

  async #putHeadGroup(heads: readonly Item[]): Promise<void> {
    await this.#record('heads', heads);
    const condition = { text: 'attribute_not_exists(#pk) OR #by <= :n', values: { n: this.n } };
    const written = await allEnded(heads.map((head) => this.table.put(head, condition)));
    if (written.includes(false)) throw new Error(`load ${this.n} has lost its lease: a later load has written`);
  }

  async #record(kind: 'items' | 'heads', keys: readonly Key[]): Promise<void> {
    this.#journalParts += 1;
    for (const key of keys) {
      const changed = kindOf(key);
      if (changed !== undefined) this.#changed.add(changed);
    }
    await writeJournal(this.table, this.n, this.#journalParts, kind, keys);
  }

  async #flushSuperseded(retention: Retention): Promise<void> {
    for (const part of inGroups(this.#superseded[retention].splice(0), KEYS_PER_ITEM)) {
      this.#garbageParts[retention] += 1;
      const key = garbageKey(retention, this.n, this.#garbageParts[retention]);
      await this.putItems([{ ...key, keys: packKeys(part) }]);
    }
  }

  /** If the response to the commit is lost, the client's retry fails, because the first attempt has released the lease. */
  async #isCommitted(): Promise<boolean> {
    const state = await readState(this.#plainTable);
    return state.commit >= this.n && !state.aborted.has(this.n);
  }

  async #tidyUp(): Promise<void> {
    for (const retention of RETENTIONS) {
      if (this.#garbageParts[retention] > 0) await stampGarbage(this.#plainTable, retention, this.n, this.#clock);
    }
    await dropJournal(this.#plainTable, this.n);
  }
}
