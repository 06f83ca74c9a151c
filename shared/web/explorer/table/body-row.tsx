import type { ReportHeader } from '../app/api.ts';
import { isNumericMetric } from '../question/catalogue.ts';
import type { ComparedRow } from '../question/compare-rows.ts';
import { type Formatter, NO_VALUE } from '../question/format.ts';
import { cellOf } from './columns.ts';

interface BodyRowProps {
  /** Position of the row below the header, from 0. */
  readonly index: number;
  readonly row: ComparedRow;
  readonly headers: readonly ReportHeader[];
  readonly format: Formatter;
  /** Why metrics are null, by name; shown on hover. */
  readonly nulls: ReadonlyMap<string, string>;
  readonly isTotal?: boolean;
}

export function BodyRow({ index, row, headers, format, nulls, isTotal }: BodyRowProps) {
  return (
    <tr aria-rowindex={index + 2} class={isTotal === true ? 'total' : ''}>
      {headers.map((header, column) => {
        const { text, change, hint } = cellOf(header, row, format, nulls);
        const className = isNumericMetric(header) ? 'number' : 'text';
        if (isTotal === true && header.role === 'dimension') {
          return column === 0 ? (
            <th key={header.name} scope="row">
              Total
            </th>
          ) : (
            <td key={header.name} />
          );
        }
        const content = (
          <>
            {text === undefined ? (
              <>
                <span aria-hidden="true">{NO_VALUE}</span>
                <span class="visually-hidden">no value</span>
              </>
            ) : (
              text
            )}
            {change === undefined ? null : <small>{change}</small>}
          </>
        );
        return column === 0 && header.role === 'dimension' ? (
          <th key={header.name} scope="row" class={className} title={text ?? hint}>
            {content}
          </th>
        ) : (
          <td
            key={header.name}
            class={className}
            title={hint ?? (className === 'text' ? text : undefined)}
            data-field={header.name}
          >
            {content}
          </td>
        );
      })}
    </tr>
  );
}
