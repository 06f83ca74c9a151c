import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import { loadRows } from '../load/support/load-rows.ts';
import { NETWORK } from '../load/support/network-rows.ts';
import { installPythonTools } from '../support/python-tools.ts';
import { useTable } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';

/** Small folders, made by hand from the documentation of the programs. */
const RECORDED = join(import.meta.dirname, 'folders');

const folder = mkdtempSync(join(tmpdir(), 'endcap-folders-'));
const made = useTable();
beforeAll(async () => {
  await loadRows(NETWORK, made.table);
  const tools = installPythonTools('clients/requirements.txt');
  execFileSync(tools.bin('python'), [join(import.meta.dirname, 'write_folders.py'), folder]);
  mkdirSync(join(folder, 'plain/facts/pla'), { recursive: true });
  cpSync(join(folder, 'delivery.ndjson'), join(folder, 'plain/facts/pla/delivery.ndjson'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function load(path: string) {
  const { outcome, problems, warnings } = await loadFolder({
    userIdKey,
    folder: path,
    table: made.table,
    timeZone: 'UTC',
  });
  return { outcome, problems: problems.map(formatProblem), warnings };
}

test('folders as pandas, polars and DuckDB write them load without renaming, as the plain rows do', async () => {
  expect(await load(join(folder, 'plain'))).toEqual({ outcome: 'loaded', problems: [], warnings: [] });
  const names = readdirSync(folder).filter((name) => /^(pandas|polars|duckdb)-/.test(name));
  expect(names).toHaveLength(11);
  for (const name of names) {
    const { warnings, ...result } = await load(join(folder, name));
    expect({ name, ...result }).toEqual({ name, outcome: 'unchanged', problems: [] });
    const index = warnings.filter((warning) => /pandas writes/.test(warning));
    expect({ name, warnings }).toEqual({ name, warnings: index });
  }
});

test.each(['pyspark', 'snowflake', 'redshift'])('a folder as %s lays it out loads without renaming', async (name) => {
  const { warnings, ...result } = await load(join(RECORDED, name));
  expect(result).toEqual({ outcome: expect.stringMatching(/loaded|unchanged/), problems: [] });
  // the table has more rows of the day, from the folders above
  expect(warnings.filter((warning) => !warning.includes('with fewer hours'))).toEqual([]);
  expect((await load(join(RECORDED, 'plain'))).outcome).toBe('unchanged');
});
