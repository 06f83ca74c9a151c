import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { FactRows } from '../../shared/columns/build-day.ts';
import { encodeDay } from '../../shared/columns/build-day.ts';
import { USER_BANDS } from '../../shared/columns/column.ts';
import { hashUser } from '../../shared/columns/hash-user.ts';
import type { BenchRow } from './bench-row.ts';
import { generateDelivery, seededRandom } from './generate-facts.ts';
import { encodeBothWays } from './parquet-days.ts';

const DAYS = 6;
const POPULATION = 200_000;

/** Stored bytes a fact row, users apart, against DuckDB's zstd Parquet of the same rows in the same order, one file a day. */
export async function benchSizes(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-bench-'));
  const duck = await (await DuckDBInstance.create()).connect();
  try {
    const rows: BenchRow[] = [];
    for (const rowsADay of [33_000, 2_000]) {
      let [ours, theirs, count] = [0, 0, 0];
      for (let day = 0; day < DAYS; day++) {
        const both = await encodeBothWays(duck, folder, 'delivery', day, generateDelivery(day, rowsADay));
        for (const bytes of both.columns.values()) ours += bytes.length;
        theirs += both.parquetBytes;
        count += both.rows;
      }
      rows.push({
        what: `bytes a row at ${rowsADay.toLocaleString('en-US')} rows a day`,
        ours: `${(ours / count).toFixed(2)} B`,
        peer: `${(theirs / count).toFixed(2)} B`,
        ratio: ours / theirs,
        reach: '≤ 0.9',
        note: `users, about 4 a row, beside: ${usersBytesARow(rowsADay).toFixed(2)} B`,
      });
    }
    return rows;
  } finally {
    duck.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

function usersBytesARow(rowsADay: number): number {
  const facts = withUsers(generateDelivery(1, rowsADay));
  const { rows, columns } = encodeDay('delivery', facts);
  return USER_BANDS.reduce((sum, { column }) => sum + (columns.get(column)?.bytes.length ?? 0), 0) / rows;
}

/** Each row reaches up to 8 users of a population in which some are far more active than others. */
function withUsers(facts: FactRows): FactRows {
  const random = seededRandom(5);
  const offsets = new Uint32Array(facts.rows + 1);
  const hashes: number[] = [];
  for (let row = 0; row < facts.rows; row++) {
    const users = new Set<number>();
    for (let i = Math.floor(8 * random()); i >= 0; i--) users.add(hashUser(`u${Math.floor(POPULATION ** random())}`));
    hashes.push(...[...users].sort((a, b) => a - b));
    offsets[row + 1] = hashes.length;
  }
  return { ...facts, users: { rows: facts.rows, offsets, hashes: Float64Array.from(hashes) } };
}
