import { isNumericMetric } from '../question/catalogue.ts';
import { type ComparedRow, DAY } from '../question/compare-rows.ts';
import { format, NO_VALUE } from '../question/format.ts';
import type { ReportHeader } from '../service/api.ts';
import { cellOf } from './columns.ts';

interface BodyRowProps {
  /** Position of the row below the header, from 0. */
  readonly index: number;
  readonly row: ComparedRow;
  readonly headers: readonly ReportHeader[];
  /** Why metrics are null, by name; shown on hover. */
  readonly nulls: ReadonlyMap<string, string>;
  /** Figures of later days may still change; null: not known. */
  readonly finalThrough?: string | null;
  readonly isTotal?: boolean;
  /** Whether its names are reached with the Tab key; those of other rows with the arrow keys. */
  readonly isFirst?: boolean;
  readonly measure?: ((element: HTMLElement | null) => void) | undefined;
}

export function BodyRow({ index, row, headers, nulls, finalThrough, isTotal, isFirst, measure }: BodyRowProps) {
  return (
    <tr ref={measure ?? null} data-index={index} aria-rowindex={index + 2} class={isTotal === true ? 'total' : ''}>
      {headers.map((header, column) => {
        const { name, role } = header;
        const isHead = column === 0 && role === 'dimension';
        const Cell = isHead ? 'th' : 'td';
        const scope = isHead ? { scope: 'row' as const } : {};
        if (isTotal === true && role === 'dimension') {
          return (
            <Cell key={name} {...scope}>
              {isHead ? 'Total' : ''}
            </Cell>
          );
        }
        const mayChange = name === DAY && finalThrough != null && String(row.row[name]) > finalThrough;
        const { text, change, hint } = cellOf(header, row, format, nulls);
        const isName = !isNumericMetric(header);
        const focusable = role === 'dimension' ? { tabIndex: isFirst === true ? 0 : -1 } : {};
        return (
          <Cell
            key={name}
            {...scope}
            class={mayChange ? 'text may-change' : isName ? 'text' : 'number'}
            title={mayChange ? `${text}: its figures may still change` : (hint ?? (isName ? text : undefined))}
            data-field={name}
            {...focusable}
          >
            {text === undefined ? (
              <>
                <span aria-hidden="true">{NO_VALUE}</span>
                <span class="visually-hidden">no value</span>
              </>
            ) : isName ? (
              breakable(text)
            ) : (
              text
            )}
            {change === undefined ? null : <small>{change}</small>}
          </Cell>
        );
      })}
    </tr>
  );
}

/** Names by convention, as in `2026_Q1_SEARCH_EXACT`, are broken between their parts. */
function breakable(text: string) {
  return text.split(/(?<=_)/).map((part, index) => (index === 0 ? part : [<wbr key={index} />, part]));
}
