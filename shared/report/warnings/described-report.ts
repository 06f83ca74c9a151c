import type { FactHead } from '../../layout/partitions.ts';
import type { MarketShares } from '../market/read-market-shares.ts';
import type { CompleteDays } from '../pacing/complete-days.ts';
import type { PacedFacts } from '../pacing/pacing.ts';
import type { AdvertiserName, Joins } from '../plan/joins.ts';
import type { LoadedPeriod } from '../plan/loaded-period.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { Unmeasured } from '../plan/unmeasured.ts';
import type { ReportScope, ReportSettings, ReportWarning } from '../query/query.ts';
import type { ScannedAdvertisers } from '../scan/scanned-advertisers.ts';
import type { SeenValues } from '../scan/seen-values.ts';

/** One period of a report, as its warnings see it. */
export interface DescribedReport {
  readonly settings: ReportSettings;
  readonly plan: Plan;
  /** The plan by which the totals are defined, which may have metrics that rows do not have. */
  readonly widest: Plan;
  readonly heads: ReadonlyMap<number, FactHead>;
  readonly joins: Joins;
  /** With the advertisers that no filter excludes. */
  readonly selected: ReportScope;
  readonly loaded: LoadedPeriod;
  readonly unmeasured: Unmeasured;
  readonly completeDays: CompleteDays;
  readonly advertiserNames: () => Promise<AdvertiserName>;
  /** Undefined before facts are read. */
  readonly found: FoundFacts | undefined;
}

/** The facts of one period, after they are read. */
interface FoundFacts {
  readonly rows: PacedFacts & { readonly shares: MarketShares | undefined };
  /** Of the kept groups, as group 1. */
  readonly total: Pick<PacedFacts, 'facts' | 'pacing'>;
  readonly seen: SeenValues;
  /** The groups that are rows of the report. */
  readonly kept: Uint32Array;
  readonly scanned: ScannedAdvertisers;
  /** Whether another period is compared with this one, in whose rows its cut weeks then are. */
  readonly isCompared: boolean;
}

/** @returns the warnings about one subject */
export type Warn = (report: DescribedReport) => readonly ReportWarning[] | Promise<readonly ReportWarning[]>;
