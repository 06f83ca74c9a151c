import { parseArgs } from 'node:util';
import PRICES from './prices.json' with { type: 'json' };

/** What a platform does, as averages; rates are per second. */
export interface Usage {
  /** Pages of 10 of the metadata listings. */
  readonly listings: number;
  /** Pages of products. */
  readonly products: number;
  /** Reports that read rollups. */
  readonly reports: number;
  /** Reports that read facts. */
  readonly factReports: number;
  readonly tokens: number;
  /** Fact rows loaded per day. */
  readonly rowsPerDay: number;
  /** GB in the table, backups apart. */
  readonly storedGb: number;
  /** Memory of the instances with provisioned concurrency, in GB. */
  readonly provisionedGb: number;
  readonly waf: boolean;
  /** Requests that the firewall blocks. */
  readonly blocked: number;
  /** Units per second to which the table's warm throughput is raised; 0 = not raised. */
  readonly warmReads: number;
  readonly warmWrites: number;
  /** Whether the stack has alarms. */
  readonly alarms: boolean;
}

/** One request of a kind, as measured on the demo network. */
const REQUESTS = {
  listings: { title: 'listings of 10 items', readUnits: 2, gbSeconds: 0.01, responseKb: 1.5 },
  products: { title: 'pages of products', readUnits: 5.5, gbSeconds: 0.02, responseKb: 6 },
  reports: {
    title: 'reports from rollups: 30 days by campaign, ad group and day',
    ...{ readUnits: 27.5, gbSeconds: 0.086, responseKb: 8 },
  },
  factReports: {
    title: 'reports from facts: 30 days by campaign, keyword and placement, 43,305 rows',
    ...{ readUnits: 185, gbSeconds: 1.73, responseKb: 40 },
  },
  tokens: { title: '`GET /jwt`', readUnits: 0, gbSeconds: 0.01, responseKb: 1 },
} as const;
type RequestKind = keyof typeof REQUESTS;
const KINDS = Object.keys(REQUESTS) as RequestKind[]; // keyof the same literal

const SECONDS_PER_MONTH = 30 * 86_400;
const MILLION = 1e6;
/** In the log of the function and the access log together. */
const LOG_KB_PER_REQUEST = 1;
/** Of a load of one day in the middle of a month, with 33,000 rows of an advertiser; it also writes the month's rollups again. */
const WRITE_UNITS_PER_ROW = 0.095;
/** With the default settings and `alarmEmail`: four of each function behind the API, and those of the API, of rejected requests, the table and the ingestion. */
export const ALARMS = 72;
/** Those of the alarms of rejected requests. */
const INSIGHT_RULES = 2;
/** The read units of each function behind the API, and the rows that reports scan. Only hours with data are billed, so others cost little, except those of `staleAfterHours`. */
const METRICS = 15;
/** One signs tokens, one is the user-id key. */
const KMS_KEYS = 2;
const WAF_RULES = 2;
const LOG_KB_PER_BLOCKED = 1.5;
/** The throughput of a new table, which is free. */
const INITIAL_THROUGHPUT = { reads: 12_000, writes: 4_000 };

/** @returns dollars per month by item, without items that cost nothing */
export function monthlyCosts(usage: Usage): Map<string, number> {
  const millions = (perSecond: number) => (perSecond * SECONDS_PER_MONTH) / MILLION;
  const sum = (of: (kind: RequestKind) => number) =>
    KINDS.reduce((total, kind) => total + millions(usage[kind]) * of(kind), 0);
  const requests = sum(() => 1);
  const egressGb = sum((kind) => REQUESTS[kind].responseKb); // millions of requests × KB = GB, as for the logs below
  const costs = {
    'API Gateway requests': gatewayCost(requests),
    'Lambda requests': requests * PRICES.lambdaMillionRequests,
    'Lambda time': sum((kind) => REQUESTS[kind].gbSeconds) * MILLION * PRICES.lambdaGbSecondArm,
    'Provisioned concurrency': usage.provisionedGb * SECONDS_PER_MONTH * PRICES.lambdaProvisionedGbSecondArm,
    'Table reads': sum((kind) => REQUESTS[kind].readUnits) * PRICES.tableMillionReadUnits,
    'Table writes': ((usage.rowsPerDay * 30 * WRITE_UNITS_PER_ROW) / MILLION) * PRICES.tableMillionWriteUnits,
    'Table storage and backups': usage.storedGb * (PRICES.tableGbMonth + PRICES.tableBackupGbMonth),
    'Keys and signatures (KMS)': KMS_KEYS * PRICES.kmsKeyMonth + millions(usage.tokens) * PRICES.kmsMillionAsymmetric,
    Logs: requests * LOG_KB_PER_REQUEST * PRICE_PER_LOG_GB,
    Egress: Math.max(0, egressGb - PRICES.egressFreeGb) * PRICES.egressGb,
    'Dashboard, metrics': PRICES.dashboardMonth + METRICS * PRICES.metricMonth,
    Alarms: usage.alarms ? ALARMS * PRICES.alarmMonth + INSIGHT_RULES * PRICES.insightRuleMonth : 0,
    Firewall: usage.waf ? firewallCost(requests, millions(usage.blocked)) : 0,
  };
  return new Map(Object.entries(costs).filter(([, dollars]) => dollars > 0));
}

/** @returns what raising the warm throughput of a new table costs once */
export function warmThroughputCost({ warmReads, warmWrites }: Usage): number {
  const reads = Math.max(0, warmReads - INITIAL_THROUGHPUT.reads);
  const writes = Math.max(0, warmWrites - INITIAL_THROUGHPUT.writes);
  return reads * PRICES.warmReadUnitPerSecond + writes * PRICES.warmWriteUnitPerSecond;
}

/**
 * @returns a Markdown table: for each kind of request, what a million costs at the first tier of the gateway. It leaves out what the firewall and the free
 * part of the egress change.
 */
export function describeRequestCosts(): string[] {
  const money = (dollars: number) => dollars.toFixed(2);
  const rows = KINDS.map((kind) => {
    const { title, readUnits, gbSeconds, responseKb } = REQUESTS[kind];
    const costs = [
      gatewayCost(1),
      PRICES.lambdaMillionRequests + gbSeconds * MILLION * PRICES.lambdaGbSecondArm,
      readUnits * PRICES.tableMillionReadUnits,
      kind === 'tokens' ? PRICES.kmsMillionAsymmetric : 0,
      LOG_KB_PER_REQUEST * PRICE_PER_LOG_GB,
      responseKb * PRICES.egressGb,
    ];
    const total = costs.reduce((sum, cost) => sum + cost, 0);
    const per = `${readUnits} read units, ${gbSeconds} GB-seconds, ${responseKb} KB`;
    return `| ${title} (${per}) | ${costs.map(money).join(' | ')} | **${money(total)}** |`;
  });
  return [
    '| One million … | Gateway | Lambda | Table | KMS | Logs | Egress | Sum |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ];
}

const PRICE_PER_LOG_GB = PRICES.logsGb + PRICES.logsStoredGbMonth;

/** @param blocked millions of requests, whose lines are the only ones in the firewall's log */
function firewallCost(requests: number, blocked: number): number {
  const inspected = (requests + blocked) * PRICES.wafMillionRequests;
  return (
    PRICES.wafAclMonth + WAF_RULES * PRICES.wafRuleMonth + inspected + blocked * LOG_KB_PER_BLOCKED * PRICE_PER_LOG_GB
  );
}

/** @param millions of requests per month */
function gatewayCost(millions: number): number {
  let [cost, counted] = [0, 0];
  for (const { upToMillions, price } of PRICES.gatewayMillionRequests) {
    const inTier = Math.max(0, Math.min(millions, upToMillions ?? Number.POSITIVE_INFINITY) - counted);
    cost += inTier * price;
    counted += inTier;
  }
  return cost;
}

const USAGE = `usage: npm run costs -- [--listings N] [--products N] [--reports N] [--factReports N] [--tokens N] [--rowsPerDay N] [--storedGb N] [--provisionedGb N] [--no-waf] [--blocked N] [--alarms] [--warmReads N] [--warmWrites N]
  listings, products, reports (from rollups, which are sums by ad group and day), factReports (from facts) and tokens are requests per second, averaged
  over the month, as is blocked, requests that the firewall blocks; rowsPerDay are fact rows loaded per day; storedGb are GB in the table; provisionedGb are GB of memory with
  provisioned concurrency; warmReads and warmWrites are the table's warm throughput, which costs once; --no-waf leaves out the firewall, and --alarms adds the alarms`;

/** @returns the usage, in the units that USAGE states; 0 without an option. @throws Error that names an option that does not exist, or is not a number of at least 0 */
export function readUsage(args: readonly string[]): Usage {
  const number = { type: 'string', default: '0' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ listings: number, products: number, reports: number, factReports: number, tokens: number },
      ...{ rowsPerDay: number, storedGb: number, provisionedGb: number, blocked: number },
      ...{ warmReads: number, warmWrites: number },
      ...{ waf: { ...flag, default: true }, alarms: { ...flag, default: false } },
    },
    allowNegative: true,
  });
  const { waf, alarms, ...numbers } = values;
  const wrong = Object.entries(numbers).find(([, value]) => !/^\d+(\.\d+)?$/.test(value));
  if (wrong !== undefined)
    throw new Error(`--${wrong[0]} must be digits, optionally with decimals, such as 2.5, not ${wrong[1]}\n${USAGE}`);
  const of = (name: keyof typeof numbers) => Number(numbers[name]);
  return {
    ...{ listings: of('listings'), products: of('products'), reports: of('reports'), tokens: of('tokens') },
    ...{ factReports: of('factReports'), rowsPerDay: of('rowsPerDay'), storedGb: of('storedGb') },
    ...{ provisionedGb: of('provisionedGb'), blocked: of('blocked'), waf, alarms },
    ...{ warmReads: of('warmReads'), warmWrites: of('warmWrites') },
  };
}

/** @param once dollars that are paid once @returns lines with the costs, their sum, `once`, and the date and source of the prices */
export function renderCosts(costs: ReadonlyMap<string, number>, once = 0): string {
  const dollars = (amount: number) =>
    amount.toLocaleString('en-US', { style: 'currency', currency: PRICES.currency }).padStart(14);
  const total = [...costs.values()].reduce((sum, amount) => sum + amount, 0);
  const warm = once > 0 ? [['Warm throughput, once', once] as const] : [];
  const lines = [...costs, ['Total per month', total] as const, ...warm].map(
    ([what, amount]) => `${what.padEnd(28)}${dollars(amount)}`,
  );
  const { region, asOf, source } = PRICES;
  return `${lines.join('\n')}\n\nOn-demand prices of ${region} as of ${asOf}. ${source}\n`;
}

function costsOf(usage: Usage): string {
  return renderCosts(monthlyCosts(usage), warmThroughputCost(usage));
}

if (import.meta.main) {
  try {
    const args = process.argv.slice(2);
    const wantsHelp = args.some((arg) => arg === '-h' || arg === '--help');
    process.stdout.write(wantsHelp ? `${USAGE}\n` : costsOf(readUsage(args)));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
