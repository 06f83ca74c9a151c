import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { elapsedClock } from '../../lib/clock.ts';
import { ApiError } from '../../lib/errors.ts';
import { STATE_KEY } from '../table/item-keys.ts';
import type { Expression } from '../table/requests.ts';
import type { Table } from '../table/table.ts';
import { formatNumbers, type HeldLease, readState, type StoredState, TABLE_FORMAT } from './commit-state.ts';

export interface LeaseOptions {
  /** Describes this load in the messages of loads that wait for it. */
  readonly owner: string;
  /** Called when this load begins to wait for another one. */
  readonly onWait?: (message: string) => void;
  /** Maximum milliseconds to wait for another load, default 60,000; after that STORE_BUSY is thrown. */
  readonly waitMs?: number;
  /** Milliseconds without a heartbeat after which this load's lease expires; default 20,000. */
  readonly silenceMs?: number;
}

/** A busy machine may delay the renewal of a lease by some seconds, so the silence is longer than that. A dead load delays the next one by the whole silence. */
const SILENCE_MS = 20_000;
const WAIT_MS = 60_000;
const HEARTBEATS_PER_SILENCE = 5;
const POLL_MS = 500;

/**
 * The right to load, held by one process at a time, which renews it with a heartbeat. A process that waits for it measures the time without a
 * heartbeat on its own timer, so clocks of different machines are never compared. A holder that was suspended or slow renews the lease late, unless another
 * load has taken over meanwhile: then its number is aborted, so it cannot commit, and readers ignore what it writes.
 */
export class Lease {
  readonly n: number;
  /** The state when the lease was acquired, which the load builds on. */
  readonly base: StoredState;
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  readonly #table: Table;
  readonly #held: HeldLease;
  readonly #lost = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> | undefined;
  #renewedAt: number;

  /** @param acquiredAt the time of `elapsedClock` before the write that acquired the lease */
  constructor(table: Table, held: HeldLease, base: StoredState, acquiredAt: number) {
    this.n = held.n;
    this.#table = table.unlimited();
    this.#held = held;
    this.base = base;
    this.#renewedAt = acquiredAt;
    this.signal = this.#lost.signal;
  }

  /** Starts the heartbeat. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#renewal ??= this.#renew().finally(() => {
        this.#renewal = undefined;
      });
    }, this.#held.silenceMs / HEARTBEATS_PER_SILENCE);
    this.#timer.unref();
  }

  /** Stops the heartbeat; no renewal is in progress when this returns. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
  }

  /**
   * Releases the lease and changes the state in the same write.
   * @param change absent = only releases the lease
   * @returns false if the lease was no longer held and nothing has changed
   */
  release(change?: Expression): Promise<boolean> {
    const text = change === undefined ? 'REMOVE #lease' : `SET ${change.text} REMOVE #lease`;
    return this.#table.update(STATE_KEY, { ...change, text }, this.heldCondition());
  }

  /** @returns the condition that this load still holds the lease */
  heldCondition(): Expression {
    return { text: '#lease.#token = :token', values: { token: this.#held.token } };
  }

  async #renew(): Promise<void> {
    if (this.signal.aborted) return;
    const startedAt = elapsedClock();
    const change = { text: 'SET #lease.#beat = #lease.#beat + :one', values: { one: 1 } };
    try {
      if (!(await this.#table.update(STATE_KEY, change, this.heldCondition())))
        return this.#lose('another load has taken over');
      this.#renewedAt = startedAt;
    } catch {
      // the next heartbeats retry
      if (startedAt - this.#renewedAt > this.#held.silenceMs / 2) this.#lose('it could not be renewed in time');
    }
  }

  #lose(why: string): void {
    clearInterval(this.#timer);
    if (!this.signal.aborted) this.#lost.abort(new Error(`load ${this.n} has lost its lease: ${why}`));
  }
}

/**
 * Waits until the lease is free or has expired, then acquires it and assigns the next load number. The same write aborts the number of an expired
 * holder.
 * @throws ApiError STORE_BUSY if another load still holds the lease after `waitMs`
 */
export async function acquireLease(table: Table, options: LeaseOptions): Promise<Lease> {
  const startedAt = performance.now();
  const waitMs = options.waitMs ?? WAIT_MS;
  let lastHeartbeat = '';
  let lastHeartbeatAt = startedAt;
  for (;;) {
    const state = await readState(table);
    const now = performance.now();
    const holder = state.lease;
    const heartbeat = holder === undefined ? '' : `${holder.token} ${holder.beat}`;
    if (heartbeat !== lastHeartbeat) {
      if (lastHeartbeat === '' && holder !== undefined) options.onWait?.(`waiting for another load: ${holder.owner}`);
      lastHeartbeat = heartbeat;
      lastHeartbeatAt = now;
    }
    if (holder === undefined || now - lastHeartbeatAt > holder.silenceMs) {
      const lease = await tryAcquire(table, state, options);
      if (lease !== undefined) return lease;
    } else {
      if (now - startedAt > waitMs) throw rejectLoad(holder);
      await sleep(POLL_MS);
    }
  }
}

/** @returns undefined if another process was faster */
async function tryAcquire(table: Table, state: StoredState, options: LeaseOptions): Promise<Lease | undefined> {
  const { lease: expired, identity = randomUUID() } = state;
  const held: HeldLease = {
    n: state.drawn + 1,
    token: randomUUID(),
    owner: options.owner,
    beat: 0,
    silenceMs: options.silenceMs ?? SILENCE_MS,
  };
  const aborted = expired === undefined ? state.aborted : new Set([...state.aborted, expired.n]);
  const item = {
    ...STATE_KEY,
    identity,
    ...state.changed,
    commit: state.commit,
    drawn: held.n,
    aborted: formatNumbers(aborted),
    format: TABLE_FORMAT,
    readersFloor: state.floors.readers,
    viewsFloor: state.floors.views,
    lease: held,
  };
  const unchanged: Expression =
    expired === undefined
      ? {
          text: 'attribute_not_exists(#pk) OR (attribute_not_exists(#lease) AND #drawn = :drawn)',
          values: { drawn: state.drawn },
        }
      : {
          text: '#lease.#token = :token AND #lease.#beat = :beat',
          values: { token: expired.token, beat: expired.beat },
        };
  const startedAt = elapsedClock();
  if (!(await table.put(item, unchanged)) && !(await isHolder(table, held.token))) return undefined;
  const lease = new Lease(table, held, { ...state, identity, drawn: held.n, aborted, lease: held }, startedAt);
  lease.start();
  return lease;
}

/** If the response to the conditional write is lost, the client's retry fails, because the first attempt was successful. */
async function isHolder(table: Table, token: string): Promise<boolean> {
  const state = await readState(table);
  return state.lease?.token === token;
}

function rejectLoad(holder: HeldLease): ApiError {
  return new ApiError('STORE_BUSY', `Another load is in progress: ${holder.owner}. Try again when it has ended.`, {
    headers: { 'Retry-After': '30' },
  });
}
