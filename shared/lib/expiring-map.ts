import type { Clock } from './clock.ts';

/** A map that forgets: each entry after `ms`, and the oldest ones when there are more than `most`. */
export class ExpiringMap<Value> {
  private readonly most: number;
  private readonly ms: number;
  private readonly clock: Clock;
  private readonly entries = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(most: number, ms: number, clock: Clock) {
    this.most = most;
    this.ms = ms;
    this.clock = clock;
  }

  get(name: string): Value | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    if (this.clock() < entry.until) return entry.value;
    this.entries.delete(name);
    return undefined;
  }

  set(name: string, value: Value): void {
    this.entries.delete(name);
    this.entries.set(name, { value, until: this.clock() + this.ms });
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size > this.most) this.entries.delete(oldest);
  }

  /** Changes the value of an entry that is there, without making it any younger. */
  replace(name: string, value: Value): void {
    const entry = this.entries.get(name);
    if (entry !== undefined) this.entries.set(name, { value, until: entry.until });
  }
}
