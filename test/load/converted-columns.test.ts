import { expect, test } from 'vitest';
import { AD_GROUP_STATUSES, CAMPAIGN_STATUSES } from '../../shared/catalog/closed-values.ts';
import { EXPERIENCES } from '../../shared/catalog/tables.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import type { LoadRow } from '../real/write-folder.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { folderOf } from './support/folder.ts';
import { EXPECTED, FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';
import { parquetFolderOf } from './support/parquet-folder.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

const engine = useEngine();

const exported = (word: unknown) => `is ${String(word).toLowerCase()}`;
const valuesOf = (words: readonly string[]) => Object.fromEntries(words.map((word) => [exported(word), word]));

const COLUMNS = {
  campaigns: {
    status: { is: 'status', values: valuesOf(CAMPAIGN_STATUSES) },
    budget: { is: 'budget', divide: 100 },
  },
  ad_groups: {
    status: { is: 'status', values: valuesOf(AD_GROUP_STATUSES) },
    budget: { is: 'budget', divide: 1_000_000 },
  },
  placements: { experiences: { is: 'experiences', values: valuesOf(EXPERIENCES) } },
  delivery: { cost: { is: 'cost', divide: 1_000_000 } },
};

/** @returns the rows with the words and units of `COLUMNS` */
function asExported(rows: FolderRows): FolderRows {
  const exportRow = (row: LoadRow, centsOrMicros: number): LoadRow => {
    const { status, experiences, budget, cost } = row;
    return {
      ...row,
      ...(status === undefined ? {} : { status: exported(status) }),
      ...(Array.isArray(experiences) ? { experiences: experiences.map(exported) } : {}),
      ...(budget === undefined ? {} : { budget: inUnits(budget, centsOrMicros) }),
      ...(cost === undefined ? {} : { cost: inUnits(cost, 1_000_000) }),
    };
  };
  return Object.fromEntries(
    Object.entries(rows).map(([name, list]) => {
      return [
        name,
        name === 'budgets' ? list : list.map((row) => exportRow(row, name === 'campaigns' ? 100 : 1_000_000)),
      ];
    }),
  );
}

const inUnits = (amount: LoadRow[string], units: number) => (amount === '' ? '' : Math.round(Number(amount) * units));

test.each(['csv', 'ndjson', 'parquet'])(
  '%s files with other words and units are loaded as ours are',
  async (format) => {
    const rows = asExported({ ...NETWORK, ...FACTS });
    using folder = format === 'parquet' ? await parquetFolderOf(rows) : folderOf(rows, format);
    folder.write('columns.json', JSON.stringify(COLUMNS));
    const { table } = await engine.createTable();
    const options = { userIdKey, folder: folder.path, table, timeZone: 'America/New_York' };
    const { problems, outcome } = await loadFolder(options);
    expect({ problems, outcome }).toEqual({ problems: [], outcome: 'loaded' });
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  },
);
