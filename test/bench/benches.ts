import type { BenchRow } from './bench-row.ts';
import { benchBundles } from './handlers/bundles.ts';
import { benchChain } from './handlers/chain.ts';
import { benchListings } from './handlers/listings.ts';
import { benchLoad } from './load/load.ts';
import { benchTinyDays } from './load/tiny-days.ts';
import { benchAgency, benchPlatform } from './report/agency.ts';
import { benchNetworks } from './report/networks.ts';
import { benchOneCore } from './report/one-core.ts';
import { benchPages } from './report/pages.ts';
import { benchReadUnits } from './report/read-units.ts';
import { benchRollups } from './report/rollups.ts';
import { benchTypical } from './report/typical.ts';
import { benchGrowth } from './scan/growth.ts';
import { benchScan } from './scan/scan.ts';
import { benchSizes } from './scan/sizes.ts';

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
        'Scanning, grouping and sorting one fact table, segments in memory, against DuckDB with one thread on zstd Parquet of the same rows. Endcap also computes the totals and the number of all rows.',
      run: benchScan,
      hasSize: true,
    },
  ],
  [
    'sizes',
    { about: 'Stored bytes per fact row, against zstd Parquet of the same rows, one file per day.', run: benchSizes },
  ],
  [
    'rollups',
    { about: 'A report read from a rollup, against the same report read from the facts.', run: benchRollups },
  ],
  [
    'read-units',
    { about: 'Read units of a typical report, against a table with one item per fact row.', run: benchReadUnits },
  ],
  [
    'typical',
    {
      about:
        'The typical report whole, from the table to its JSON body, against DuckDB with one thread from local zstd Parquet files of the same rows to the same JSON.',
      run: benchTypical,
    },
  ],
  [
    'networks',
    {
      about:
        'Reports of the demo network and of real data from the table to the JSON body, against DuckDB with one thread from local zstd Parquet files of the same rows.',
      run: benchNetworks,
      onlyIfNamed: true,
    },
  ],
  ['pages', { about: 'The second page of an expensive report, against its first page.', run: benchPages }],
  [
    'one-core',
    {
      about:
        'A typical report under the limits of a function with one core and of DynamoDB, against the same report without these limits. The processes have connected to the table before, as an instance does while it starts.',
      run: benchOneCore,
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
    'chain',
    {
      about: 'The middleware chain without DynamoDB, against the same endpoints in Hono’s Lambda adapter.',
      run: benchChain,
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
      about:
        'Module init and bundle size of each function except `get-page`, against a bare handler that creates a DynamoDB document client.',
      run: benchBundles,
    },
  ],
  [
    'growth',
    {
      about:
        'A report over ten times the stated number of rows, compared with ten times its time over that number; and the peak memory of the process.',
      run: benchGrowth,
      hasSize: true,
      onlyIfNamed: true,
    },
  ],
  [
    'agency',
    {
      about: 'Overviews of agencies over twelve months, requested over HTTP from the local stage.',
      run: benchAgency,
      onlyIfNamed: true,
    },
  ],
  ['platform', { about: 'The overviews of `agency`, of 5,000 advertisers.', run: benchPlatform, onlyIfNamed: true }],
]);
