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

/** @returns the resident memory of a process in MB (Linux) */
export function residentMb(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

/** @returns the memory over time: its peak, and by how much its second half exceeds the first (1 = not at all) */
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
