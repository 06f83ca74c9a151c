import type { Methodology } from '../../../shared/catalog/methodology.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import type { Weekday } from '../../../shared/lib/calendar.ts';
import type { ReportQuery, ReportResult } from '../../../shared/report/query/query.ts';
import type { ReportInput } from '../../../shared/report/query/report-input.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import type { Dataset } from '../../support/facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';

/** The caller's scope, and the setting and the inputs that the test changes. */
interface Caller extends Pick<ReportInput, 'deadline' | 'onStart' | 'today'> {
  /** Account 1 by default. */
  readonly accountIds?: readonly number[];
  /** All advertisers of the dataset by default. */
  readonly ownAdvertiserIds?: readonly number[];
  /** The advertisers of the report; all of the caller's by default. */
  readonly advertiserIds?: readonly number[];
  readonly marketMinOthers?: number;
  readonly minUsers?: number;
  readonly methodology?: Methodology;
  readonly weekStartsOn?: Weekday;
  /** Whether months have rollups, as after a load; else reports are read from days. Default: true. */
  readonly rollups?: boolean;
}

/** @returns the report without the warning of days that have no delivery, which few examples are about */
export async function run(data: Dataset, parts: Partial<ReportQuery> & Caller): Promise<ReportResult> {
  const report = await runWithGaps(data, parts);
  const warnings = report.meta.warnings.filter(({ code }) => !['MISSING_DAYS', 'TABLE_LACKS_DAYS'].includes(code));
  return { ...report, meta: { ...report.meta, warnings } };
}

/**
 * @param parts the caller, and the members of the query that differ from the default: no fields, in pla, over March 2025
 * @returns the report
 */
export async function runWithGaps(data: Dataset, parts: Partial<ReportQuery> & Caller): Promise<ReportResult> {
  const {
    accountIds = [1],
    ownAdvertiserIds,
    advertiserIds,
    marketMinOthers = SETTINGS.marketMinOthers,
    weekStartsOn = SETTINGS.weekStartsOn,
    minUsers = 0,
    methodology,
    deadline,
    onStart,
    today,
    rollups = true,
    ...changes
  } = parts;
  const query: ReportQuery = {
    ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: [], dimensions: [], filters: [] },
    ...{ sort: [], pagination: { offset: 0, size: 100 } },
    ...changes,
  };
  const all = data.tables.advertisers.map((advertiser) => Number(advertiser.id)).toSorted((a, b) => a - b);
  const own = ownAdvertiserIds ?? all;
  const scope = { accountIds: new Set(accountIds), advertiserIds: advertiserIds ?? own, ownAdvertiserIds: own };
  const settings = { ...SETTINGS, marketMinOthers, weekStartsOn, minUsers, ...(methodology && { methodology }) };
  return runReport({
    ...{ query, scope, settings, source: await sourceOf(data, rollups) },
    ...(deadline === undefined ? {} : { deadline }),
    ...(today === undefined ? {} : { today }),
    ...(onStart === undefined ? {} : { onStart }),
  });
}

const SOURCES = new WeakMap<Dataset, Promise<SegmentSource>>();

/** @returns the source of a table into which the dataset is written once, for all its reports */
async function sourceOf(data: Dataset, rollups: boolean): Promise<SegmentSource> {
  const stored = SOURCES.get(data) ?? storedSource(data);
  SOURCES.set(data, stored);
  return rollups ? stored : withoutRollups(await stored);
}

/** @returns the source as if no month had a rollup */
function withoutRollups(source: SegmentSource): SegmentSource {
  return {
    ...source,
    factHeads: async (ids) => {
      const heads = await source.factHeads(ids);
      return new Map([...heads].map(([id, { rollups: _, ...head }]) => [id, head]));
    },
  };
}

/** @returns the fields with a warning */
export function warned(report: ReportResult): string[] {
  return report.meta.warnings.flatMap((warning) => warning.fields);
}
