import type { ComponentChildren } from 'preact';
import { format } from '../question/format.ts';
import type { Result } from '../service/use-result.ts';

type Attribution = Result['page']['meta']['attribution'];

const WORDS: Readonly<Record<string, string>> = {
  conversionDay: 'day of the conversion',
  adDay: 'day of the ad',
  sku: 'product',
};

/** A title and a value; what has none is not shown. */
export type Fact = readonly [title: string, value: ComponentChildren];

/** @returns what the operator states about how the figures are made */
export function methodFacts(attribution: Attribution): readonly Fact[] {
  const { cost, link, clickDays, viewDays, newToBrandLookbackDays } = attribution;
  const days = (count: number | null | undefined) => (typeof count === 'number' ? format.counted(count, 'day') : null);
  const word = (name: string | null | undefined) => name && (WORDS[name] ?? name);
  const parts = [cost?.tax && `tax ${cost.tax}`, cost?.discounts && `${cost.discounts} discounts`].filter(Boolean);
  const method = link && (
    <a href={link} rel="noreferrer" target="_blank">
      {new URL(link).host}
    </a>
  );
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
    ['Method', method],
  ];
}
