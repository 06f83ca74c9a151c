import { type ChildProcess, execFileSync } from 'node:child_process';
import * as z from 'zod';
import { priceUsage } from '../../../infra/cli/operate/price-usage.ts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { type RealStage, startRealStage } from '../../real/real-stage.ts';
import type { BenchRow } from '../bench-row.ts';
import { nextMessage, pinToOneCore, startProcess } from '../tools/child-process.ts';
import { formatNumber, formatSeconds } from '../tools/format.ts';
import { median, timed } from '../tools/timing.ts';
import { makeDemo, makeGenerated, type PeerNetwork, USER } from './networks.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { type Dialect, type PeerReport, type PeerRequest, REPORTS, reportOf } from './reports.ts';

const RUNS = 15;
/** Requests before those that are measured, so that all programs are compiled and all caches filled as far as they ever are. */
const WARM_UPS = 50;
/** From request to request the period moves by a day, and the filter has another letter. */
const MOVES = 7;
const CALLERS = 50;
const BUSY_MS = 60_000;
const KEY = 'a-key-of-the-peers';
/** On-demand hours of a small database and a small server in us-east-1, 2026-11: db.t4g.medium and t4g.small. */
const PEER_USD_PER_HOUR = 0.065 + 0.0168;
const HOURS_PER_MONTH = 730;
const FUNCTION_GB = 1.769;

const Body = z.looseObject({ totalCount: z.int(), totals: z.record(z.string(), z.number().nullable()) });
type Body = z.infer<typeof Body>;

/** A server that answers reports over HTTP with JSON. */
interface Server {
  readonly name: 'Endcap' | Dialect;
  readonly pids: readonly number[];
  readonly loadMs: number;
  report(run: number, request: PeerRequest): Promise<Body>;
  close(): Promise<void>;
}

/**
 * Whole requests over HTTP, with key check, totals and row count, against what people would build instead: a Fastify handler over DuckDB in memory and one over
 * PostgreSQL. Each server and its database have one core, which Endcap shares with the embedded table; the client has the others.
 */
export async function benchPeers(rows: number): Promise<BenchRow[]> {
  const results: BenchRow[] = [];
  for (const make of [makeDemo, () => makeGenerated(rows)]) {
    using network = await make();
    results.push(...(await benchNetwork(network)));
  }
  return results;
}

async function benchNetwork(network: PeerNetwork): Promise<BenchRow[]> {
  pinToOneCore(process); // inherited by all servers
  const servers: Server[] = [];
  try {
    const endcap = await startEndcap(network);
    servers.push(endcap);
    for (const dialect of ['DuckDB', 'PostgreSQL'] as const) servers.push(await startPeer(dialect, network));
    unpin();
    const rows: BenchRow[] = [];
    for (const period of network.periods) {
      for (const [report, { name }] of REPORTS.entries()) {
        const what = `${network.name}, ${period.startDate} to ${period.endDate}: ${name}`;
        rows.push(await compareReport(servers, { report, ...period }, what));
      }
    }
    const [period] = network.periods as [PeerNetwork['periods'][number]];
    rows.push(...(await compareCallers(servers, { report: 0, ...period }, network.name)));
    const loads = servers.map(({ name, loadMs }) => ({ name, value: loadMs, text: formatSeconds(loadMs) }));
    rows.push(compareFigures(`${network.name}: load`, loads));
    return rows;
  } finally {
    unpin();
    for (const server of servers) await server.close();
  }
}

/** What a server takes: less is better. */
interface Figure {
  readonly name: Server['name'];
  readonly value: number;
  readonly text: string;
}

/** @returns the row of Endcap's figure, the first, beside those of the peers, with the ratio to the better peer */
function compareFigures(what: string, figures: readonly Figure[], target = 'none'): BenchRow {
  const [endcap, ...peers] = figures as [Figure, ...Figure[]];
  return {
    what,
    endcap: endcap.text,
    peer: peers.map(({ name, text }) => `${name}: ${text}`).join('; '),
    ratio: endcap.value / Math.min(...peers.map(({ value }) => value)),
    target,
  };
}

async function compareReport(servers: readonly Server[], request: PeerRequest, what: string): Promise<BenchRow> {
  const bodies: Body[] = [];
  for (const server of servers) bodies.push(await server.report(0, request));
  for (const body of bodies.slice(1)) checkSame(what, bodies[0] as Body, body);
  for (const server of servers) for (let run = 1; run < WARM_UPS; run++) await server.report(run, moved(request, run));
  const times = new Map<string, number[]>(servers.map(({ name }) => [name, []]));
  for (let run = 1; run <= RUNS; run++)
    for (const server of servers)
      times.get(server.name)?.push(await timed(() => server.report(run, moved(request, run))));
  const figures = servers.map(({ name }) => {
    const ofServer = times.get(name) ?? [];
    const value = median(ofServer);
    return { name, value, text: `${value.toFixed(0)} ms (largest ${Math.max(...ofServer).toFixed(0)})` };
  });
  const target = what.startsWith('demo') ? '≤ 1.5' : '≤ 0.7';
  return compareFigures(`${what}, ${formatNumber(bodies[0]?.totalCount ?? 0)} rows`, figures, target);
}

/** @returns request number `run`, whose period ends up to MOVES days earlier */
function moved(request: PeerRequest, run: number): PeerRequest {
  const move = (date: string) => formatDay(dayNumber(date) - (run % MOVES));
  return {
    ...request,
    startDate: move(request.startDate),
    endDate: move(request.endDate),
    letter: LETTERS[run % LETTERS.length] ?? 'a',
  };
}

const LETTERS = ['a', 'e', 'i', 'o', 't'];

/** Distinct users above 4,096 are an estimate. */
const UNIQUES_TOLERANCE = 0.03;

function checkSame(what: string, own: Body, peer: Body): void {
  if (own.totalCount !== peer.totalCount)
    throw new Error(`${what}: Endcap has ${own.totalCount} rows, the peer ${peer.totalCount}`);
  for (const [name, value] of Object.entries(peer.totals)) {
    const expected = (value ?? 0) / (name === 'cost' || name === 'halo_revenue' ? 1e6 : 1);
    const allowed = name === 'unique_user_impressions' ? UNIQUES_TOLERANCE * expected : 0;
    if (Math.abs((own.totals[name] ?? 0) - expected) > allowed)
      throw new Error(`${what}: Endcap has ${own.totals[name]} ${name}, the peer ${expected}`);
  }
}

/** Fifty callers who send the first report again and again for a minute. */
async function compareCallers(servers: readonly Server[], request: PeerRequest, name: string): Promise<BenchRow[]> {
  const figures = [];
  for (const server of servers) {
    const times: number[] = [];
    const end = performance.now() + BUSY_MS;
    let run = RUNS;
    const caller = async () => {
      while (performance.now() < end) {
        run++;
        times.push(await timed(() => server.report(run, moved(request, run))));
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
    figures.push({
      name: server.name,
      perSecond: (times.length * 1000) / BUSY_MS,
      p99,
      megabytes: memoryOf(server.pids),
    });
  }
  return [
    compareFigures(
      `${name}: ${CALLERS} callers for a minute`,
      figures.map((own) => ({
        name: own.name,
        value: 1 / own.perSecond,
        text: `${own.perSecond.toFixed(0)}/s, p99 ${formatSeconds(own.p99)}, ${formatNumber(own.megabytes)} MB`,
      })),
    ),
    comparePrices(`${name}: a million such reports, without read units`, figures, ({ name, perSecond }) =>
      name === 'Endcap' ? priceOfLambda((1e6 / perSecond) * FUNCTION_GB) : (1e6 / perSecond / 3600) * PEER_USD_PER_HOUR,
    ),
    comparePrices(`${name}: a month without requests`, figures, ({ name }) =>
      name === 'Endcap' ? priceUsage({ ...NO_USAGE, hours: HOURS_PER_MONTH }).usd : PEER_USD_PER_HOUR * HOURS_PER_MONTH,
    ),
  ];
}

const NO_USAGE = { requests: 0, gbSeconds: 0, readUnits: 0, writeUnits: 0, signatures: 0, logBytes: 0, hours: 0 };

function priceOfLambda(gbSeconds: number): number {
  return priceUsage({ ...NO_USAGE, requests: 1e6, gbSeconds }).usd;
}

/** On AWS, Endcap is paid by report and the peer by hour, at best with all of its one core busy. */
function comparePrices<T extends Pick<Figure, 'name'>>(
  what: string,
  servers: readonly T[],
  usdOf: (server: T) => number,
): BenchRow {
  const figures = servers.map((server) => {
    const value = usdOf(server);
    return { name: server.name, value, text: `${value.toFixed(2)} USD` };
  });
  return compareFigures(what, figures);
}

async function startEndcap({ folder }: PeerNetwork): Promise<Server> {
  const stage = await startRealStage();
  const loadMs = await timed(() => stage.load(folder));
  const key = await stage.createKey(USER);
  return {
    name: 'Endcap',
    pids: stage.pid === undefined ? [] : [stage.pid],
    loadMs,
    report: async (run, { report, letter, ...period }) =>
      Body.parse(await stage.report(key, 'pla', requestOf(reportOf(report, letter), period, run))),
    close: () => stage.close(),
  };
}

/** The order of the metrics differs from run to run, so that no response comes from a cache. */
function requestOf(
  report: PeerReport,
  period: Omit<PeerRequest, 'report' | 'letter'>,
  run: number,
): Parameters<RealStage['report']>[2] {
  const { dimensions, metrics, filters = [] } = report;
  return {
    ...period,
    ...{ advertiserIds: [], filters, dimensions, metrics: permute(metrics, run) },
    sort: [{ field: metrics[0], order: 'DESC' }],
    pagination: { offset: 0, size: 100 },
  };
}

/** @returns permutation number `n` of the items, of as many as there are */
function permute<T>(items: readonly T[], n: number): T[] {
  const rest = [...items];
  return items.map((_, i) => {
    const index = Math.floor(n / (i + 1)) % rest.length;
    return rest.splice(index, 1)[0] as T; // index < length
  });
}

const Started = z.object({ url: z.url(), loadMs: z.number() });

async function startPeer(name: Dialect, { tables, advertiserIds }: PeerNetwork): Promise<Server> {
  const postgres: Postgres | undefined = name === 'PostgreSQL' ? await startPostgres() : undefined;
  const child: ChildProcess = startProcess(new URL('./peer-process.ts', import.meta.url));
  const started = nextMessage(child);
  child.send({ tables, socket: postgres?.folder, key: KEY, advertiserIds });
  const { url, loadMs } = Started.parse(await started);
  return {
    name,
    pids: [child.pid, postgres?.pid].filter((pid) => pid !== undefined),
    loadMs,
    report: async (_, request) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': KEY, 'accept-encoding': 'identity' };
      const body = JSON.stringify(request);
      const response = await fetch(`${url}/report`, { method: 'POST', headers, body });
      if (response.status !== 200) throw new Error(`${name}: ${response.status} ${await response.text()}`);
      return Body.parse(await response.json());
    },
    close: async () => {
      child.kill();
      await postgres?.close();
    },
  };
}

function unpin(): void {
  execFileSync('taskset', ['-acp', `0-${navigator.hardwareConcurrency}`, String(process.pid)], { stdio: 'ignore' });
}

/** @returns the memory of processes and all that they have started, in MB */
function memoryOf(pids: readonly number[]): number {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,rss', '--no-headers'], { encoding: 'utf8' }).trim().split('\n');
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number, number]);
  const family = new Set(pids);
  for (const [pid, parent] of processes) if (family.has(parent)) family.add(pid); // a parent is listed before its children
  return processes.reduce((sum, [pid, , kilobytes]) => sum + (family.has(pid) ? kilobytes : 0), 0) / 1000;
}
