import { ApiError } from '../../lib/errors.ts';

/** Memory of a report. Of the function's 1,769 MB, the rest is for the program, its caches, and what is read ahead: 16 MB per stream. */
export const MAX_BYTES = 1_000_000_000;

/** Memory of a distinct value besides its text. */
const VALUE_BYTES = 100;
/** Memory of a group in a table, without sums. */
export const GROUP_BYTES = 110;

/** How much more memory a report asks for at a time. */
const STEP_BYTES = 16_000_000;

/** What is left of the memory that a report may take for heads, names, groups, shoppers and values. */
export class Memory {
  readonly #makeRoom: (bytes: number) => void;
  #left: number;
  #taken = 0;
  #asked = 0;

  /** @param makeRoom is told how much the report takes in all, before it does */
  constructor(bytes = MAX_BYTES, makeRoom: (bytes: number) => void = () => {}) {
    this.#left = bytes;
    this.#makeRoom = makeRoom;
  }

  /** @throws ApiError 422 where less is left */
  take(bytes: number): void {
    this.#left -= bytes;
    this.#taken += bytes;
    if (this.#taken > this.#asked) {
      this.#asked = this.#taken + STEP_BYTES;
      this.#makeRoom(this.#asked);
    }
    if (this.#left >= 0) return;
    const limit = `It takes more than ${(MAX_BYTES / 1e6).toLocaleString('en-US')} MB of memory, which is the limit.`;
    throw tooExpensive(limit, 'Use fewer days, advertisers, dimensions or metrics.');
  }

  /** Takes what a distinct value takes. */
  takeValue(value: string | number | null): void {
    this.take(VALUE_BYTES + (typeof value === 'string' ? 2 * value.length : 0));
  }
}

/** For what is as small as something that memory was taken for. */
export const UNLIMITED = new Memory(Number.POSITIVE_INFINITY);

/** @returns the error for a report that exceeds the limit that `estimate` names */
export function tooExpensive(estimate: string, allowed: string, pointer = '/endDate'): ApiError {
  const advice =
    'Request fewer days or advertisers, use fewer patterns in filters, remove a dimension with many values (hour, keyword, entity, placement), or group and filter only by ad group, campaign, advertiser and date.';
  return new ApiError('REPORT_TOO_EXPENSIVE', `${estimate} ${advice}`, {
    fields: [{ in: 'body', pointer, code: 'TOO_EXPENSIVE', detail: allowed }],
  });
}
