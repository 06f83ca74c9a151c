import { isNumeric, type SortValue } from '../catalog/compared-values.ts';
import { dimensionOf } from '../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../catalog/metrics.ts';
import type { Experience } from '../catalog/tables.ts';
import { dayNumber } from '../lib/calendar.ts';
import { NO_DEADLINE } from '../lib/deadline.ts';
import { type ComparedFacts, deriveCompared } from './derive-compared.ts';
import { deriveMetric, readUnits } from './finish/derive-metrics.ts';
import { type DimensionValues, dimensionValues, experienceReader } from './finish/dimension-values.ts';
import { joinGroups } from './join-groups.ts';
import type { PreparedReport } from './prepare-report.ts';
import type { ReportEnvelope, ReportValue, ReportWarning } from './query/query.ts';
import type { ReportInput } from './query/report-input.ts';
import type { ScannedReport } from './scan-report.ts';
import { deriveTotals, type TotalFacts } from './total-report.ts';

/** What there is of each period of a report: the requested one, and the one that it is compared with. */
export type Periods<T> = readonly [now: T, ...before: T[]];

/** The groups of one or two periods. */
interface ReportGroups {
  readonly groups: Uint32Array;
  readonly dimensions: readonly DimensionValues[];
  /** @returns a function that returns the value of a metric for a group */
  readonly derive: (name: MetricName, by: SortValue) => (group: number) => ReportValue;
  /** @returns those of the groups that the period has, as its own numbers */
  readonly groupsIn: (period: number, groups: Uint32Array) => Uint32Array;
}

/**
 * @returns the groups of the only period, or those of both, joined
 * @throws ApiError DEADLINE_EXCEEDED
 */
export function comparePeriods(input: ReportInput, [now, before]: Periods<ScannedReport>): ReportGroups {
  const { query, settings, deadline = NO_DEADLINE } = input;
  if (before === undefined) {
    return {
      groups: now.rows.table.groups(),
      dimensions: dimensionValues(now.rows, query.dimensions),
      derive: (name) => deriveMetric(name, now.rows.facts, now.deriveContext),
      groupsIn: (_, groups) => groups,
    };
  }
  const joined = joinGroups(groupsOf(now), groupsOf(before), settings.weekStartsOn, deadline);
  const experienceOf = experienceReader(query, (field) => joined.dimensions.find(({ name }) => name === field));
  const times = joined.dimensions.filter(({ name }) => ['date', 'experience'].includes(dimensionOf(name).base));
  const whenOf = (group: number) => times.map(({ codeOf }) => codeOf(group)).join();
  const days = joined.dimensions.find(({ name }) => name === 'daily_date');
  const dayNumbers = days?.values.map((date) => dayNumber(String(date))); // in the period of `now`
  const factsOf = ({ prepared, rows, deriveContext }: ScannedReport, groupOf: Int32Array): ComparedFacts => {
    const shift = prepared.plan.period.firstDay - now.prepared.plan.period.firstDay;
    const knownOn: ComparedFacts['knownOn'] = (table, experiences, group) => {
      const day = days && dayNumbers?.[days.codeOf(group)];
      return day === undefined ? experiences : prepared.unmeasured.reach.knownIn(table, experiences, [day + shift]);
    };
    return { facts: rows.facts, deriveContext, groupOf, experienceOf, whenOf, knownOn };
  };
  const [factsNow, factsBefore] = [factsOf(now, joined.now), factsOf(before, joined.before)];
  return {
    groups: joined.groups,
    dimensions: joined.dimensions,
    derive: (name, by) => deriveCompared(name, by, factsNow, factsBefore),
    groupsIn: (period, groups) => {
      const groupOf = period === 0 ? joined.now : joined.before;
      return groups.map((group) => Math.max(0, groupOf[group] ?? 0)).filter((group) => group > 0);
    },
  };
}

type TotalsOfPeriods = Pick<ReportEnvelope, 'totals' | 'comparedTotals' | 'changeTotals' | 'relativeChangeTotals'>;

/** @returns the totals of the only period, or those of both with the changes of numeric metrics */
export function compareTotals([now, before]: Periods<TotalFacts>): TotalsOfPeriods {
  if (before === undefined) return { totals: deriveTotals(now) };
  const { metrics } = now.deriveContext.plan.query;
  const all = {
    experienceOf: undefined,
    whenOf: String,
    knownOn: (_: unknown, experiences: readonly Experience[]) => experiences,
  };
  const group = { groupOf: Int32Array.of(0, 1), ...all };
  const compare = (names: readonly MetricName[], by: 'compared' | 'change' | 'relativeChange') => {
    const values = names.map((name) => {
      const derive = deriveCompared(name, by, { ...now, ...group }, { ...before, ...group });
      return [name, readUnits(name, by, derive)(1)] as const;
    });
    return Object.fromEntries(values);
  };
  const numeric = metrics.filter((name) => isNumeric(metricOf(name).type));
  return {
    totals: deriveTotals(now),
    comparedTotals: compare(metrics, 'compared'),
    changeTotals: compare(numeric, 'change'),
    relativeChangeTotals: compare(numeric, 'relativeChange'),
  };
}

/** @returns the groups of one period, to be joined */
function groupsOf({ prepared: { plan, loaded }, rows }: ScannedReport) {
  const { firstDay, lastDay } = plan.period;
  return {
    groups: rows.table.groups(),
    dimensions: dimensionValues(rows, plan.query.dimensions),
    range: { first: firstDay, last: lastDay },
    hasDataOn: loaded.hasDataOn,
  };
}

/** @returns the `meta` of the report. The data version is that of both periods, because it does not depend on the period. */
export async function describePeriods(
  [now, before]: Periods<PreparedReport>,
  [warnings = [], earlierWarnings = []]: readonly (readonly ReportWarning[])[],
): Promise<ReportEnvelope['meta']> {
  const updatedAt = await now.updatedAt;
  const { dataVersion, attribution, ...first } = now.meta;
  const dataUpdatedAt = updatedAt === undefined ? null : new Date(updatedAt).toISOString();
  const meta = { ...first, dataVersion, dataUpdatedAt, attribution };
  if (before === undefined) return { ...meta, warnings };
  const { startDate, endDate } = before.plan.query;
  const shift = now.plan.period.firstDay - before.plan.period.firstDay;
  const further = earlierWarnings
    .filter(({ field, detail }) => !warnings.some((known) => known.field === field && known.detail === detail))
    .map((warning) => {
      const isShifted = warning.code === 'PARTIAL_UNIT' && warning.field === 'week_date' && shift % 7 !== 0;
      const advice = isShifted
        ? ' Compare with previousYearByWeekday or previousPeriodByWeekday for the same weeks.'
        : '';
      const say = (text: string) => `In the compared period: ${text}${advice}`;
      return { ...warning, message: say(warning.message), detail: say(warning.detail) };
    });
  const compared = { startDate, endDate, data: before.loaded.data };
  return { ...meta, compared, warnings: [...warnings, ...further] };
}
