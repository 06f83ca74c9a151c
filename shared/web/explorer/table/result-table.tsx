import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ComparedRow } from '../question/compare-rows.ts';
import { format } from '../question/format.ts';
import type { SortEntry } from '../question/question.ts';
import { PAGE_ROWS, type Result } from '../service/use-result.ts';
import { moveFocus } from '../ui/move-focus.ts';
import { usePrinting } from '../ui/use-printing.ts';
import type { OpenRowMenu } from '../ui/use-row-menu.tsx';
import { useWidth } from '../ui/use-width.ts';
import { BodyRow } from './body-row.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { nullReasons } from './columns.ts';
import { fitColumns } from './fit-columns.ts';
import { HeaderCell } from './header-cell.tsx';
import { useColumns } from './use-columns.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

interface ResultTableProps {
  readonly result: Result;
  readonly readMore: () => void;
  readonly onSort: (sort: readonly SortEntry[]) => void;
  readonly onRow: OpenRowMenu;
}

/** Heights of rows in pixels, as in the style sheet. */
const ROW = 30;
const COMPARED_ROW = 46;
/** The next page is read when fewer rows than these are left below. */
const READ_AHEAD = 200;

/** All rows. Of more than PAGE_ROWS, only those in sight or close to it are in the document, and further pages follow on scrolling. */
export function ResultTable({ result, readMore, onSort, onRow }: ResultTableProps) {
  const { rows } = result;
  const { headers, totalCount, totals, comparedTotals, changeTotals, relativeChangeTotals } = result.page;
  const scroller = useRef<HTMLDivElement>(null);
  const isCompared = comparedTotals !== undefined;
  const totalRow = useMemo<ComparedRow>(
    () => ({ row: totals, previous: comparedTotals, change: changeTotals, relativeChange: relativeChangeTotals }),
    [result],
  );
  const width = useWidth(scroller);
  const fits = useMemo(
    () => fitColumns(headers, rows, totalRow, format, width),
    [headers, rows, totalRow, format, width],
  );
  const { columns, toggle } = useColumns(headers, fits, width);
  const height = isCompared ? COMPARED_ROW : ROW;
  const isWhole = totalCount <= PAGE_ROWS;
  const drawsAll = usePrinting() || isWhole;
  const { items, before, after, measure } = useVirtualRows(scroller, rows.length, height);
  const indexes = drawsAll ? rows.map((_, index) => index) : items.map(({ index }) => index);
  const nulls = useMemo(() => nullReasons(result, false), [result]);
  const totalNulls = useMemo(() => nullReasons(result, true), [result]);
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastShown > 0 && lastShown + READ_AHEAD > rows.length) readMore();
  }, [lastShown, rows.length, readMore]);

  useLayoutEffect(() => void scroller.current?.scrollTo({ top: 0 }), [result.request]);

  const shown = columns.filter(({ isHidden }) => !isHidden);
  const shownHeaders = shown.map(({ header }) => header);
  const openAt = (target: EventTarget | null, at: Point) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-field]') : null;
    const row = rows[Number(cell?.parentElement?.dataset.index)];
    const isName = headers.some(({ name, role }) => name === cell?.dataset.field && role === 'dimension');
    if (row !== undefined && isName && String(getSelection()) === '') onRow(row.row, at.clientX, at.clientY);
  };
  return (
    <section class="card table" aria-label="Table">
      <header>
        <h2>Table</h2>
        <p class="hint">
          {format.counted(totalCount, 'row')}
          {isCompared ? ' · below each figure: the change against the compared period' : ''}
          {isWhole ? '' : ' · the page has those in sight: “Copy all rows” and files have all'}
        </p>
        <ColumnMenu columns={columns} onToggle={toggle} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section class="scroller" ref={scroller} tabIndex={0} aria-label="Rows">
        <table
          class={isCompared ? 'compared' : ''}
          aria-rowcount={totalCount + 2}
          style={{ minWidth: `${shown.reduce((sum, { width }) => sum + width, 0)}px` }}
        >
          <colgroup>
            {shown.map(({ header, width }) => (
              <col key={header.name} style={{ width: `${width}px` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {shownHeaders.map((header) => (
                <HeaderCell key={header.name} {...{ header, isCompared, onSort }} sort={result.request.sort} />
              ))}
            </tr>
          </thead>
          <tbody
            onKeyDown={(event) => {
              openAtKey(event, openAt);
              moveInColumn(event);
            }}
            onClick={(event) => openAt(event.target, event)}
          >
            <Spacer height={drawsAll ? 0 : before} columns={shown.length} />
            {indexes.map((index, position) => {
              const row = rows[index];
              return row === undefined ? null : (
                <BodyRow
                  key={index}
                  {...{ index, row, nulls }}
                  finalThrough={result.page.meta.dataFinalThrough}
                  measure={drawsAll ? undefined : measure}
                  headers={shownHeaders}
                  isFirst={position === 0}
                />
              );
            })}
            <Spacer height={drawsAll ? 0 : after} columns={shown.length} />
          </tbody>
          <tfoot>
            <BodyRow index={totalCount} row={totalRow} headers={shownHeaders} nulls={totalNulls} isTotal />
          </tfoot>
        </table>
      </section>
      {drawsAll && rows.length < totalCount ? (
        <p class="hint">
          Printed: the first {format.count(rows.length)} of {format.counted(totalCount, 'row')};{' '}
          {format.count(totalCount - rows.length)} are left out.
        </p>
      ) : null}
      <p class="hint">
        – means no value; the reason for a missing figure appears on hover.{' '}
        {isCompared ? 'A figure’s title sorts by the figure, then by its change. ' : ''}
        The totals are calculated over all rows.
      </p>
    </section>
  );
}

interface Point {
  readonly clientX: number;
  readonly clientY: number;
}

/** Enter and the space bar do what a click on the name does. */
function openAtKey(event: KeyboardEvent, open: (target: EventTarget | null, at: Point) => void): void {
  if ((event.key !== 'Enter' && event.key !== ' ') || !(event.target instanceof HTMLTableCellElement)) return;
  event.preventDefault();
  const { left, bottom } = event.target.getBoundingClientRect();
  open(event.target, { clientX: left, clientY: bottom });
}

/** Moves the focus to the name above or below. */
function moveInColumn(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  if (!(event.target instanceof HTMLTableCellElement)) return;
  moveFocus(event, `tr:not(.spacer) > :nth-child(${event.target.cellIndex + 1})`);
}

/** Takes the place of rows that are not in sight. */
function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null;
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}
