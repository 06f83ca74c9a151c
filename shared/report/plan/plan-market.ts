import { experiencesOf } from '../../catalog/rules.ts';
import { type BaseColumn, type Measure, tableHas } from '../../catalog/tables.ts';
import {
  daysIn,
  type FactHead,
  type Manifest,
  type PartitionRead,
  PLATFORM_ID,
  type RunEntry,
} from '../../layout/partitions.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { ReportScope, ReportSettings } from '../query/query.ts';
import {
  dateOf,
  dateTestOf,
  daysOf,
  inPeriod,
  partitionsOf,
  planRuns,
  type ReadContext,
  storedColumns,
} from './plan-reads.ts';
import type { Plan, RowCondition } from './plan-report.ts';

/** The columns whose values are a slice of the market. With date and hour they are a cell: the grain at which delivery and market are compared. */
export const SLICE_BASES: readonly BaseColumn[] = ['experience', 'placement_id', 'division_banner', 'keyword'];
const TIME_BASES: readonly BaseColumn[] = ['date', 'hour'];
const CELL_BASES: readonly BaseColumn[] = [...TIME_BASES, ...SLICE_BASES];

/** What to read for share_of_voice. */
export interface MarketReads {
  /** Delivery of those of the report's advertisers that its filters select. */
  readonly own: readonly PartitionRead[];
  /** Delivery of the caller's other advertisers, which are not counted among the others of a market row. */
  readonly others: readonly PartitionRead[];
  readonly market: readonly PartitionRead[];
  /**
   * The days of market for the estimate, by experience: those of the report in months that have a market, each as the average day of these months, rounded
   * up to a power of two. A rejection therefore shows nothing of slices in which the caller has no impressions but the magnitude of the whole market.
   */
  readonly estimated: readonly PartitionRead[];
  /** Those conditions of the report that apply to market, too. */
  readonly conditions: readonly RowCondition[];
  /**
   * Those on date and hour, for the facts of others: they count in eligible slices only, whose values pass the other conditions. If these were tested on
   * the values of all slices, the time of a report would show how many keywords of rivals pass them.
   */
  readonly timeConditions: readonly RowCondition[];
  /** Whether some days have no hours. */
  readonly hasWholeDays: boolean;
  /** A market row counts only if at least this many of its advertisers are not the caller's; 0 counts all rows. */
  readonly minOthers: number;
}

/** @returns whether the column is one of those whose values are a slice */
export function isSliceBase(base: BaseColumn): boolean {
  return SLICE_BASES.includes(base);
}

/** @returns whether groups and filters by `base` apply to market as well as to delivery */
export function isMarketBase(base: BaseColumn): boolean {
  return tableHas('market', base);
}

interface MarketContext extends ReadContext {
  /** The fact heads of the report's advertisers and of the platform, and those of `otherAdvertisers`. */
  readonly heads: ReadonlyMap<number, FactHead>;
  readonly otherHeads: ReadonlyMap<number, FactHead>;
  readonly settings: ReportSettings;
}

/** @returns the caller's advertisers that the scope does not cover; none where all market rows count, whatever their number of advertisers */
export function otherAdvertisers(scope: ReportScope, { marketMinOthers }: ReportSettings): number[] {
  const covered = new Set(scope.advertiserIds);
  return marketMinOthers === 0 ? [] : scope.ownAdvertiserIds.filter((id) => !covered.has(id));
}

/**
 * @param scope with those of the report's advertisers that its filters select
 * @returns what to read for the share of voice of a report
 */
export async function planMarket(context: MarketContext, wholePlan: Plan, scope: ReportScope): Promise<MarketReads> {
  const { heads, otherHeads, settings } = context;
  const covered = experiencesOf('share_of_voice');
  const plan = { ...wholePlan, experiences: wholePlan.experiences.filter((name) => covered.includes(name)) };
  const minOthers = settings.marketMinOthers;
  const conditions = [...plan.rowConditions.filter(({ base }) => isMarketBase(base)), inPeriod(plan)];
  const timeConditions = conditions.filter(({ base }) => TIME_BASES.includes(base));
  const otherIds = otherAdvertisers(scope, settings);
  const readDelivery = (ids: readonly number[], bases: readonly BaseColumn[], only: readonly RowCondition[]) => {
    const refs = ids.flatMap((id) => partitionsOf(plan, heads.get(id) ?? otherHeads.get(id), 'delivery'));
    const columns = [...storedColumns('delivery', [...CELL_BASES, ...bases]), 'impressions'];
    return planRuns(context, plan, refs, () => columns, only);
  };
  const bases = [...plan.axes, ...plan.rowConditions].map(({ base }) => base);
  const [own, others, { market, estimated }] = await Promise.all([
    readDelivery(scope.advertiserIds, bases, plan.rowConditions),
    readDelivery(otherIds, [], timeConditions),
    planMarketDays(context, plan, timeConditions),
  ]);
  const hasWholeDays = [...own, ...others, ...market].some(({ runs }) =>
    runs.some(({ days }) => days.some(({ hours }) => hours === 0)),
  );
  return { own, others, market, estimated, conditions, timeConditions, hasWholeDays, minOthers };
}

async function planMarketDays(
  { source, joins, heads, settings }: MarketContext,
  plan: Plan,
  conditions: readonly RowCondition[],
): Promise<Pick<MarketReads, 'market' | 'estimated'>> {
  const measures: Measure[] = [
    'market_impressions',
    ...(settings.marketMinOthers === 0 ? [] : (['market_advertisers'] as const)),
  ];
  const columns = [...storedColumns('market', CELL_BASES), ...measures];
  const manifests = await source.manifests(partitionsOf(plan, heads.get(PLATFORM_ID), 'market'));
  // a day is not usable if its file had no numbers of advertisers, or if it was loaded before the column existed
  const usable = manifests.map(({ ref, runs }) => {
    return { ref, runs: runs.filter((run) => run.rows > 0 && measures.every((name) => run.columns.has(name))) };
  });
  const isRead = dateTestOf(plan, joins, conditions);
  const market = usable
    .map(({ ref, runs }) => ({
      ref,
      runs: runs.filter((run) => run.days.some((day) => isRead(dateOf(ref, day)))),
      columns,
    }))
    .filter(({ runs }) => runs.length > 0);
  const dates = daysOf(plan, joins, conditions).map(formatDay);
  const estimated = plan.experiences.map((experience) => {
    const own = usable.filter(({ ref }) => ref.experience === experience);
    const months = new Set(own.flatMap(({ ref, runs }) => (runs.length === 0 ? [] : [ref.month])));
    const inMonths = dates.filter((date) => months.has(date.slice(0, 7)));
    const ref = { advertiserId: PLATFORM_ID, experience, table: 'market', month: '' } as const;
    return { ref, runs: new Array<RunEntry>(inMonths.length).fill(averageDay(own, columns)), columns };
  });
  return { market, estimated };
}

function averageDay(manifests: readonly Manifest[], names: readonly string[]): RunEntry {
  const runs = manifests.flatMap((manifest) => manifest.runs);
  const days = daysIn(runs).length;
  const average = (sizeOf: (run: RunEntry) => number) =>
    upToPowerOfTwo(runs.reduce((sum, run) => sum + sizeOf(run), 0) / Math.max(1, days));
  const columns = names.map((name) => {
    const bytes = average((run) => run.columns.get(name)?.bytes ?? 0);
    return [name, { chunks: 1, bytes, distinct: 0 }] as const;
  });
  const rows = average((run) => run.rows);
  return { day: 1, version: 0, rows, days: [{ day: 1, rows, hours: 24 }], columns: new Map(columns) };
}

/** @returns the least power of two that is not below the size; 0 for 0 */
function upToPowerOfTwo(size: number): number {
  return size === 0 ? 0 : 2 ** Math.ceil(Math.log2(size));
}
