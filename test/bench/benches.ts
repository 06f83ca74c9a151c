import type { BenchRow } from './bench-row.ts';
import { benchBundles } from './handlers/bundles.ts';
import { benchListings } from './handlers/listings.ts';
import { benchLoad } from './load.ts';
import { benchPeers } from './peers/peers.ts';
import { benchAgency } from './report/agency.ts';
import { benchCache } from './report/cache.ts';
import { benchNetworks } from './report/networks.ts';
import { benchReadUnits } from './report/read-units.ts';
import { benchTypical } from './report/typical.ts';
import { benchScan } from './scan/scan.ts';
import { benchSizes } from './scan/sizes.ts';
import { benchTinyDays } from './tiny-days.ts';

export interface Bench {
  /** What is measured, and against what. */
  readonly about: string;
  /** @param rows the number of fact rows, which benches of a fixed size ignore */
  readonly run: (rows: number) => Promise<BenchRow[]>;
  /** Set if the number of rows can be chosen. */
  readonly hasSize?: true;
  /** Set if the bench runs only when it is named, because it takes long. */
  readonly onlyIfNamed?: true;
}

/** The benches by the names that `--only` takes, in the order in which they run. */
export const BENCHES: ReadonlyMap<string, Bench> = new Map<string, Bench>([
  [
    'scan',
    {
      about:
        'Scans of one fact table in memory, totals included, against DuckDB with one thread on zstd Parquet of the same rows.',
      run: benchScan,
      hasSize: true,
    },
  ],
  [
    'sizes',
    { about: 'Stored bytes per fact row, against zstd Parquet of the same rows, one file per day.', run: benchSizes },
  ],
  [
    'read-units',
    {
      about: 'Read units of a typical report over 30 days, against a table with one item per fact row.',
      run: benchReadUnits,
    },
  ],
  [
    'typical',
    {
      about:
        'A report over 30 days of 33,000 rows, from the table to its JSON body, by an instance that keeps nothing, against DuckDB with one thread from local zstd Parquet files.',
      run: benchTypical,
    },
  ],
  [
    'networks',
    {
      about:
        'The same for the demo network (30 days), a grocer (Complete Journey, one year) and a fashion shop (Open Bandit, one week).',
      run: benchNetworks,
      onlyIfNamed: true,
    },
  ],
  [
    'cache',
    {
      about:
        'Four reports of the demo network in turn (30 days, which move by a day from request to request; a filter with another letter), against an instance that keeps nothing.',
      run: benchCache,
      onlyIfNamed: true,
    },
  ],
  [
    'listings',
    {
      about: 'A warm listing through the whole middleware chain, against a bare handler with the same DynamoDB calls.',
      run: benchListings,
    },
  ],
  [
    'load',
    {
      about: 'Loading facts into the embedded table, against DuckDB’s COPY of the same file to Parquet.',
      run: benchLoad,
      hasSize: true,
    },
  ],
  ['tiny-days', { about: 'Loading a year of many small advertisers into the embedded table.', run: benchTinyDays }],
  [
    'bundles',
    {
      about: 'Start of a function, and size of its bundle, against a bare handler with a DynamoDB client.',
      run: benchBundles,
    },
  ],
  [
    'agency',
    {
      about: 'Overviews of agencies over twelve months, over HTTP from the local stage.',
      run: benchAgency,
      onlyIfNamed: true,
    },
  ],
  [
    'peers',
    {
      about:
        'Whole requests over HTTP, with key check, totals and row count, against a Fastify handler over DuckDB (in memory, one thread; loads Parquet) and one over PostgreSQL (loads CSV, two indexes), one core each, which Endcap shares with the embedded table. Ratios are to the faster or cheaper one. On-demand prices of us-east-1, 2026-11. Needs Linux and the package postgresql.',
      run: benchPeers,
      hasSize: true,
      onlyIfNamed: true,
    },
  ],
]);
