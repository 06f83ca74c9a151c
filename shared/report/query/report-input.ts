import type { SegmentSource } from '../../layout/segment-reads.ts';
import type { Deadline } from '../../lib/deadline.ts';
import { keysOf } from '../../lib/keys-of.ts';
import type { ReportQuery, ReportScope, ReportSettings } from './query.ts';

export interface ReportInput {
  readonly query: ReportQuery;
  readonly scope: ReportScope;
  readonly settings: ReportSettings;
  readonly source: SegmentSource;
  /** As a day number, in the platform's time zone: it has not ended. By default that of the system clock. */
  readonly today?: number;
  /** Called and awaited before facts are read; where there are many advertisers or manifests, also before these are read, with what that costs. */
  readonly onStart?: (cost: CostEstimate) => unknown;
  /** None by default. */
  readonly deadline?: Deadline;
}

/** The estimated cost of a report, as if no filter dropped rows. */
export interface CostEstimate {
  /** Rows and encoded bytes to read of the caller's own facts. */
  readonly rows: number;
  readonly bytes: number;
  /** DynamoDB's read units for these: one per 8 KB, and half a one for the rounding of each read. */
  readonly readUnits: number;
  readonly seconds: number;
  /** Without the reading of what the instance keeps of other reports. Rejections and what callers see depend on `seconds` alone. */
  readonly warmSeconds: number;
  /** At most so many: a run has at most one per row, and at most one per combination of its values. */
  readonly groups: number;
}

/** @returns the costs together */
export function sumCosts(costs: readonly CostEstimate[]): CostEstimate {
  const sum = { rows: 0, bytes: 0, readUnits: 0, seconds: 0, warmSeconds: 0, groups: 0 };
  for (const cost of costs) for (const name of keysOf(sum)) sum[name] += cost[name];
  return sum;
}
