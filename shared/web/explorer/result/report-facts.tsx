import { describeFacts, isIncomplete } from '../question/describe-facts.ts';
import type { Result } from '../service/use-result.ts';

interface ReportFactsProps {
  readonly result: Result;
}

/** What every figure of the result depends on: period, latest data, zone, currency and attribution. */
export function ReportFacts({ result: { page } }: ReportFactsProps) {
  return (
    <dl class="facts small">
      {describeFacts(page.meta).map(([title, value]) =>
        value ? (
          <div key={title} class={title === 'Data through' && isIncomplete(page.meta) ? 'warning' : ''}>
            <dt>{title}</dt>
            <dd>{title === 'Method' ? <MethodLink address={value} /> : value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

function MethodLink({ address }: { readonly address: string }) {
  return (
    <a href={address} rel="noreferrer" target="_blank">
      {new URL(address).host}
    </a>
  );
}
