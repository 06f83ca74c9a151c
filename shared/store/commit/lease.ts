import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../lib/errors.ts';
import type { Table } from '../table/client.ts';
import { STATE_KEY } from '../table/keys.ts';
import type { Expression } from '../table/requests.ts';
import type { HeldLease, StoredState } from './commit-state.ts';
import { formatNumbers, readState } from './commit-state.ts';

export interface LeaseOptions {
  /** Who loads, as another load is told that has to wait. */
  readonly owner: string;
  /** Called once, when another load is under way. */
  readonly onWait?: (message: string) => void;
  /** How long to wait for another load before giving up with STORE_BUSY. */
  readonly waitMs?: number;
  /** How long this load may be silent before others take it for dead. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 10_000;
const WAIT_MS = 30_000;
const BEATS_PER_SILENCE = 5;

/**
 * The right to load, held by one process at a time. It is renewed while the process lives; who waits for it watches the holder's beat against a timer
 * of its own, so clocks of different machines are never compared. A holder whose renewals fail stops by itself before others take over. One that was
 * only held up may be late: then its number is aborted, and what it writes is seen by nobody.
 */
export class Lease {
  readonly n: number;
  /** The state when the lease was taken: what the load builds on. */
  readonly base: StoredState;
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  private readonly table: Table;
  private readonly held: HeldLease;
  private readonly lost = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private renewal: Promise<void> | undefined;
  private renewedAt: number;
  private failing = false;

  /** @param takenAt when the write that took it was sent, by `performance.now()` */
  constructor(table: Table, held: HeldLease, base: StoredState, takenAt: number) {
    this.n = held.n;
    this.table = table.unlimited();
    this.held = held;
    this.base = base;
    this.renewedAt = takenAt;
    this.signal = this.lost.signal;
  }

  /** Renews the lease from now on. */
  start(): void {
    const every = this.held.silenceMs / BEATS_PER_SILENCE;
    const patience = this.held.silenceMs - 2 * every;
    this.timer = setInterval(() => {
      const stuck = this.failing || this.renewal !== undefined;
      if (stuck && performance.now() - this.renewedAt > patience) this.lose('it could not be renewed in time');
      this.renewal ??= this.renew().finally(() => {
        this.renewal = undefined;
      });
    }, every);
    this.timer.unref();
  }

  /** Stops renewing it; the renewal under way has ended when this returns. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.renewal;
  }

  /**
   * Gives the lease back together with a last change of the state.
   * @returns false when it was no longer held, and nothing has changed
   */
  release(change: Expression): Promise<boolean> {
    return this.table.update(
      STATE_KEY,
      { text: `SET ${change.text} REMOVE #lease`, ...(change.values === undefined ? {} : { values: change.values }) },
      this.stillHeld(),
    );
  }

  /** @returns the condition that this lease is the one in force. */
  stillHeld(): Expression {
    return { text: '#lease.#token = :token', values: { token: this.held.token } };
  }

  private async renew(): Promise<void> {
    if (this.signal.aborted) return;
    const asked = performance.now();
    const change = { text: 'SET #lease.#beat = #lease.#beat + :one', values: { one: 1 } };
    try {
      if (!(await this.table.update(STATE_KEY, change, this.stillHeld())))
        return this.lose('another load has taken over');
      this.renewedAt = asked;
      this.failing = false;
    } catch {
      this.failing = true; // the timer tells when it has been too long
    }
  }

  private lose(why: string): void {
    clearInterval(this.timer);
    if (!this.signal.aborted) this.lost.abort(new Error(`load ${this.n} has lost its lease: ${why}`));
  }
}

/**
 * Waits until nobody else loads, or until whoever does has been silent for as long as it said a living load never is; then draws the next number.
 * The number of a dead holder is aborted in the same write.
 * @throws ApiError STORE_BUSY when another load is still alive after `waitMs`
 */
export async function acquireLease(table: Table, options: LeaseOptions): Promise<Lease> {
  const started = performance.now();
  const waitMs = options.waitMs ?? WAIT_MS;
  let seen = '';
  let seenAt = started;
  for (;;) {
    const state = await readState(table);
    const now = performance.now();
    const holder = state.lease;
    const sign = holder === undefined ? '' : `${holder.token} ${holder.beat}`;
    if (sign !== seen) {
      if (seen === '' && holder !== undefined) options.onWait?.(`waiting for another load: ${holder.owner}`);
      seen = sign;
      seenAt = now;
    }
    if (holder === undefined || now - seenAt > holder.silenceMs) {
      const lease = await takeLease(table, state, options);
      if (lease !== undefined) return lease;
    } else {
      if (now - started > waitMs) throw refusal(holder);
      await sleep(Math.min(500, holder.silenceMs / BEATS_PER_SILENCE));
    }
  }
}

async function takeLease(table: Table, state: StoredState, options: LeaseOptions): Promise<Lease | undefined> {
  const { lease: dead } = state;
  const held: HeldLease = {
    n: state.drawn + 1,
    token: randomUUID(),
    owner: options.owner,
    beat: 0,
    silenceMs: options.silenceMs ?? SILENCE_MS,
  };
  const aborted = dead === undefined ? state.aborted : new Set([...state.aborted, dead.n]);
  const item = {
    ...STATE_KEY,
    commit: state.commit,
    drawn: held.n,
    aborted: formatNumbers(aborted),
    readersFloor: state.floors.readers,
    viewsFloor: state.floors.views,
    lease: held,
  };
  const unchanged: Expression =
    dead === undefined
      ? {
          text: 'attribute_not_exists(#pk) OR (attribute_not_exists(#lease) AND #drawn = :drawn)',
          values: { drawn: state.drawn },
        }
      : { text: '#lease.#token = :token AND #lease.#beat = :beat', values: { token: dead.token, beat: dead.beat } };
  const asked = performance.now();
  if (!(await table.put(item, unchanged)) && !(await holds(table, held.token))) return undefined;
  const lease = new Lease(table, held, { ...state, drawn: held.n, aborted, lease: held }, asked);
  lease.start();
  return lease;
}

/** A conditional write whose answer got lost is tried again by the client and then fails on its own success. */
async function holds(table: Table, token: string): Promise<boolean> {
  const state = await readState(table);
  return state.lease?.token === token;
}

function refusal(holder: HeldLease): ApiError {
  return new ApiError('STORE_BUSY', `Another load is under way: ${holder.owner}. Try again when it has ended.`, {
    headers: { 'Retry-After': '30' },
  });
}
