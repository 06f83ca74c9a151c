import { expect, test } from 'vitest';
import { ROUTES } from '../../../infra/config/routes.ts';
import {
  describeRequestCosts,
  monthlyCosts,
  readUsage,
  renderCosts,
  warmThroughputCost,
} from '../../../infra/operate/costs.ts';
import { readSource } from '../../rules/source-files.ts';

const IDLE = readUsage([]);

test('without traffic only what is billed by the month is left', () => {
  expect(Object.fromEntries(monthlyCosts(IDLE))).toEqual({
    'Keys and signatures (KMS)': 2,
    'Dashboard, metrics': 3 + (ROUTES.length + 2) * 0.3, // the read units of each function behind the API, and the rows that reports scan
    Firewall: 7,
  });
});

test('alarms and provisioned concurrency are billed by the month, too', () => {
  const costs = monthlyCosts(readUsage(['--alarms', '--provisionedGb', '2']));
  expect(costs.get('Alarms')).toBeCloseTo(72 * 0.1 + 2 * 0.5, 6); // 72 alarms and two Contributor Insights rules
  expect(costs.get('Provisioned concurrency')).toBeCloseTo(2 * 2_592_000 * 0.0000033334, 6); // 30 days have 2,592,000 s
});

test('2,000 listings per second cost what their requests, reads and logs add up to', () => {
  const costs = monthlyCosts({ ...IDLE, listings: 2_000 });
  const millions = 5_184; // 2,000 × 86,400 × 30; a million responses of 1 KB are 1 GB
  expect(costs.get('API Gateway requests')).toBeCloseTo(333 * 3.5 + 667 * 2.8 + (millions - 1_000) * 2.38, 6);
  expect(costs.get('Table reads')).toBeCloseTo(millions * 2 * 0.125, 6); // 2 read units each
  expect(costs.get('Lambda time')).toBeCloseTo(millions * 1e6 * 0.01 * 0.0000133334, 6); // 0.01 GB-seconds each
  expect(costs.get('Logs')).toBeCloseTo(millions * 1 * 0.53, 6); // 1 KB each
  expect(costs.get('Egress')).toBeCloseTo((millions * 1.5 - 100) * 0.09, 6); // 1.5 KB each, 100 GB of which are free
});

/** The requests of a month at one per second. */
const MILLIONS = 2.592;

test('the firewall has a price per month with its rules, and one per request', () => {
  expect(monthlyCosts({ ...IDLE, listings: 1 }).get('Firewall')).toBeCloseTo(7 + MILLIONS * 0.6, 6);
  expect(monthlyCosts(readUsage(['--no-waf'])).get('Firewall')).toBeUndefined();
});

test('a blocked request costs its inspection and a log line of 1.5 KB', () => {
  const costs = monthlyCosts({ ...IDLE, blocked: 1 });
  expect(costs.get('Firewall')).toBeCloseTo(7 + MILLIONS * (0.6 + 1.5 * 0.53), 6);
});

test('warm throughput costs once, for what exceeds a new table', () => {
  const usage = readUsage(['--warmReads', '12000', '--warmWrites', '40000']);
  expect(warmThroughputCost(usage)).toBeCloseTo(36_000 * 0.0026875, 6);
  expect(warmThroughputCost(IDLE)).toBe(0);
  expect(renderCosts(monthlyCosts(usage), warmThroughputCost(usage))).toMatch(/^Warm throughput, once +\$96\.75$/m);
});

test('the page has the table of what a million requests cost, and the example as it is printed', () => {
  const page = readSource('infra/README.md');
  expect(page).toContain(`${describeRequestCosts().join('\n')}\n`);
  const [, args = '', printed] = /npm run costs -- (.*)\n```\n```\n([^`]*)```/.exec(page) ?? [];
  expect(renderCosts(monthlyCosts(readUsage(args.split(' ')))).split('\n\n')[0]).toBe(printed?.trimEnd());
});

test('the write units and times of a backfill and a load on the pages follow from the units per row in the section Cost', () => {
  const page = readSource('infra/README.md').replaceAll('\n', ' ');
  const perRow =
    /a month in one load takes ([\d.]+) write units per row at 33,000 rows.*?, and ([\d.]+) at 2,000\..*? it takes ([\d.]+) and ([\d.]+) units/;
  const [, large = 0, small = 0, largeDay = 0, smallDay = 0] = (perRow.exec(page) ?? []).map(Number);
  const rows = 7.3e9;
  const tens = (units: number) => Math.round(units / 1e7) * 10;
  const hours = (units: number, perSecond: number) => (units / perSecond / 3600).toPrecision(2);
  const [minUnits, maxUnits] = [rows * large, rows * small];
  expect(page).toContain(
    `They take ${tens(minUnits)} million write units if an advertiser has 33,000 rows per day, and ${tens(maxUnits)} million if it has 2,000 (see [Cost](#cost)). ` +
      `That is ${hours(minUnits, 4_000)} to ${hours(maxUnits, 4_000)} hours at the 4,000 write units per second of a new table, and ${hours(minUnits, 40_000)} to ${hours(maxUnits, 40_000)} hours at 40,000`,
  );
  const seconds = (unitsPerRow: number) => Math.round((unitsPerRow * 1e6) / 4_000);
  expect(readSource('infra/operate/README.md')).toContain(
    `a million rows need ${seconds(large)} to ${seconds(small)} s of writing if the folder has whole months, and ${seconds(largeDay)} to ${seconds(smallDay)} s if it has single days.`,
  );
});

test.each([
  ['--listings', '-1'],
  ['--reports', 'many'],
  ['--rowsPerDay', '1e6'],
  ['--storedGb', ''],
])('rejects %s %s, naming the option', (name, value) => {
  expect(() => readUsage([`${name}=${value}`])).toThrow(
    `${name} must be digits, optionally with decimals, such as 2.5, not ${value}`,
  );
});

test('prints a line per item, the total, and the region and date of the prices', () => {
  const printed = renderCosts(monthlyCosts({ ...IDLE, rowsPerDay: 1_000_000, storedGb: 10 }));
  expect(printed).toMatch(/^Table writes +\$1\.78$/m); // 30 million rows × 0.095 units × $0.625 per million units
  expect(printed).toMatch(/^Table storage and backups +\$4\.50$/m); // 10 GB × ($0.25 + $0.20)
  expect(printed).toMatch(/^Total per month +\$22\.78$/m); // with the $16.50 of an idle stack
  expect(printed).toMatch(/us-east-1 as of \d{4}-\d{2}-\d{2}\./);
});
