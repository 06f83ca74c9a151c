/** `npm exec -- node test/bench/scale.ts` writes the section of infra/scale.md: which published limit a large network meets first, and what its month costs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { PRICES_OF, priceUsage } from '../../infra/cli/operate/price-usage.ts';
import { replaceSection } from './sections.ts';

const PAGE = new URL('../../infra/scale.md', import.meta.url);

/** What is assumed of the network. */
const NETWORK = {
  advertisers: 5_000,
  keys: 20_000,
  rowsPerDay: 100e6,
  /** Of the rows, those of the largest advertiser. */
  largestShare: 0.05,
  daysStored: 365,
  reportsPerKeyAndDay: 100,
  listingsPerKeyAndDay: 300,
  tokensPerKeyAndDay: 8,
  /** Of the reports, those that read facts of one average advertiser and 30 days; the others read rollups. */
  fromFacts: 0.1,
  /** Of a day's requests, those of the busiest hour; its busiest second has `burst` times the mean. */
  busiestHour: 0.15,
  burst: 3,
} as const;

/** Measured, as infra/README.md (Cost) and test/README.md (`rollups`; `load` of Parquet with users) state. */
const MEASURED = {
  bytesPerRow: 30,
  /** Of the largest column that a report by keyword reads. */
  bytesPerRowOfColumn: 3,
  writeUnitsPerRow: 0.095,
  loadedRowsPerSecond: 106_000,
  units: { listing: 2, rollup: 27.5, millionRows: 182.5 },
  gbSeconds: { listing: 0.01, rollup: 0.086, facts: 1.73 },
  seconds: { listing: 0.02, rollup: 0.05, facts: 1 },
  logBytesPerRequest: 1_060,
} as const;

interface Limit {
  readonly limit: string;
  readonly published: number;
  readonly load: number;
  readonly unit: string;
  readonly moves: string;
}

const facts = MEASURED.units.millionRows * ((NETWORK.rowsPerDay * 30) / NETWORK.advertisers / 1e6);
const reportsPerDay = NETWORK.keys * NETWORK.reportsPerKeyAndDay;
const listingsPerDay = NETWORK.keys * NETWORK.listingsPerKeyAndDay;
const tokensPerDay = NETWORK.keys * NETWORK.tokensPerKeyAndDay;
const requestsPerDay = reportsPerDay + listingsPerDay + tokensPerDay;

/** @returns the amount of one request of each kind, summed over requests of a day or second in which there are so many reports and listings */
function sumOf(reports: number, listings: number, each: { listing: number; rollup: number; facts: number }): number {
  return reports * ((1 - NETWORK.fromFacts) * each.rollup + NETWORK.fromFacts * each.facts) + listings * each.listing;
}

const perSecond = (perDay: number) => (perDay * NETWORK.busiestHour * NETWORK.burst) / 3600;
const units = { ...MEASURED.units, facts };
const readsPerSecond = sumOf(perSecond(reportsPerDay), perSecond(listingsPerDay), units);
const concurrent = sumOf(perSecond(reportsPerDay), perSecond(listingsPerDay), MEASURED.seconds);
const loadSeconds = NETWORK.rowsPerDay / MEASURED.loadedRowsPerSecond;
const writeUnits = NETWORK.rowsPerDay * MEASURED.writeUnitsPerRow;
const largestMonth = NETWORK.rowsPerDay * NETWORK.largestShare * 30 * MEASURED.bytesPerRowOfColumn;

const LIMITS: readonly Limit[] = [
  {
    ...{
      limit: 'a new table: a load at 4,000 writes/s',
      published: 900,
      load: writeUnits / 4_000,
      unit: 's of a function',
    },
    moves: 'warm throughput of the table',
  },
  {
    ...{ limit: 'processor time of one load', published: 900, load: loadSeconds, unit: 's of a function' },
    moves: 'several folders, loaded in turn; `npm run load` from a machine',
  },
  {
    ...{
      limit: 'table: a load at 40,000 writes/s',
      published: 900,
      load: writeUnits / 40_000,
      unit: 's of a function',
    },
    moves: 'quota of the account',
  },
  {
    ...{
      limit: 'table: reads',
      published: 40_000,
      load: readsPerSecond,
    },
    ...{ unit: 'units/s', moves: 'quota of the account' },
  },
  {
    ...{
      limit: 'a new table: reads',
      published: 12_000,
      load: readsPerSecond,
    },
    ...{ unit: 'units/s', moves: 'warm throughput of the table' },
  },
  {
    ...{
      limit: 'partition of the state, read consistently by each report',
      published: 3_000,
      load: perSecond(reportsPerDay),
    },
    ...{ unit: 'units/s', moves: 'no setting: a second table' },
  },
  {
    ...{
      limit: 'partition of a column: the largest advertiser by keyword, 30 days',
      published: 25,
      load: largestMonth / 24e6,
    },
    ...{ unit: 's at 24 MB/s, of the deadline', moves: 'a shorter period; reports from rollups do not read it' },
  },
  {
    ...{
      limit: 'the stage: listings of one route',
      published: 2_000,
      load: perSecond(listingsPerDay),
      unit: 'requests/s',
    },
    moves: 'setting `throttle`',
  },
  {
    ...{ limit: 'API Gateway, 13 regions', published: 2_500, load: perSecond(requestsPerDay), unit: 'requests/s' },
    moves: 'quota of the account, or another region',
  },
  {
    ...{ limit: 'API Gateway, other regions', published: 10_000, load: perSecond(requestsPerDay), unit: 'requests/s' },
    moves: 'quota of the account',
  },
  {
    ...{ limit: 'Lambda: concurrent executions', published: 1_000, load: concurrent, unit: 'instances' },
    moves: 'quota of the account',
  },
  {
    ...{
      limit: 'Lambda: new instances per function in 10 s, all at once',
      published: 1_000,
      load: concurrent,
      unit: 'instances',
    },
    moves: 'provisioned concurrency',
  },
  {
    ...{ limit: 'KMS: signatures', published: 1_000, load: perSecond(tokensPerDay), unit: 'tokens/s' },
    moves: 'quota of the account',
  },
];

/** @returns the section: assumptions, limits in the order in which a growing network meets them, and the price of a month */
export function renderScale(): string {
  const { advertisers, keys, rowsPerDay, fromFacts, busiestHour, burst } = NETWORK;
  const sized = LIMITS.map((limit) => ({ ...limit, factor: limit.published / limit.load }));
  const rows = sized.sort((one, other) => one.factor - other.factor);
  const cells = rows.map(({ limit, published, load, unit, factor, moves }) => [
    limit,
    `${format(load)} of ${format(published)} ${unit}`,
    `${factor < 10 ? factor.toFixed(1) : format(factor)} ×`,
    moves,
  ]);
  const head = ['Limit', 'The network uses', 'Met at its size', 'What moves it'];
  const table = [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
  const storedGb = (rowsPerDay * NETWORK.daysStored * MEASURED.bytesPerRow) / 1e9;
  const storage = storedGb * 0.45; // USD per GB, with backups
  return `A network of ${format(advertisers)} advertisers and ${format(keys)} keys with ${format(rowsPerDay)} rows a day, kept for a year. A day has ${format(reportsPerDay)} reports (${fromFacts * 100} % from facts), ${format(listingsPerDay)} listings and ${format(tokensPerDay)} tokens; the busiest hour has ${busiestHour * 100} % of them, and its busiest second ${burst} times the mean.

${table}

A month costs about ${format(monthUsd() + storage)} USD (${PRICES_OF}): ${format(storage)} for ${format(storedGb)} GB with backups, the rest for requests and loads, without egress.
`;
}

function monthUsd(): number {
  const day = {
    requests: requestsPerDay,
    gbSeconds: sumOf(reportsPerDay, listingsPerDay, MEASURED.gbSeconds) + loadSeconds * 3,
    readUnits: sumOf(reportsPerDay, listingsPerDay, units),
    writeUnits,
    signatures: tokensPerDay,
    logBytes: requestsPerDay * MEASURED.logBytesPerRequest,
    hours: 24,
  };
  return priceUsage(day).usd * 30;
}

/** @returns the number with three significant digits at least, in thousands */
function format(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: Math.max(3, Math.ceil(Math.log10(value)) - 2) });
}

if (import.meta.main) writeFileSync(PAGE, replaceSection(readFileSync(PAGE, 'utf8'), 'scale', renderScale()));
