import { Menu } from '../ui/menu.tsx';
import type { TableColumn } from './use-columns.ts';

interface ColumnMenuProps {
  readonly columns: readonly TableColumn[];
  readonly onToggle: (name: string) => void;
}

/** Hides columns and shows them again; the question stays as it is. */
export function ColumnMenu({ columns, onToggle }: ColumnMenuProps) {
  const shown = columns.filter(({ isHidden }) => !isHidden).length;
  return (
    <Menu title={shown === columns.length ? 'Columns' : `Columns (${shown} of ${columns.length})`}>
      {columns.map(({ header: { name, title }, isHidden }) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={!isHidden}
            disabled={!isHidden && shown === 1}
            onChange={() => onToggle(name)}
          />
          <span>{title}</span>
        </label>
      ))}
    </Menu>
  );
}
