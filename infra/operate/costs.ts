import { parseArgs } from 'node:util';
import PRICES from './prices.json' with { type: 'json' };

/** What a platform does, as averages; rates are per second. */
export interface Usage {
  /** Pages of 10 of the metadata listings. */
  readonly listings: number;
  /** Pages of products. */
  readonly products: number;
  /** Reports that rollups answer. */
  readonly reports: number;
  /** Reports that facts answer. */
  readonly factReports: number;
  readonly tokens: number;
  /** Fact rows loaded per day. */
  readonly rowsPerDay: number;
  /** GB in the table, backups apart. */
  readonly storedGb: number;
  /** Memory of the instances with provisioned concurrency, in GB. */
  readonly provisionedGb: number;
  readonly waf: boolean;
  /** Whether the stack has alarms. */
  readonly alarms: boolean;
}

/** One request of a kind, as measured on the demo network; the dashboard shows a platform's own figures. */
const REQUESTS = {
  listings: { readUnits: 2, gbSeconds: 0.01, responseKb: 1.5 },
  products: { readUnits: 5.5, gbSeconds: 0.02, responseKb: 6 },
  reports: { readUnits: 27.5, gbSeconds: 0.086, responseKb: 8 },
  factReports: { readUnits: 185, gbSeconds: 1.73, responseKb: 40 },
  tokens: { readUnits: 0, gbSeconds: 0.01, responseKb: 1 },
} as const;
type RequestKind = keyof typeof REQUESTS;
const KINDS = Object.keys(REQUESTS) as RequestKind[]; // keyof the same literal

const SECONDS_PER_MONTH = 30 * 86_400;
const MILLION = 1e6;
const LOG_KB_PER_REQUEST = 1;
const WRITE_UNITS_PER_ROW = 0.039;
/** With the default settings and `alarmEmail`. */
export const ALARMS = 50;
const METRICS = 12;
const WAF_RULES = 2;

/** @returns dollars per month by what they are for, in the order of a bill; nothing that is 0 */
export function monthlyCosts(usage: Usage): Map<string, number> {
  const millions = (perSecond: number) => (perSecond * SECONDS_PER_MONTH) / MILLION;
  const sum = (of: (kind: RequestKind) => number) =>
    KINDS.reduce((total, kind) => total + millions(usage[kind]) * of(kind), 0);
  const requests = sum(() => 1);
  const egressGb = sum((kind) => REQUESTS[kind].responseKb);
  const costs = {
    'API Gateway requests': gatewayCost(requests),
    'Lambda requests': requests * PRICES.lambdaMillionRequests,
    'Lambda time': sum((kind) => REQUESTS[kind].gbSeconds) * MILLION * PRICES.lambdaGbSecondArm,
    'Provisioned concurrency': usage.provisionedGb * SECONDS_PER_MONTH * PRICES.lambdaProvisionedGbSecondArm,
    'Table reads': sum((kind) => REQUESTS[kind].readUnits) * PRICES.tableMillionReadUnits,
    'Table writes': ((usage.rowsPerDay * 30 * WRITE_UNITS_PER_ROW) / MILLION) * PRICES.tableMillionWriteUnits,
    'Table storage and backups': usage.storedGb * (PRICES.tableGbMonth + PRICES.tableBackupGbMonth),
    'Signatures (KMS)': PRICES.kmsKeyMonth + millions(usage.tokens) * PRICES.kmsMillionAsymmetric,
    Logs: requests * LOG_KB_PER_REQUEST * (PRICES.logsGb + PRICES.logsStoredGbMonth),
    Egress: Math.max(0, egressGb - PRICES.egressFreeGb) * PRICES.egressGb,
    'Dashboard, metrics': PRICES.dashboardMonth + METRICS * PRICES.metricMonth,
    Alarms: usage.alarms ? ALARMS * PRICES.alarmMonth : 0,
    Firewall: usage.waf
      ? PRICES.wafAclMonth + WAF_RULES * PRICES.wafRuleMonth + requests * PRICES.wafMillionRequests
      : 0,
  };
  return new Map(Object.entries(costs).filter(([, dollars]) => dollars > 0));
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

const USAGE = `usage: npm run costs -- [--listings N] [--products N] [--reports N] [--factReports N] [--tokens N] [--rowsPerDay N] [--storedGb N] [--provisionedGb N] [--no-waf] [--alarms]
  listings, products, reports (from rollups), factReports (from facts) and tokens are requests per second, averaged over the month`;

/** @throws Error that names the option that is not a number ≥ 0 */
export function readUsage(args: readonly string[]): Usage {
  const number = { type: 'string', default: '0' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ listings: number, products: number, reports: number, factReports: number, tokens: number },
      ...{ rowsPerDay: number, storedGb: number, provisionedGb: number },
      ...{ waf: { ...flag, default: true }, alarms: { ...flag, default: false } },
    },
    allowNegative: true,
  });
  const { waf, alarms, ...numbers } = values;
  const wrong = Object.entries(numbers).find(([, value]) => !/^\d+(\.\d+)?$/.test(value));
  if (wrong !== undefined) throw new Error(`--${wrong[0]} must be a number of at least 0, not ${wrong[1]}\n${USAGE}`);
  const of = (name: keyof typeof numbers) => Number(numbers[name]);
  return {
    ...{ listings: of('listings'), products: of('products'), reports: of('reports'), tokens: of('tokens') },
    ...{ factReports: of('factReports'), rowsPerDay: of('rowsPerDay'), storedGb: of('storedGb') },
    ...{ provisionedGb: of('provisionedGb'), waf, alarms },
  };
}

/** @returns the costs as lines, the sum last, and where the prices are from */
export function renderCosts(costs: ReadonlyMap<string, number>): string {
  const dollars = (amount: number) =>
    amount.toLocaleString('en-US', { style: 'currency', currency: PRICES.currency }).padStart(14);
  const total = [...costs.values()].reduce((sum, amount) => sum + amount, 0);
  const lines = [...costs, ['Total per month', total] as const].map(
    ([what, amount]) => `${what.padEnd(28)}${dollars(amount)}`,
  );
  const { region, lookedUp, source } = PRICES;
  return `${lines.join('\n')}\n\nOn-demand prices of ${region}, looked up on ${lookedUp}. ${source}\n`;
}

if (import.meta.main) {
  try {
    process.stdout.write(renderCosts(monthlyCosts(readUsage(process.argv.slice(2)))));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
