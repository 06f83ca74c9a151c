import { expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { LISTING_FILES } from '../../shared/load/schema/file-columns.ts';
import { integerOf, TextIds } from '../../shared/load/schema/text-ids.ts';
import { Invalid } from '../../shared/load/schema/value-types.ts';
import type { LoadRow } from '../real/write-folder.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { folderOf, type TestFolder } from './support/folder.ts';
import { loadFileColumns } from './support/load-file-columns.ts';
import { FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';
import { parquetFolderOf } from './support/parquet-folder.ts';

const engine = useEngine();
const ROWS: FolderRows = { ...NETWORK, ...FACTS };

/** @returns the rows with another id of each listing for each id, in the listing and wherever it is referred to */
function withIds(rows: FolderRows, idOf: (text: string) => string | number): FolderRows {
  return Object.fromEntries(
    Object.entries(rows).map(([name, list]) => {
      const ids = loadFileColumns(name).flatMap(({ name: column, refers }) => {
        const listing = LISTING_FILES.find((file) => file === (column === 'id' ? name : refers));
        return listing === undefined || listing === 'creatives' ? [] : [{ column, listing }];
      });
      const renumber = (row: LoadRow): LoadRow => {
        const cells = ids.flatMap(({ column, listing }) => {
          const rename = (id: unknown) => idOf(`${listing}_${String(id).padStart(8, '0')}-ä`);
          const cell = row[column];
          if (cell === undefined || cell === '') return [];
          return [[column, Array.isArray(cell) ? cell.map(rename) : rename(cell)] as const];
        });
        return { ...row, ...Object.fromEntries(cells) };
      };
      return [name, list.map(renumber)];
    }),
  );
}

const TEXTS = withIds(ROWS, (text) => text);

/** The rows with the integers of the texts, and the texts as short ids. */
const INTEGERS: FolderRows = Object.fromEntries(
  Object.entries(withIds(ROWS, integerOf)).map(([name, rows]) => {
    if (name !== 'campaigns' && name !== 'ad_groups') return [name, rows];
    return [name, rows.map((row, at) => ({ ...row, shortId: row.shortId || TEXTS[name]?.[at]?.id }))];
  }),
);

/** @returns all items of a table into which the folder is loaded, but that of the audit, which has the folder's name */
async function load(folder: TestFolder) {
  const { table, content } = await engine.createTable();
  const clock = () => Date.parse('2026-04-01');
  const options = { userIdKey, folder: folder.path, table, timeZone: 'America/New_York', clock };
  const { outcome, problems, warnings } = await loadFolder(options);
  expect({ outcome, problems }).toEqual({ outcome: 'loaded', problems: [] });
  return { warnings, items: (await content()).filter((item) => !JSON.stringify(item).includes(folder.path)) };
}

test.each(['csv', 'ndjson', 'parquet'])(
  'ids in %s files may be texts, which are stored as their integers are',
  async (format) => {
    using integers = folderOf(INTEGERS, 'csv');
    using texts = format === 'parquet' ? await parquetFolderOf(TEXTS, { integer: 'VARCHAR' }) : folderOf(TEXTS, format);
    const expected = await load(integers);
    const actual = await load(texts);
    expect(actual.items).toEqual(expected.items);
    const listed = actual.warnings.filter((text) => text.includes('ids are texts'));
    expect(listed[0]).toBe(
      `accounts.${format}: 2 of 2 ids are texts, such as accounts_00000002-ä (integer ${integerOf('accounts_00000002-ä')})`,
    );
    expect(listed.map((text) => text.split('.')[0])).toEqual(
      LISTING_FILES.filter((name) => loadFileColumns(name)[0]?.name === 'id'),
    );
  },
);

test('two texts with the same integer are an error that names both', () => {
  const ids = new TextIds(() => 7);
  const error = new Invalid('b has the same integer as a, 7: change one of them');
  expect([ids.add('a'), ids.add('b'), ids.add('a')]).toEqual([7, error, 7]);
});
