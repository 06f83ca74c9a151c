/** One line of the table that `npm run bench` prints: a figure of ours beside a peer's, taken in the same run. */
export interface BenchRow {
  readonly what: string;
  /** Our figure with its unit. */
  readonly ours: string;
  /** The peer's name and its figure. */
  readonly peer: string;
  /** Ours divided by the peer's; where `reach` says "faster", how many times faster ours is. */
  readonly ratio: number;
  /** What the ratio is to be, e.g. `≤ 0.5`. */
  readonly reach: string;
  /** How it was measured, and where the time goes. */
  readonly note?: string;
}

/** @returns the middle of the values; of an even number the lower one of the two in the middle */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[(values.length - 1) >> 1];
  if (middle === undefined) throw new Error('no values have no median');
  return middle;
}

/** @returns the milliseconds on the clock that the work took */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
