import { columnName } from '../../catalog/custom-fields.ts';
import { dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import { isMetric, type MetricName, metricOf } from '../../catalog/metrics.ts';
import { inputsOf } from '../../catalog/rules.ts';
import { columnOf, type Experience, keyIn, UNIDENTIFIED } from '../../catalog/tables.ts';
import { sortTexts } from '../../lib/compare-text.ts';
import { coveredExperiences, metricsOf } from '../plan/plan-report.ts';
import type { Unmeasured } from '../plan/unmeasured.ts';
import type { ReportWarning } from '../query/query.ts';
import type { DescribedReport } from './described-report.ts';
import { advertisers, days, list, type Phrase, text, titleOf, titles, warn } from './warning.ts';

/** A column that rows of an experience lack. */
interface Lack extends ReturnType<Unmeasured['lackingIn']> {
  readonly column: string;
  readonly experience: Experience;
}

/** @returns a warning that names the metrics which leave out days without their measures, and these days */
export async function warnUnmeasured({
  plan,
  widest,
  unmeasured,
  advertiserNames,
  found,
}: DescribedReport): Promise<ReportWarning[]> {
  // those with rows that pass the filters, where they are known; what is planned has no rows
  const among = plan.planned ? undefined : found?.scanned.selected;
  const lacks = new Map<string, Lack>();
  const names = metricsOf(widest).filter((name) => {
    const { measures, shoppersOf } = inputsOf(metricOf(name));
    const inputs = [...measures, ...shoppersOf.map((table) => UNIDENTIFIED[table].part)];
    const lacking = inputs.flatMap((measure) =>
      coveredExperiences(widest, name).flatMap((experience): Lack[] => {
        const lack = unmeasured.lackingIn(measure, experience, among);
        return lack.dates.size === 0 ? [] : [{ ...lack, column: columnOf(measure), experience }];
      }),
    );
    for (const own of lacking) lacks.set(`${own.column}/${own.experience}`, own);
    return lacking.length > 0;
  });
  if (names.length === 0) return [];
  const nameOf = [...lacks.values()].some(({ of }) => of.length > 0) ? await advertiserNames() : undefined;
  const alike = Map.groupBy(lacks.values(), ({ column, dates, of }) => JSON.stringify([column, [...dates], of]));
  const lists = [...alike.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const isEverywhere = all.length === widest.experiences.length;
    const experiences = isEverywhere ? '' : ` in ${all.map(({ experience }) => experience).join(' and ')}`;
    const owners = first.of.length === 0 ? '' : text` of ${advertisers(first.of, nameOf)}`;
    const when = days(sortTexts([...first.dates]));
    return [text`${describeMeasure(first.column)}${experiences}${owners} on ${when}`];
  });
  const left = text`these days are left out of ${list(names.map(describeMetric))}`;
  return [
    warn('NOT_MEASURED', ['daily_date', ...names], text`No file had ${list(lists, lists.length, '; ')}: ${left}.`),
  ];
}

/** @returns a warning for each table that lacks dimensions of the report on some days */
export function warnKeyless({ plan, unmeasured }: DescribedReport): ReportWarning[] {
  const { dimensions, filters } = plan.query;
  const fields = [...dimensions, ...filters.map(({ field }) => field).filter(isDimension)];
  return plan.scans.flatMap(({ table }): ReportWarning[] => {
    const names = metricsOf(plan, table);
    const lacked = [...new Set(fields)].flatMap((field) => {
      const column = keyIn(table, dimensionOf(field).base);
      const dates = new Set(plan.experiences.flatMap((name) => [...unmeasured.lackingIn(column, name).dates]));
      return dates.size === 0 ? [] : [{ field, phrase: text`${titles([field])} on ${days(sortTexts([...dates]))}` }];
    });
    const [first] = lacked;
    if (names.length === 0 || first === undefined) return [];
    const keys = list(
      lacked.map(({ phrase }) => phrase),
      lacked.length,
      '; ',
    );
    const left = text`rows with a value of it leave these days out of ${titles(names)}`;
    const others = 'the row without one has no ratio of two tables';
    const phrase = text`No row of ${table} had ${keys}: ${left}, and ${others}.`;
    const drop = lacked.map(({ field }) => field);
    return [warn('NOT_MEASURED', [first.field, ...drop.slice(1), ...names], phrase, drop)];
  });
}

function describeMeasure(column: string): Phrase {
  const name = columnName(column);
  return { detail: name, message: isMetric(name) ? titleOf(name) : name.replaceAll('_', ' ') };
}

function describeMetric(name: MetricName): Phrase {
  return text`${titles([name])}${metricOf(name).kind === 'distinct' ? ' (rows without user ids)' : ''}`;
}
