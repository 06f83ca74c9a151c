import { Menu } from '../ui/menu.tsx';
import type { TableColumn } from './use-columns.ts';

interface ColumnMenuProps {
  readonly columns: readonly TableColumn[];
  readonly onToggle: (name: string) => void;
  readonly isWrapped: boolean;
  readonly onWrap: (isWrapped: boolean) => void;
}

/** Hides columns and shows them again, and shows names whole; the question stays as it is. */
export function ColumnMenu({ columns, onToggle, isWrapped, onWrap }: ColumnMenuProps) {
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
      <label class="check">
        <input type="checkbox" checked={isWrapped} onChange={() => onWrap(!isWrapped)} />
        <span>Wrap long text</span>
      </label>
    </Menu>
  );
}
