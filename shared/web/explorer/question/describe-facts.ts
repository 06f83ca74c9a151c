import type { ReportMeta } from '../../client/client.ts';
import { format } from './format.ts';

const WORDS: Readonly<Record<string, string>> = {
  conversionDay: 'day of the conversion',
  adDay: 'day of the ad',
  sku: 'product',
};

/** A title and a value; what has none is not shown. */
type Fact = readonly [title: string, value: string | null | undefined];

/** @returns what every figure of the report depends on: period, latest data, zone, currency and method, which may be an address */
export function describeFacts(meta: ReportMeta): readonly Fact[] {
  const { period, timezone, currency, dataCompleteThrough, dataFinalThrough, attribution } = meta;
  const through = dataCompleteThrough === null ? 'no data' : format.date(dataCompleteThrough);
  const endsLater = dataCompleteThrough !== null && isIncomplete(meta) ? ' – the period ends later' : '';
  const window = attribution.windowDays === null ? '' : `${format.counted(attribution.windowDays, 'day')}, `;
  return [
    ['Period', describeRanges(meta)],
    ['Data through', `${through}${endsLater}`],
    ['Final through', dataFinalThrough && finalText(dataFinalThrough, period.endDate)],
    ['Time zone', timezone],
    ['Currency', currency],
    ['Attribution', `${window}${attribution.basis}`],
    ...methodFacts(attribution),
  ];
}

/** @returns the period, and the compared one */
export function describeRanges({ period, compared }: Pick<ReportMeta, 'period' | 'compared'>): string {
  const ranges = compared === undefined ? [period] : [period, compared];
  return ranges.map(({ startDate, endDate }) => format.range(startDate, endDate)).join(' against ');
}

/** @returns whether the period ends after the data */
export function isIncomplete({
  dataCompleteThrough,
  period,
}: Pick<ReportMeta, 'dataCompleteThrough' | 'period'>): boolean {
  return dataCompleteThrough === null || dataCompleteThrough < period.endDate;
}

/** @returns what the operator states about how the figures are made */
function methodFacts(attribution: ReportMeta['attribution']): readonly Fact[] {
  const { cost, link, clickDays, viewDays, newToBrandLookbackDays } = attribution;
  const days = (count: number | null | undefined) => (typeof count === 'number' ? format.counted(count, 'day') : null);
  const word = (name: string | null | undefined) => name && (WORDS[name] ?? name);
  const parts = [cost?.tax && `tax ${cost.tax}`, cost?.discounts && `${cost.discounts} discounts`].filter(Boolean);
  return [
    ['Clicks count for', days(clickDays)],
    ['Views count for', days(viewDays)],
    ['Counted on', word(attribution.countedOn)],
    ['Model', word(attribution.model)],
    ['Same', word(attribution.matchLevel)],
    ['Revenue', word(attribution.sales)],
    ['Cost', parts.join(', ')],
    ['Viewable', word(attribution.viewability)],
    ['Invalid traffic', word(attribution.invalidTraffic)],
    ['New to brand after', days(newToBrandLookbackDays)],
    ['Method', link],
  ];
}

const finalText = (day: string, endDate: string): string =>
  `${format.date(day)}${day < endDate ? ' – later days (*) may still change' : ''}`;
