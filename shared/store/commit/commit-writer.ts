import type { Clock } from '../../lib/clock.ts';
import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import type { Key, Retention } from '../table/keys.ts';
import { garbageKey } from '../table/keys.ts';
import { WriteQueue } from '../table/write-queue.ts';
import type { CommitState } from './commit-state.ts';
import { formatNumbers, readState } from './commit-state.ts';
import { stampGarbage } from './garbage.ts';
import { dropJournal, packKeys, undoLoad, writeJournal } from './journal.ts';
import type { Lease } from './lease.ts';

const GARBAGE_KEYS_A_PART = 2_000;

/**
 * One load: everything it writes carries its number `n` and is seen by nobody until `finish`, then by everybody at once. All writing goes through it,
 * because each key is noted in the load's journal first.
 */
export class CommitWriter {
  readonly n: number;
  /** For reading; ends with an error once the lease is lost. */
  readonly table: Table;
  /** What the load itself sees: the latest commit and what it has written. */
  readonly state: CommitState;
  readonly floors: Readonly<Record<Retention, number>>;
  /** Aborts when the lease is lost; nothing must be written after. */
  readonly signal: AbortSignal;
  private readonly lease: Lease;
  private readonly plain: Table;
  private readonly clock: Clock;
  private readonly items: WriteQueue;
  private readonly heads: WriteQueue;
  private readonly superseded: Record<Retention, Key[]> = { readers: [], views: [] };
  private readonly garbageParts: Record<Retention, number> = { readers: 0, views: 0 };
  private readonly claimed = new Set<string>();
  private journalParts = 0;

  constructor(table: Table, lease: Lease, floors: Readonly<Record<Retention, number>>, clock: Clock) {
    this.n = lease.n;
    this.plain = table;
    this.table = table.withSignal(lease.signal);
    this.lease = lease;
    this.signal = lease.signal;
    this.state = { commit: lease.n, aborted: lease.base.aborted };
    this.floors = floors;
    this.clock = clock;
    this.items = new WriteQueue((group) => this.putItemGroup(group));
    this.heads = new WriteQueue((group) => this.putHeadGroup(group));
  }

  /** Notes that this load writes the thing whose head this is. @throws Error the second time: what it wrote first would never be removed */
  claim(head: Key): void {
    if (this.claimed.has(head.pk)) throw new Error(`${head.pk} is written twice in one load`);
    this.claimed.add(head.pk);
  }

  /** Takes items, of keys that carry `n`, for writing; waits while too many are under way. `flush` and `finish` write them all. */
  putItems(items: readonly Item[]): Promise<void> {
    return this.items.add(items);
  }

  /** Takes heads for writing, each under the condition that no later load has written it. */
  putHeads(items: readonly Item[]): Promise<void> {
    return this.heads.add(items);
  }

  /** Returns when everything taken so far is written, so that the load can read it. */
  async flush(): Promise<void> {
    await this.items.drain();
    await this.heads.drain();
  }

  /** Notes entries that nobody will read once this load is committed and the time of `retention` is over. */
  async supersede(keys: readonly Key[], retention: Retention): Promise<void> {
    for (const { pk, sk } of keys) this.superseded[retention].push({ pk, sk });
    if (this.superseded[retention].length >= GARBAGE_KEYS_A_PART) await this.flushSuperseded(retention);
  }

  /**
   * Makes all of it visible. A load that wrote nothing leaves the commit where it is.
   * @throws Error when the lease is lost; then nothing is visible
   */
  async finish(): Promise<void> {
    for (const retention of RETENTIONS) await this.flushSuperseded(retention);
    await this.flush();
    await this.lease.stop();
    this.signal.throwIfAborted();
    if (this.journalParts === 0) {
      await this.lease.release({ text: '#drawn = #drawn' });
      return;
    }
    const released = await this.lease.release({ text: '#commit = :n', values: { n: this.n } });
    if (!released && !(await this.isCommitted())) throw new Error(`load ${this.n} has lost its lease`);
    // From here on the load is visible. What is left to do, the next load does if this one cannot.
    await this.tidyUp().catch(() => undefined);
  }

  /** Removes everything the load has written and gives the lease back. */
  async abandon(): Promise<void> {
    await this.flush().catch(() => undefined);
    if (this.signal.aborted) return; // whoever holds the lease now cleans up
    if (this.journalParts > 0) await undoLoad(this.table, this.n);
    await this.lease.stop();
    const aborted = formatNumbers(new Set([...this.state.aborted, this.n]));
    await this.lease.release(
      this.journalParts === 0 ? { text: '#drawn = #drawn' } : { text: '#aborted = :aborted', values: { aborted } },
    );
  }

  private async putItemGroup(items: readonly Item[]): Promise<void> {
    await this.note('items', items);
    await this.table.putMany(items);
  }

  private async putHeadGroup(items: readonly Item[]): Promise<void> {
    await this.note('heads', items);
    const condition = { text: 'attribute_not_exists(#pk) OR #by <= :n', values: { n: this.n } };
    const written = await Promise.all(items.map((item) => this.table.put(item, condition)));
    if (written.includes(false)) throw new Error(`load ${this.n} has lost its lease: a later load has written`);
  }

  private async note(kind: 'items' | 'heads', keys: readonly Key[]): Promise<void> {
    this.journalParts += 1;
    await writeJournal(this.table, this.n, this.journalParts, kind, keys);
  }

  private async flushSuperseded(retention: Retention): Promise<void> {
    const keys = this.superseded[retention].splice(0);
    for (let start = 0; start < keys.length; start += GARBAGE_KEYS_A_PART) {
      const part = keys.slice(start, start + GARBAGE_KEYS_A_PART);
      this.garbageParts[retention] += 1;
      const key = garbageKey(retention, this.n, this.garbageParts[retention]);
      await this.putItems([{ ...key, keys: packKeys(part) }]);
    }
  }

  /** A commit whose answer got lost is tried again by the client and then fails on its own success. */
  private async isCommitted(): Promise<boolean> {
    const state = await readState(this.plain);
    return state.commit >= this.n && !state.aborted.has(this.n);
  }

  private async tidyUp(): Promise<void> {
    for (const retention of RETENTIONS) {
      if (this.garbageParts[retention] > 0) await stampGarbage(this.plain, retention, this.n, this.clock);
    }
    await dropJournal(this.plain, this.n);
  }
}

const RETENTIONS = ['readers', 'views'] as const satisfies readonly Retention[];
