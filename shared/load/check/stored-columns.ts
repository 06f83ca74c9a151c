import {
  type ColumnKind,
  CUSTOM_COLUMNS,
  CUSTOM_LISTINGS,
  type CustomColumn,
  customListingColumns,
  customName,
  fieldsFile,
} from '../../catalog/custom-fields.ts';
import { addColumns, keyIn } from '../../catalog/tables.ts';
import type { GivenColumns } from '../source/column-names.ts';
import type { CheckedFolder } from './check-folder.ts';

/** A column of a custom field that was loaded: of facts, or texts of listings. */
interface StoredColumn {
  readonly tables: readonly string[];
  readonly unit: ColumnKind['unit'] | 'text';
}

/** What `DataSettings.fields` has. */
type StoredColumns = ReadonlyMap<CustomColumn, StoredColumn>;

/**
 * Keeps what the table has of custom fields that are not declared: days that the load does not replace keep their figures, and files may have the columns.
 * @returns the columns of files to ignore, by listing or fact table
 * @throws Error naming a column that is declared as something else than it was loaded as
 */
export function keepStoredColumns(fields: string | undefined): Readonly<Record<string, GivenColumns>> {
  const ignored: Record<string, GivenColumns> = {};
  for (const [column, stored] of parse(fields)) {
    const declared = declaredColumns().get(column);
    if (declared !== undefined) checkKind(column, stored, declared);
    const { tables, unit } = stored;
    const others = tables.filter((table) => declared?.tables.includes(table) !== true);
    for (const table of others) ignored[table] = { ...ignored[table], [customName(column)]: UNDECLARED };
    if (unit !== 'text') addColumns(new Map([[column, { unit, tables: others as ColumnKind['tables'] }]])); // as they were recorded
  }
  return ignored;
}

const UNDECLARED = { is: null, isUndeclared: true } as const;

function checkKind(column: CustomColumn, stored: StoredColumn, declared: StoredColumn): void {
  const isMeasure = stored.unit !== 'key' && stored.unit !== 'text';
  if (stored.unit === declared.unit && (!isMeasure || stored.tables[0] === declared.tables[0])) return;
  throw new Error(
    `the column ${customName(column)} was loaded as ${describe(stored)}, and is declared in ${fieldsFile()} as ${describe(declared)}: declare it as before, or give the field another column`,
  );
}

const describe = ({ unit, tables }: StoredColumn) => `${unit} of ${tables.join(', ')}`;

/** @returns what the load is to record: what was recorded, and the declared columns that its files have */
export function recordColumns(fields: string | undefined, { facts, listings }: CheckedFolder): string | undefined {
  const columns = new Map(parse(fields));
  const days = facts.flatMap(({ partitions }) => partitions.days());
  for (const [column, declared] of declaredColumns()) {
    const loaded = declared.tables.filter((table) =>
      declared.unit === 'text'
        ? [...listings.keys()].some((listing) => listing === table)
        : days.some(
            (day) =>
              day.table === table &&
              !day.unmeasured.includes(declared.unit === 'key' ? keyIn(day.table, column) : column),
          ),
    );
    const tables = new Set([...(columns.get(column)?.tables ?? []), ...loaded]);
    if (tables.size > 0) columns.set(column, { ...declared, tables: [...tables].sort() });
  }
  return columns.size === 0 ? undefined : JSON.stringify([...columns].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function declaredColumns(): StoredColumns {
  const columns = new Map<CustomColumn, StoredColumn>(CUSTOM_COLUMNS);
  for (const table of CUSTOM_LISTINGS)
    for (const { stored } of customListingColumns(table))
      columns.set(stored, { unit: 'text', tables: [...(columns.get(stored)?.tables ?? []), table] });
  return columns;
}

function parse(fields = '[]'): StoredColumns {
  return new Map(JSON.parse(fields));
}
