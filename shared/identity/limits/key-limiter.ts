import type { Clock } from '../../lib/clock.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import type { Table } from '../../store/table/client.ts';
import { numberIn } from '../../store/table/item.ts';
import { quotaKey } from '../../store/table/keys.ts';
import type { ApiKey } from '../key-record.ts';
import { type KeyLimits, limitsOf } from '../key-rights.ts';
import { type LeaseCounter, LeasedQuota, type QuotaPolicy } from './leased-quota.ts';
import { type LimitedWork, runInSlot } from './report-slots.ts';

/** The decision about one request, by the limits of its key. */
export interface Admission {
  /** Why the request is rejected; absent if it is not. */
  readonly rejection?: LimitExceeded;
  /** @returns the headers RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers); none if the key has no limits */
  headers(): Readonly<Record<string, string>>;
  /** Charges the read units of the request. The promise resolves at once, or when a lease is made if the instance has used twice its credit. */
  charge(readUnits: number): Promise<void>;
  /**
   * Runs a report. It is aborted if the read units of the day are used up, or if too many reports of the key are running.
   * @returns its result, or why it was rejected while it ran
   */
  runReport<Result extends object>(work: LimitedWork<Result>): Promise<Result | LimitExceeded>;
}

export interface LimitExceeded {
  /** A sentence that is shown to the client. */
  readonly reason: string;
  readonly retryAfterS: number;
}

interface KeyQuotas {
  readonly limits: KeyLimits;
  readonly requests: LeasedQuota | undefined;
  readonly readUnits: LeasedQuota | undefined;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_KEYS = 10_000;
/**
 * Maximum age of the sum of leased read units that decides whether a report is admitted; the second is that for other requests, which do not wait for it.
 * So the first requests of an instance may still be admitted after the units are used up.
 */
const MAX_REPORT_SUM_AGE_MS = 1_000;
const MAX_SUM_AGE_MS = 60_000;

/** Limits what each key may use; one instance holds quotas that it leases from the table. */
export class KeyLimiter {
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #defaults: KeyLimits;
  /** By digest and limits. */
  readonly #quotas: LruCache<KeyQuotas>;

  /** @param defaults for keys that have no limits of their own */
  constructor(table: Table, clock: Clock, defaults: KeyLimits) {
    this.#table = table;
    this.#clock = clock;
    this.#defaults = defaults;
    this.#quotas = new LruCache({ max: MAX_KEYS, clock });
  }

  /** Decides about a request, and counts it if it is admitted; requests that the key forbids have counters of their own. */
  async admit(key: ApiKey, isForbidden = false): Promise<Admission> {
    const { limits, requests, readUnits } = this.#quotasOf(key, isForbidden ? `${key.digest}#FORBIDDEN` : key.digest);
    const now = this.#clock();
    const rejection =
      (await explainExceeded(requests, describeRequests, now)) ??
      (await explainExceeded(readUnits, describeUnits, now));
    if (rejection === undefined) {
      requests?.use(1);
      for (const quota of [requests, readUnits]) void quota?.lease();
      void readUnits?.canLease(now, MAX_SUM_AGE_MS);
    }
    return {
      ...(rejection === undefined ? {} : { rejection }),
      headers: () => describeLimits(limits, requests, readUnits, this.#clock()),
      charge: async (units) => {
        readUnits?.use(units);
        // otherwise the next request leases: the response would wait for a lease here, and the instance is frozen after it
        if (readUnits?.isOverdrawn) await readUnits.lease();
      },
      runReport: async (work) => {
        // the read units are checked while the report begins, so that it does not wait
        const exceeded = new AbortController();
        const running = this.#runConcurrent(key.digest, limits.concurrentReports, (signal, expectMs) =>
          work(AbortSignal.any([signal, exceeded.signal]), expectMs),
        );
        running.catch(() => undefined);
        if (readUnits !== undefined && !(await readUnits.canLease(now, MAX_REPORT_SUM_AGE_MS))) {
          exceeded.abort(new Error('the API key has used its read units of the day'));
          await running.catch(() => undefined); // it frees its slot
          return exceededBy(readUnits, describeUnits, now);
        }
        return running;
      },
    };
  }

  async #runConcurrent<Result extends object>(
    digest: string,
    limit: number | undefined,
    work: LimitedWork<Result>,
  ): Promise<Result | LimitExceeded> {
    if (limit === undefined) return work(new AbortController().signal, () => undefined);
    const result = await runInSlot({ table: this.#table, clock: this.#clock, digest, limit }, work);
    return result ?? { reason: `The API key may run ${limit} reports at the same time.`, retryAfterS: 1 };
  }

  #quotasOf(key: ApiKey, digest: string): KeyQuotas {
    const limits = { ...this.#defaults, ...limitsOf(key) };
    const cacheKey = `${digest} ${JSON.stringify(limits)}`;
    const cached = this.#quotas.get(cacheKey);
    if (cached !== undefined) return cached;
    const { requestsPerMinute, dailyReadUnits } = limits;
    const open = (policy: QuotaPolicy, name: 'MINUTE' | 'DAY') =>
      new LeasedQuota(policy, this.#counterOf(digest, name, policy.windowMs));
    const quotas = {
      limits,
      requests: requestsPerMinute === undefined ? undefined : open(requestPolicy(requestsPerMinute), 'MINUTE'),
      readUnits: dailyReadUnits === undefined ? undefined : open(unitPolicy(dailyReadUnits), 'DAY'),
    };
    this.#quotas.set(cacheKey, quotas);
    return quotas;
  }

  #counterOf(digest: string, name: 'MINUTE' | 'DAY', windowMs: number): LeaseCounter {
    return {
      add: async (window, amount) => {
        const expiresAt = Math.ceil(((window + 2) * windowMs) / 1000);
        const change = { text: 'ADD #leased :amount SET #expiresAt = :expiresAt', values: { amount, expiresAt } };
        return numberIn(await this.#table.updateAndGet(quotaKey(digest, name, window), change), 'leased');
      },
      read: async (window) => {
        const item = await this.#table.get(quotaKey(digest, name, window), { consistent: false });
        return item === undefined ? 0 : numberIn(item, 'leased');
      },
    };
  }
}

/**
 * The credit is a 60th of the limit, 1 to 20, and the portion is as much, but at least 2: what an instance has leased and does not use is missing for the others until the
 * minute ends. With a portion of 60, 30 instances together admitted 750 of 900 requests per minute under a limit of 1,200; with one of 20, 12 instances
 * admitted 9 of 36 under a limit of 60. A debt is at most the credit, and never the whole limit.
 */
function requestPolicy(limit: number): QuotaPolicy {
  const credit = Math.min(20, Math.max(1, Math.floor(limit / 60)));
  return {
    limit,
    windowMs: MINUTE_MS,
    portion: Math.min(limit, Math.max(2, credit)),
    credit,
    maxDebt: Math.min(credit, limit - 1),
  };
}

/**
 * A lease is for a portion and the credit used before it, 0.5 % of the limit, so all instances together write about 200 times per key and day, and once
 * each when nothing is left. The portion is small because each of 50 instances may hold one that it does not use, which is missing for the others.
 * A debt ends with the day: whoever is rejected until then may use all units of the next day.
 */
function unitPolicy(limit: number): QuotaPolicy {
  const portion = Math.ceil(limit / 400);
  return { limit, windowMs: DAY_MS, portion, credit: portion, maxDebt: 0 };
}

const describeRequests = (limit: number) => `The API key may make ${limit} requests per minute.`;
const describeUnits = (limit: number) => `The API key has used its ${limit} read units of this day (UTC).`;

async function explainExceeded(
  quota: LeasedQuota | undefined,
  describe: (limit: number) => string,
  now: number,
): Promise<LimitExceeded | undefined> {
  return quota === undefined || (await quota.hasRemaining(now)) ? undefined : exceededBy(quota, describe, now);
}

function exceededBy(quota: LeasedQuota, describe: (limit: number) => string, now: number): LimitExceeded {
  return { reason: describe(quota.policy.limit), retryAfterS: quota.state(now).resetS };
}

function describeLimits(
  { concurrentReports }: KeyLimits,
  requests: LeasedQuota | undefined,
  readUnits: LeasedQuota | undefined,
  now: number,
): Readonly<Record<string, string>> {
  // in steps of 1 %: exact figures would show how much a report has read, the market's days included
  const unitStep = Math.ceil((readUnits?.policy.limit ?? 1) / 100);
  const quotas = [
    { name: '"requests"', unit: '', step: 1, quota: requests },
    { name: '"read-units"', unit: ';qu="read-units"', step: unitStep, quota: readUnits },
  ].flatMap(({ quota, ...rest }) => (quota === undefined ? [] : [{ ...rest, quota }]));
  const policies = quotas.map(
    ({ name, unit, quota: { policy } }) => `${name};q=${policy.limit};w=${policy.windowMs / 1000}${unit}`,
  );
  if (concurrentReports !== undefined) policies.push(`"reports";q=${concurrentReports};qu="concurrent-requests"`);
  const states = quotas.map(({ name, step, quota }) => {
    const { remaining, resetS } = quota.state(now);
    return `${name};r=${Math.floor(remaining / step) * step};t=${resetS}`;
  });
  return {
    ...(policies.length === 0 ? {} : { 'RateLimit-Policy': policies.join(', ') }),
    ...(states.length === 0 ? {} : { RateLimit: states.join(', ') }),
  };
}
