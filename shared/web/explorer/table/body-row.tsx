import type { ReportHeader } from '../app/api.ts';
import { isNumericMetric } from '../question/catalogue.ts';
import type { ComparedRow } from '../question/compare-rows.ts';
import { type Formatter, NO_VALUE } from '../question/format.ts';
import { cellOf } from './columns.ts';
import { Name } from './name.tsx';

interface BodyRowProps {
  /** Position of the row below the header, from 0. */
  readonly index: number;
  readonly row: ComparedRow;
  readonly headers: readonly ReportHeader[];
  readonly format: Formatter;
  /** Why metrics are null, by name; shown on hover. */
  readonly nulls: ReadonlyMap<string, string>;
  readonly isTotal?: boolean;
  /** Whether its names are reached with the Tab key; those of other rows with the arrow keys. */
  readonly isFirst?: boolean;
  /** Measures the height of the row. */
  readonly measure?: ((element: HTMLElement | null) => void) | undefined;
}

export function BodyRow({ index, row, headers, format, nulls, isTotal, isFirst, measure }: BodyRowProps) {
  return (
    <tr ref={measure ?? null} data-index={index} aria-rowindex={index + 2} class={isTotal === true ? 'total' : ''}>
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
            ) : className === 'text' ? (
              <Name text={text} />
            ) : (
              text
            )}
            {change === undefined ? null : <small>{change}</small>}
          </>
        );
        // the focus shows a name whole, also with a finger
        const focusable = className === 'text' && isTotal !== true ? { tabIndex: isFirst === true ? 0 : -1 } : {};
        return column === 0 && header.role === 'dimension' ? (
          <th key={header.name} scope="row" class={className} title={text ?? hint} {...focusable}>
            {content}
          </th>
        ) : (
          <td
            key={header.name}
            class={className}
            title={hint ?? (className === 'text' ? text : undefined)}
            data-field={header.name}
            {...focusable}
          >
            {content}
          </td>
        );
      })}
    </tr>
  );
}
