import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { SHOPPER_BANDS } from '../../../shared/columns/column.ts';
import { type EncodedRun, packOf } from '../../../shared/columns/runs.ts';
import { compress } from '../../../shared/store/table/compress.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { codeFacts, encodeFactRows, type PlainFacts } from '../../support/encode-fact-rows.ts';
import { hashShopper } from '../../support/user-id-key.ts';
import type { BenchRow } from '../bench-row.ts';
import { formatNumber } from '../tools/format.ts';
import { generateDelivery } from '../tools/generate-facts.ts';
import { encodeInBothFormats } from './parquet-days.ts';

const DAYS = 6;
const POPULATION = 200_000;

/** Stored bytes per fact row without shoppers, against DuckDB's zstd Parquet of the same rows in the same order, one file per day. */
export async function benchSizes(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-bench-'));
  const duckdb = await (await DuckDBInstance.create()).connect();
  try {
    const rows: BenchRow[] = [];
    for (const rowsPerDay of [33_000, 2_000]) {
      let [segmentBytes, parquetBytes, count] = [0, 0, 0];
      for (let day = 0; day < DAYS; day++) {
        const facts = generateDelivery(day, rowsPerDay);
        const encoded = await encodeInBothFormats(duckdb, folder, 'delivery', day, facts);
        segmentBytes += storedBytes(encodeFactRows('delivery', codeFacts(facts)));
        parquetBytes += encoded.parquetBytes;
        count += encoded.rows;
      }
      rows.push({
        what: `bytes per row at ${formatNumber(rowsPerDay)} rows per day`,
        endcap: `${(segmentBytes / count).toFixed(2)} B`,
        peer: `zstd Parquet: ${(parquetBytes / count).toFixed(2)} B`,
        ratio: segmentBytes / parquetBytes,
        target: '≤ 0.9',
        note: `without shoppers; about 4 shoppers per row take another ${userBytesPerRow(rowsPerDay).toFixed(2)} B`,
      });
    }
    return rows;
  } finally {
    duckdb.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

function userBytesPerRow(rowsPerDay: number): number {
  const run = encodeFactRows('delivery', codeFacts(withShoppers(generateDelivery(1, rowsPerDay))));
  const bands = SHOPPER_BANDS.flatMap(({ column }) => [[column, run.columns.get(column)] as const]);
  return (
    storedBytes({ ...run, columns: new Map(bands.flatMap(([name, band]) => (band ? [[name, band]] : []))) }) / run.rows
  );
}

/** @returns the bytes of the items that have the run's columns: those of a pack are compressed together */
function storedBytes({ columns, packs }: EncodedRun): number {
  const byPack = Map.groupBy(columns, ([name]) => (packs.includes(packOf(name)) ? packOf(name) : name));
  return [...byPack].reduce((sum, [pack, members]) => {
    const bytes = Buffer.concat(members.map(([, column]) => column.bytes));
    return sum + (packs.some((name) => name === pack) ? compress(bytes) : bytes).length;
  }, 0);
}

/** @returns the facts with up to 8 shoppers per row, some of whom are far more active than others */
function withShoppers(facts: PlainFacts): PlainFacts {
  const random = randomFrom(5);
  const offsets = new Uint32Array(facts.rows + 1);
  const hashes: number[] = [];
  for (let row = 0; row < facts.rows; row++) {
    const shoppers = new Set<number>();
    for (let i = random.int(8); i >= 0; i--) shoppers.add(hashShopper(`u${Math.floor(POPULATION ** random.next())}`));
    hashes.push(...[...shoppers].sort((a, b) => a - b));
    offsets[row + 1] = hashes.length;
  }
  return { ...facts, shoppers: { rows: facts.rows, offsets, hashes: Float64Array.from(hashes) } };
}
