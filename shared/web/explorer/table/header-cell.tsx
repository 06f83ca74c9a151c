import { isNumericMetric } from '../question/catalogue.ts';
import { titleOf } from '../question/format.ts';
import type { SortEntry } from '../question/question.ts';
import type { ReportHeader } from '../service/api.ts';
import { nextEntry } from './columns.ts';

interface HeaderCellProps {
  readonly header: ReportHeader;
  readonly sort: readonly SortEntry[];
  /** Whether a figure’s title also sorts by its change. */
  readonly isCompared: boolean;
  readonly onSort: (sort: readonly SortEntry[]) => void;
}

/** The title, which sorts the rows. */
export function HeaderCell({ header, sort, isCompared, onSort }: HeaderCellProps) {
  const entry = sort.slice(0, 1).find(({ field }) => field === header.name);
  const order = entry?.order;
  const ariaSort = order === undefined ? 'none' : order === 'ASC' ? 'ascending' : 'descending';
  return (
    <th scope="col" aria-sort={ariaSort} class={isNumericMetric(header) ? 'number' : 'text'}>
      <button
        type="button"
        class="plain sort"
        title={header.description}
        onClick={() => onSort([nextEntry(header, entry, isCompared)])}
      >
        {titleOf(header)}
        <span class="arrow" aria-hidden="true">
          {order === undefined ? '' : order === 'ASC' ? ' ↑' : ' ↓'}
          {entry?.by === 'change' ? ' ±' : ''}
        </span>
        {entry?.by === 'change' ? <span class="visually-hidden">, by change</span> : null}
      </button>
    </th>
  );
}
