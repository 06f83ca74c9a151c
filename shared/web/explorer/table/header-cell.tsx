import { isNumericMetric } from '../question/catalogue.ts';
import type { SortEntry } from '../question/question.ts';
import { nextEntry, titleOf } from './columns.ts';
import type { TableColumn } from './use-columns.ts';

interface HeaderCellProps {
  readonly column: TableColumn;
  readonly sort: readonly SortEntry[];
  /** Whether a figure’s title also sorts by its change. */
  readonly isCompared: boolean;
  readonly onSort: (sort: readonly SortEntry[]) => void;
  readonly onResize: (name: string, width: number) => void;
}

/** Pixels by which an arrow key changes the width. */
const STEP = 16;

/** The title, which sorts the rows, and a handle for the column's width. */
export function HeaderCell({ column, sort, isCompared, onSort, onResize }: HeaderCellProps) {
  const { header, width, minWidth } = column;
  const entry = sort.slice(0, 1).find(({ field }) => field === header.name);
  const order = entry?.order;
  const ariaSort = order === undefined ? 'none' : order === 'ASC' ? 'ascending' : 'descending';
  const resize = (next: number) => onResize(header.name, next);
  const resizeByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    resize(width + (event.key === 'ArrowRight' ? STEP : -STEP));
  };
  return (
    <th scope="col" aria-sort={ariaSort} class={isNumericMetric(header) ? 'number' : 'text'}>
      <button
        type="button"
        class="plain sort"
        title={header.description}
        onClick={() => onSort([nextEntry(header, entry, isCompared)])}
      >
        <span>{titleOf(header)}</span>
        <span class="arrow" aria-hidden="true">
          {order === undefined ? '' : order === 'ASC' ? '↑' : '↓'}
          {entry?.by === 'change' ? ' ±' : ''}
        </span>
        {entry?.by === 'change' ? <span class="visually-hidden">, by change</span> : null}
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: hr cannot be focused and moved */}
      <span
        class="resize"
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={`Width of ${header.title}`}
        aria-valuenow={width}
        aria-valuemin={minWidth}
        onKeyDown={resizeByKey}
        onPointerDown={(event) => drag(event, width, resize)}
      />
    </th>
  );
}

function drag(
  event: PointerEvent & { readonly currentTarget: HTMLElement },
  width: number,
  resize: (width: number) => void,
): void {
  event.preventDefault();
  const { currentTarget: handle, clientX: start } = event;
  handle.setPointerCapture(event.pointerId);
  const move = ({ clientX }: PointerEvent) => resize(width + clientX - start);
  handle.addEventListener('pointermove', move);
  handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), { once: true });
}
