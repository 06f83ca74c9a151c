import { bytesOfCells, rejectTooManyCells, tooExpensive } from './too-expensive.ts';

/** Of the function's 1,769 MB; the rest is for the program, its caches, and the columns that are read ahead: 16 MB per stream. */
export const MAX_BYTES = 1_100_000_000;

/**
 * The memory of a report, of the kinds that "Limits" of `functions/README.md` lists. Nearly all of it is counted before it is allocated.
 */
export class ReportMemory {
  #bytes = 0;
  #cellBytes = 0;

  /**
   * @param bytes that are about to be allocated, or negative, that were freed
   * @throws ApiError 422 where they would not fit into the function's memory
   */
  hold(bytes: number): void {
    this.#bytes += bytes;
    if (bytes <= 0 || this.#bytes <= MAX_BYTES) return;
    throw tooExpensive(
      `It takes more than ${(MAX_BYTES / 1e6).toLocaleString('en-US')} MB of memory, which is the limit.`,
      'Use fewer days, advertisers, dimensions or metrics.',
    );
  }

  /**
   * Call it again as their numbers grow.
   * @param cells the cells in which the caller has impressions
   * @param rows the report's own rows with impressions
   * @param valueBytes the memory of the values that slices have
   * @throws ApiError 422 where they would not fit into the function's memory
   */
  holdCells(cells: number, rows: number, valueBytes: number): void {
    rejectTooManyCells(cells, rows);
    const bytes = bytesOfCells(cells, rows) + valueBytes;
    this.hold(bytes - this.#cellBytes);
    this.#cellBytes = bytes;
  }
}
