import { readFileSync } from 'node:fs';
import type { InjectRequest } from '../../../infra/emulator/gateway-server.ts';

/** Response times and statuses of one kind of client. */
export class Tally {
  readonly #ms: number[] = [];
  readonly statuses = new Map<number, number>();

  add(status: number, ms: number): void {
    this.#ms.push(ms);
    this.addStatus(status);
  }

  addStatus(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  get count(): number {
    return this.#ms.length;
  }

  /** @returns the number of responses with such a status */
  countOf(matches: (status: number) => boolean): number {
    return [...this.statuses].reduce((sum, [status, count]) => sum + (matches(status) ? count : 0), 0);
  }

  /** @returns the time that this share of the responses did not exceed, in milliseconds */
  quantile(share: number): number {
    const sorted = this.#ms.toSorted((a, b) => a - b);
    return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  }
}

/** @returns the resident memory of a process in MiB (Linux) */
export function residentMb(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

/** @returns the memory over time: its peak, and the mean of its second half divided by that of the first (1: no growth) */
export function memoryFigures(samples: readonly number[]): { peakMb: number; growth: number } {
  const mean = (part: readonly number[]) => part.reduce((sum, mb) => sum + mb, 0) / Math.max(1, part.length);
  const half = Math.floor(samples.length / 2);
  return { peakMb: Math.max(...samples), growth: mean(samples.slice(half)) / mean(samples.slice(0, half)) };
}

/** @returns the status of the response, whose body is read to its end */
export async function sendTo(
  url: string,
  { method = 'GET', url: path, headers, body }: InjectRequest,
  key: string,
): Promise<number> {
  const sent = { 'Content-Type': 'application/json', 'Ocp-Apim-Subscription-Key': key };
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...Object(headers), ...sent },
    ...(body === undefined ? {} : { body: String(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Requests by which a machine is measured before the load. */
const BASELINE_REQUESTS = 40;
/** If requests wait longer than this for their turn, they exceed time limits of the service or of its table: the machine is too slow. */
const MAX_WAIT_MS = 8_000;

/** The speed of the machine that the load runs on. */
export interface Machine {
  /** The mean time of a request to the idle service. */
  readonly idleMs: number;
  /** @returns whether a response with this status fails the test: every 5xx does, except 503 and 504 on a machine that is too slow for the load */
  readonly isFailure: (status: number) => boolean;
}

/** @param clients how many requests there are at the same time */
export async function measureMachine(
  url: string,
  requests: readonly InjectRequest[],
  key: string,
  clients: number,
): Promise<Machine> {
  const measured = requests.slice(0, BASELINE_REQUESTS);
  const startedAt = performance.now();
  for (const request of measured) await sendTo(url, request, key);
  const idleMs = (performance.now() - startedAt) / measured.length;
  const isSlow = idleMs * clients > MAX_WAIT_MS;
  return { idleMs, isFailure: (status) => status >= 500 && !(isSlow && (status === 503 || status === 504)) };
}

/** @returns the numbers of responses of the statuses from 500 on, such as `503: 2` */
export function serverErrors(tallies: readonly Tally[]): string {
  const statuses = new Set(tallies.flatMap((tally) => [...tally.statuses.keys()]).filter((status) => status >= 500));
  const counts = [...statuses].sort().map((status) => {
    return `${status}: ${tallies.reduce((sum, tally) => sum + tally.countOf((other) => other === status), 0)}`;
  });
  return counts.length === 0 ? 'none' : counts.join(' and ');
}
