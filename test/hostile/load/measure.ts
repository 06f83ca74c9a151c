import { readFileSync } from 'node:fs';
import type { InjectRequest } from '../../support/gateway-server.ts';

/** How long a request has waited at least when a busy machine, and not a defect, is why it gets this status: for attempts to reach the table, or for the time limit of its function. */
const MIN_BUSY_MS: ReadonlyMap<number, number> = new Map([
  [503, 1_000],
  [504, 20_000],
]);

/** Response times and statuses of one kind of client. */
export class Tally {
  readonly #ms: number[] = [];
  readonly statuses = new Map<number, number>();
  /** The number of responses from 500 on, except those of a busy machine. */
  failures = 0;

  add(status: number, ms: number): void {
    this.#ms.push(ms);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 500 && ms < (MIN_BUSY_MS.get(status) ?? Number.POSITIVE_INFINITY)) this.failures++;
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

/** @returns the processor time of a process in seconds (Linux, whose clock ticks 100 times a second) */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
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

/** @returns the numbers of responses of the statuses from 500 on, such as `503: 2` */
export function serverErrors(tallies: readonly Tally[]): string {
  const statuses = new Set(tallies.flatMap((tally) => [...tally.statuses.keys()]).filter((status) => status >= 500));
  const counts = [...statuses].sort().map((status) => {
    return `${status}: ${tallies.reduce((sum, tally) => sum + tally.countOf((other) => other === status), 0)}`;
  });
  return counts.length === 0 ? 'none' : counts.join(' and ');
}
