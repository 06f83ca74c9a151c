import type { ReportHeader } from '../app/api.ts';
import { Menu } from '../ui/menu.tsx';
import type { ResultColumns } from './use-table.ts';

interface ColumnMenuProps {
  readonly table: ResultColumns;
  readonly headers: readonly ReportHeader[];
  readonly isWrapped: boolean;
  readonly onWrap: (isWrapped: boolean) => void;
}

/** Hides columns and shows them again, and shows names whole; the question stays as it is. */
export function ColumnMenu({ table, headers, isWrapped, onWrap }: ColumnMenuProps) {
  const columns = table.getAllLeafColumns();
  const visible = columns.filter((column) => column.getIsVisible()).length;
  return (
    <Menu title={visible === columns.length ? 'Columns' : `Columns (${visible} of ${columns.length})`}>
      {columns.map((column) => (
        <label key={column.id} class="check">
          <input
            type="checkbox"
            checked={column.getIsVisible()}
            disabled={column.getIsVisible() && visible === 1}
            onChange={() => column.toggleVisibility()}
          />
          <span>{headers.find(({ name }) => name === column.id)?.title ?? column.id}</span>
        </label>
      ))}
      <label class="check">
        <input type="checkbox" checked={isWrapped} onChange={() => onWrap(!isWrapped)} />
        <span>Wrap long text</span>
      </label>
    </Menu>
  );
}
