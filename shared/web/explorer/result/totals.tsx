import { isNumericMetric } from '../question/catalogue.ts';
import { changeOf, describeMissing } from '../question/compare-rows.ts';
import { format, NO_VALUE } from '../question/format.ts';
import type { ReportHeader } from '../service/api.ts';
import type { Result } from '../service/use-result.ts';

interface TotalsProps {
  readonly result: Result;
}

/** Maximum number of metrics that are shown; the last row of the table has all. */
const MAX_TILES = 6;

export function Totals({ result }: TotalsProps) {
  const { page } = result;
  const missing = describeMissing(page.meta);
  const { comparedTotals, changeTotals, relativeChangeTotals } = page;
  const shown = page.headers
    .filter(isNumericMetric)
    .filter(({ name }) => page.totals[name] !== null && page.totals[name] !== undefined)
    .slice(0, MAX_TILES);
  if (shown.length === 0) return null;
  const figures = shown.map((header) => format.value(header, page.totals[header.name]));
  return (
    <ul
      class="card totals"
      aria-label="Totals"
      style={`--characters: ${Math.max(...figures.map(({ length }) => length))}`}
    >
      {shown.map((header, index) => {
        const before = comparedTotals?.[header.name];
        return (
          <li key={header.name}>
            <span class="hint">{header.title}</span>
            <span class="figure" data-total={header.name}>
              {figures[index]}
            </span>
            {comparedTotals === undefined ? null : (
              <span class="change small">
                {missing ?? changeText(header, { change: changeTotals, relativeChange: relativeChangeTotals })}
                <span class="muted"> from {format.value(header, before)}</span>
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** @returns the relative change; the difference of percentages, or if the earlier value is 0 */
function changeText(header: ReportHeader, changes: Parameters<typeof changeOf>[0]): string {
  const change = changeOf(changes, header.name);
  if (change === undefined) return NO_VALUE;
  return change.fraction === undefined || header.unit === 'fraction'
    ? format.difference(header, change.difference)
    : format.change(change.fraction);
}
