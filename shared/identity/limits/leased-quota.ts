/** A quota of a key in consecutive windows of time, which all instances share. */
export interface QuotaPolicy {
  /** What the key may use in one window. */
  readonly limit: number;
  readonly windowMs: number;
  /** What an instance leases with one write, besides what it has used already. */
  readonly portion: number;
  /** What an instance uses before it leases, so that it writes rarely if it has little traffic; at twice as much, it waits for the lease. */
  readonly credit: number;
  /** Maximum debt: what an instance has used without a lease, and leases in the next window. */
  readonly maxDebt: number;
}

/** What all instances together have leased, by window. */
export interface LeaseCounter {
  /** @returns the sum after the amount is added */
  add(window: number, amount: number): Promise<number>;
  /** @returns the sum */
  read(window: number): Promise<number>;
}

/** A sum that could not be read is not read again in this time. */
const RETRY_MS = 1_000;

/**
 * The part of a shared quota that one instance holds. It leases portions of the quota with one write each, and uses them without any call. A lease is made
 * in the background once the credit is used, while the instance uses as much again. A request waits for a lease only if the quota was used up in the last window with requests,
 * or if the instance has used twice its credit before the lease is made.
 *
 * While the table can be reached, a window's limit is exceeded by at most twice the credit of each instance plus its last use, and missed by at most the portion of
 * each instance that then has no requests. What an instance has leased and not used ends with the window, so that nobody can save it up. What a lost instance had
 * leased is missing until the window ends. An instance that has not leased cannot see that others have used up the quota, so call `canLease` as well. Otherwise
 * each new instance would allow its credit once more, or one use that far exceeds it.
 */
export class LeasedQuota {
  readonly policy: QuotaPolicy;
  readonly #counter: LeaseCounter;
  #window = 0;
  /** The latest time that a caller has given. */
  #now = 0;
  /** The time of the latest sum that this instance has seen, in milliseconds since 1970; 0 if none in this window. */
  #seenAt = 0;
  /** When the last read failed. */
  #failedAt = Number.NEGATIVE_INFINITY;
  /** The read of the sum in progress. */
  #reading: Promise<void> | undefined;
  /** What is leased and not used; negative: what is used and not leased yet. */
  #balance = 0;
  /** What the instance may use, or has used, in the window without a lease, because the table could not be reached. */
  #owed = 0;
  /** What all instances have leased in the window, as far as this one has seen. */
  #leased = 0;
  /** Whether nothing is left to lease in the window. */
  #exhausted = false;
  /** Whether the quota was used up in the last window in which this instance had requests. */
  #wasExhausted = false;
  #leasing: Promise<void> | undefined;

  constructor(policy: QuotaPolicy, counter: LeaseCounter) {
    this.policy = policy;
    this.#counter = counter;
  }

  /** @returns whether there is something left to use, at `now` in milliseconds since 1970 */
  async hasRemaining(now: number): Promise<boolean> {
    this.#advance(now);
    if (this.#balance > 0) return true;
    if (this.#exhausted) return false;
    if (!this.#wasExhausted && !this.isOverdrawn) return true;
    await (this.#leasing ?? this.#renew());
    return this.#balance > 0;
  }

  /**
   * Reads what is leased, unless the instance has seen it in the last `maxAgeMs`. If the table cannot be reached, the instance goes on without it.
   * @returns whether instances can still lease; what this one has leased and not used does not count
   */
  async canLease(now: number, maxAgeMs: number): Promise<boolean> {
    this.#advance(now);
    if (!this.#exhausted && now - this.#seenAt >= maxAgeMs && now - this.#failedAt >= RETRY_MS) {
      this.#reading ??= this.#read();
      await this.#reading;
    }
    return !this.#exhausted;
  }

  /** Uses an amount, without any call. */
  use(amount: number): void {
    this.#balance -= amount;
  }

  /** Leases once the credit is used. The promise resolves when the lease is made; callers need not await it. */
  async lease(): Promise<void> {
    if (this.#balance <= -this.policy.credit && !this.#exhausted) await (this.#leasing ?? this.#renew());
  }

  /** Whether the instance has used twice its credit, which it must lease before it continues. */
  get isOverdrawn(): boolean {
    return this.#balance <= -2 * this.policy.credit;
  }

  /** @returns what is left of the quota, as far as this instance has seen, and the seconds until the window ends */
  state(now: number): { readonly remaining: number; readonly resetS: number } {
    this.#advance(now);
    const { limit, windowMs } = this.policy;
    const unleased = Math.max(0, limit - this.#leased);
    const remaining = Math.min(limit, Math.max(0, Math.floor(unleased + this.#balance)));
    return { remaining, resetS: Math.ceil(((this.#window + 1) * windowMs - now) / 1000) };
  }

  /**
   * In a new window, nothing is left of what was leased, and a debt is limited. Without any debt, instances that use less than their credit in each window
   * would never lease; with all of it, the limits of later windows would pay for a use that exceeded that of an earlier one.
   */
  #advance(now: number): void {
    this.#now = now;
    const window = Math.floor(now / this.policy.windowMs);
    if (window === this.#window) return;
    this.#wasExhausted = this.#exhausted;
    this.#window = window;
    this.#balance = Math.max(-this.policy.maxDebt, Math.min(0, this.#balance));
    this.#leasing = undefined;
    this.#leased = 0;
    this.#owed = 0;
    this.#exhausted = false;
    this.#seenAt = 0;
    this.#reading = undefined;
  }

  #see(leased: number, exhausted: boolean, at: number): void {
    this.#leased = Math.max(this.#leased, leased);
    this.#exhausted = exhausted;
    this.#seenAt = at;
  }

  async #read(): Promise<void> {
    const [window, now] = [this.#window, this.#now];
    const leased = await this.#counter.read(window).catch(() => undefined);
    if (window !== this.#window) return;
    this.#reading = undefined;
    if (leased === undefined) this.#failedAt = now;
    else this.#see(leased, this.#exhausted || leased >= this.policy.limit, now);
  }

  /**
   * Leases a portion, and what has been used without a lease. If the table cannot be reached, the instance goes on with a portion that it leases later in the
   * window. What it has used beyond the limit until then is not a debt of later windows.
   */
  #renew(): Promise<void> {
    const [window, now] = [this.#window, this.#now];
    const owed = this.#owed;
    const amount = this.policy.portion + owed + Math.max(0, -this.#balance);
    const leasing = this.#counter.add(window, amount).then(
      (leased) => {
        if (window !== this.#window) return;
        const granted = Math.min(amount, Math.max(0, this.policy.limit - (leased - amount)));
        this.#balance += Math.max(0, granted - owed);
        this.#owed -= owed;
        this.#leasing = undefined;
        this.#see(leased, granted < amount, now);
      },
      () => {
        if (window !== this.#window) return;
        const unleased = this.policy.portion + Math.max(0, -this.#balance);
        this.#owed += unleased;
        this.#balance += unleased;
        this.#leasing = undefined;
      },
    );
    this.#leasing = leasing;
    return leasing;
  }
}
