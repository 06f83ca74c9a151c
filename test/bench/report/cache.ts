import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADVERTISERS } from '../../../infra/local/demo/data/network.ts';
import { generateDemo } from '../../../infra/local/demo/generate-demo.ts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { CacheBudget } from '../../../shared/lib/lru-cache.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { openCacheBudget } from '../../../shared/store/commit/commit-cache.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource, SourceCaches } from '../../../shared/store/segment-source.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import type { BenchRow } from '../bench-row.ts';
import { startBenchEngine } from '../tools/engine.ts';
import { type Cost, measureInTurn } from '../tools/timing.ts';
import { loadBenchFolder } from './typical-report.ts';

const ROUNDS = 15;
/** A round is long enough to have some of everything. */
const REPORTS_PER_ROUND = 10;
/** From request to request the period moves by a day. */
const MOVES = 7;
const END = '2026-11-20';
const DAYS = 30;
const MEASURES = ['impressions', 'clicks', 'cost', 'halo_revenue'] as const;
const LETTERS = ['a', 'e', 'i', 'o', 't'];

/** The reports, in turn; the filter has another letter from request to request. */
const REPORTS = [
  (letter) => ({
    ...{ dimensions: ['keyword'], metrics: MEASURES },
    filters: [{ field: 'keyword', operator: 'CONTAINS', values: [letter] }],
  }),
  () => ({ dimensions: ['hour'], metrics: MEASURES }),
  () => ({ dimensions: ['placement', 'division_banner'], metrics: MEASURES }),
  () => ({ dimensions: ['campaign_id'], metrics: ['unique_user_impressions'] }),
] as const satisfies ((letter: string) => Partial<ReportQuery>)[];

/** An instance that sends one report after the other, with the bytes that its caches may have. */
class Instance {
  readonly #table: Table;
  readonly #bytes: number | undefined;
  #caches: SourceCaches;
  #runs = 0;

  constructor(table: Table, bytes?: number) {
    [this.#table, this.#bytes] = [table, bytes];
    this.#caches = this.#newCaches();
  }

  #newCaches(): SourceCaches {
    return new SourceCaches(this.#bytes === undefined ? openCacheBudget() : new CacheBudget(this.#bytes));
  }

  restart(): void {
    this.#caches = this.#newCaches();
  }

  async report(): Promise<void> {
    const run = this.#runs++;
    const at = (days: number) => formatDay(dayNumber(END) - days - (run % MOVES));
    const report = REPORTS[run % REPORTS.length]?.(LETTERS[run % LETTERS.length] ?? 'a');
    const query: ReportQuery = {
      ...{ experience: 'pla', startDate: at(DAYS - 1), endDate: at(0), filters: [], sort: [], metrics: [] },
      ...{ dimensions: [], pagination: { offset: 0, size: 100 }, ...report },
    };
    const source = openSegmentSource(this.#table, await readCommit(this.#table), this.#caches);
    JSON.stringify(await runReport({ query, scope: SCOPE, settings: SETTINGS, source }));
  }

  /** In megabytes. */
  get cached(): number {
    return this.#caches.facts.report().mb;
  }
}

const advertiserIds = ADVERTISERS.map(({ id }) => id);
const SCOPE = { accountIds: new Set([1]), advertiserIds, ownAdvertiserIds: advertiserIds };

/** What the cache of an instance gives and costs: four reports of the demo network in turn, against an instance that keeps nothing. */
export async function benchCache(): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  const path = mkdtempSync(join(tmpdir(), 'endcap-bench-'));
  using folder = { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
  await generateDemo(path, END);
  const { table } = await loadBenchFolder(engine, folder);
  const [warm, mixed, first] = [new Instance(table), new Instance(table), new Instance(table)];
  for (let run = 0; run < MOVES * REPORTS.length; run++) await warm.report();
  const small = new Instance(table, (warm.cached * 1e6) / 4);
  let run = 0;
  const works = {
    'all that is read is kept': () => warm.report(),
    '30 % of the reports find nothing kept': () => {
      if (run++ % 10 < 3) mixed.restart();
      return mixed.report();
    },
    'the first report of an instance': () => {
      first.restart();
      return first.report();
    },
    'what is read takes four times the cache': () => small.report(),
  };
  const without = new Instance(table, 0);
  const rounds = Object.entries({ ...works, without: () => without.report() }).map(([name, report]) => {
    const round = async () => {
      for (let n = 0; n < REPORTS_PER_ROUND; n++) await report();
    };
    return [name, round] as const;
  });
  const costs = await measureInTurn(ROUNDS, Object.fromEntries(rounds));
  const target: Readonly<Record<string, string>> = {
    'all that is read is kept': '≤ 0.6',
    '30 % of the reports find nothing kept': '≤ 0.8',
    'the first report of an instance': '≤ 1.2',
  };
  const format = ({ wallMs, cpuMs }: Cost) =>
    `${(wallMs / REPORTS_PER_ROUND).toFixed(1)} ms (processor time ${(cpuMs / REPORTS_PER_ROUND).toFixed(1)} ms)`;
  return Object.keys(works).flatMap((what): BenchRow[] => {
    const [own, peer] = [costs[what], costs.without];
    if (own === undefined || peer === undefined) return [];
    const figures = { endcap: format(own), peer: `without a cache: ${format(peer)}` };
    return [{ what, ...figures, ratio: own.wallMs / peer.wallMs, target: target[what] ?? '≤ 1.05' }];
  });
}
