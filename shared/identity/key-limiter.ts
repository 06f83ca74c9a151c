import { randomBytes } from 'node:crypto';
import { type Clock, elapsedClock } from '../lib/clock.ts';
import { LruCache } from '../lib/lru-cache.ts';
import type { Table } from '../store/table/table.ts';
import { type Counted, type KeyUsage, openUsage } from './key-usage.ts';
import type { ApiKey } from './keys/key-record.ts';
import { type KeyLimits, limitsOf } from './keys/key-rights.ts';

/** The decision about one request, by the limits of its key. */
export interface Admission {
  /** Why the request is rejected; absent if it is not. */
  readonly rejection?: LimitExceeded | undefined;
  /** @returns the headers RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers); none if the key has no limits */
  headers(): Readonly<Record<string, string>>;
  /** Counts a report as running until `end`. @returns why it is rejected, if it is */
  startReport(): Promise<LimitExceeded | undefined>;
  /** @returns the write units that counting the key's requests has consumed since the last call, which may be of its last request on the instance */
  takeWriteUnits(): number;
  /** Counts the units of the request. Resolves at once, except after `startReport`. */
  end(units: number): Promise<void>;
}

interface LimitExceeded {
  /** A sentence that is shown to the client. */
  readonly reason: string;
  readonly retryAfterS: number;
}

/** Longer than a function runs: the report of a crashed instance no longer counts by then. */
const MAX_REPORT_MS = 30_000;

const UNLIMITED: Admission = {
  headers: () => ({}),
  startReport: async () => undefined,
  takeWriteUnits: () => 0,
  end: async () => undefined,
};

/** Limits what each key may use. */
export class KeyLimiter {
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #elapsed: Clock;
  readonly #defaults: KeyLimits;
  readonly #usages: LruCache<KeyUsage>;

  /** @param defaults for keys that have no limits of their own */
  constructor(table: Table, clock: Clock, defaults: KeyLimits, elapsed = elapsedClock) {
    this.#table = table;
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#defaults = defaults;
    this.#usages = new LruCache({});
  }

  /** Decides about a request, and counts it if it is admitted; requests that the key forbids have counts of their own. */
  admit(key: ApiKey, isForbidden = false): Admission {
    const limits = { ...this.#defaults, ...limitsOf(key) };
    if (Object.keys(limits).length === 0) return UNLIMITED;
    const digest = isForbidden ? `${key.digest}#FORBIDDEN` : key.digest;
    const usage = this.#usages.get(digest) ?? openUsage(this.#table, digest, this.#clock, this.#elapsed);
    this.#usages.set(digest, usage);
    const findExceeded = () => quotasOf(limits, usage).find(({ remaining }) => remaining === 0);
    const rejection = findExceeded();
    if (rejection === undefined) usage.countRequest();
    let report: string | undefined;
    return {
      rejection,
      headers: () => describeLimits(limits, quotasOf(limits, usage)),
      startReport: async () => {
        report = `report${randomBytes(8).toString('hex')}`;
        const running = await usage.settle({ [report]: this.#clock() + MAX_REPORT_MS }).catch(() => 0);
        const { concurrentReports = running } = limits;
        if (running <= concurrentReports) return findExceeded();
        return { reason: `The API key may run ${concurrentReports} reports at the same time.`, retryAfterS: 1 };
      },
      takeWriteUnits: usage.takeWriteUnits,
      end: async (units) => {
        usage.countReadUnits(units);
        // not in the background: an instance is frozen after its response
        if (report !== undefined) await usage.settle({ [report]: 0 });
      },
    };
  }
}

interface Quota extends LimitExceeded {
  readonly remaining: number;
  /** Its parts of the headers. */
  readonly policy: string;
  readonly state: string;
}

function quotasOf({ requestsPerMinute: requests, dailyReadUnits: units }: KeyLimits, usage: KeyUsage): Quota[] {
  const quota = (counted: Counted, name: string, limit: number, reason: string, step = 1, unit = ''): Quota => {
    const { used, windowS, secondsLeft } = usage.read(counted);
    const remaining = Math.max(0, limit - used);
    const state = `"${name}";r=${Math.floor(remaining / step) * step};t=${secondsLeft}`;
    return { reason, retryAfterS: secondsLeft, remaining, policy: `"${name}";q=${limit};w=${windowS}${unit}`, state };
  };
  const quotas: Quota[] = [];
  if (requests !== undefined)
    quotas.push(quota('requests', 'requests', requests, `The API key may make ${requests} requests per minute.`));
  if (units !== undefined) {
    const reason = `The API key has used its ${units} read units of this day (UTC).`;
    // in steps of 1 %: exact figures would show how much a report has read, the market's days included
    quotas.push(quota('readUnits', 'read-units', units, reason, Math.ceil(units / 100), ';qu="read-units"'));
  }
  return quotas;
}

function describeLimits({ concurrentReports }: KeyLimits, quotas: readonly Quota[]): Readonly<Record<string, string>> {
  const policies = quotas.map(({ policy }) => policy);
  if (concurrentReports !== undefined) policies.push(`"reports";q=${concurrentReports};qu="concurrent-requests"`);
  const states = quotas.map(({ state }) => state);
  return { 'RateLimit-Policy': policies.join(', '), ...(states.length > 0 && { RateLimit: states.join(', ') }) };
}
