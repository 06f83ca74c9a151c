/** One row of the table that `npm run bench` prints: a figure of Endcap beside a peer's, measured in the same run. */
export interface BenchRow {
  readonly what: string;
  /** Endcap's figure with its unit. */
  readonly endcap: string;
  /** The peer's name and its figure. */
  readonly peer: string;
  /** Endcap's figure divided by the peer's. */
  readonly ratio: number;
  /** The target for the ratio, e.g. `≤ 0.5`. */
  readonly target: string;
  /** How the figures were measured, and where the time goes. */
  readonly note?: string;
}
