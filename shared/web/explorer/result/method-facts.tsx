import { format } from '../question/format.ts';
import type { Result } from '../service/use-result.ts';

type Attribution = Result['page']['meta']['attribution'];

const WORDS: Readonly<Record<string, string>> = {
  conversionDay: 'day of the conversion',
  adDay: 'day of the ad',
  sku: 'product',
};

/** What the operator states about how the figures are made; what is not stated is left out. */
export function MethodFacts({ attribution }: { readonly attribution: Attribution }) {
  const { cost, link, clickDays, viewDays, newToBrandLookbackDays } = attribution;
  const days = (count: number | null | undefined) => (typeof count === 'number' ? format.counted(count, 'day') : null);
  const parts = [cost?.tax && `tax ${cost.tax}`, cost?.discounts && `${cost.discounts} discounts`].filter(Boolean);
  const rows = [
    ['Clicks count for', days(clickDays)],
    ['Views count for', days(viewDays)],
    ['Counted on', attribution.countedOn],
    ['Model', attribution.model],
    ['Same', attribution.matchLevel],
    ['Revenue', attribution.sales],
    ['Cost', parts.join(', ')],
    ['Viewable', attribution.viewability],
    ['Invalid traffic', attribution.invalidTraffic],
    ['New to brand after', days(newToBrandLookbackDays)],
  ] as const;
  return (
    <>
      {rows.map(([title, value]) =>
        value ? (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{WORDS[value] ?? value}</dd>
          </div>
        ) : null,
      )}
      {link ? (
        <div>
          <dt>Method</dt>
          <dd>
            <a href={link} rel="noreferrer" target="_blank">
              {new URL(link).host}
            </a>
          </dd>
        </div>
      ) : null}
    </>
  );
}
