import { expect, test } from 'vitest';
import {
  describeRequestCosts,
  monthlyCosts,
  readUsage,
  renderCosts,
  warmThroughputCost,
} from '../../../infra/operate/costs.ts';
import { ROUTES } from '../../../infra/routes.ts';
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
  expect(costs.get('Alarms')).toBeCloseTo(8.2, 6);
  expect(costs.get('Provisioned concurrency')).toBeCloseTo(2 * 2_592_000 * 0.0000033334, 6);
});

test('2,000 listings per second cost what their requests, reads and logs add up to', () => {
  const costs = monthlyCosts({ ...IDLE, listings: 2_000 });
  const millions = 5_184; // 2,000 × 86,400 × 30
  expect(costs.get('API Gateway requests')).toBeCloseTo(333 * 3.5 + 667 * 2.8 + (millions - 1_000) * 2.38, 6);
  expect(costs.get('Table reads')).toBeCloseTo(millions * 2 * 0.125, 6);
  expect(costs.get('Lambda time')).toBeCloseTo(millions * 10_000 * 0.0000133334, 6);
  expect(costs.get('Logs')).toBeCloseTo(millions * 1 * 0.53, 6);
  expect(costs.get('Egress')).toBeCloseTo((millions * 1.5 - 100) * 0.09, 6);
});

test('the firewall costs by the rule and by the request', () => {
  expect(monthlyCosts({ ...IDLE, listings: 1 }).get('Firewall')).toBeCloseTo(7 + 2.592 * 0.6, 6);
  expect(monthlyCosts(readUsage(['--no-waf'])).get('Firewall')).toBeUndefined();
});

test('a blocked request costs its inspection and a line of the log', () => {
  const costs = monthlyCosts({ ...IDLE, blocked: 1 });
  expect(costs.get('Firewall')).toBeCloseTo(7 + 2.592 * (0.6 + 1.5 * 0.53), 6);
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
  const [most, least] = [rows * small, rows * large];
  expect(page).toContain(
    `They take ${tens(least)} million write units if an advertiser has 33,000 rows per day, and ${tens(most)} million if it has 2,000 (see [Cost](#cost)). ` +
      `That is ${hours(least, 4_000)} to ${hours(most, 4_000)} hours at the 4,000 write units per second of a new table, and ${hours(least, 40_000)} to ${hours(most, 40_000)} hours at 40,000`,
  );
  const seconds = (unitsPerRow: number) => Math.round((unitsPerRow * 1e6) / 4_000);
  expect(readSource('infra/operate/README.md')).toContain(
    `a million rows need ${seconds(large)} to ${seconds(small)} s of writing if the folder has whole months, and ${seconds(largeDay)} to ${seconds(smallDay)} s if it has single days.`,
  );
});

test.each([
  ['--listings', '-1'],
  ['--reports', 'many'],
  ['--storedGb', ''],
])('rejects %s %s, naming the option', (name, value) => {
  expect(() => readUsage([`${name}=${value}`])).toThrow(`${name} must be a number of at least 0, not ${value}`);
});

test('prints a line per item, the total, and the region and date of the prices', () => {
  const printed = renderCosts(monthlyCosts({ ...IDLE, rowsPerDay: 1_000_000, storedGb: 10 }));
  expect(printed).toMatch(/^Table writes +\$1\.78$/m);
  expect(printed).toMatch(/^Table storage and backups +\$4\.50$/m);
  expect(printed).toMatch(/^Total per month +\$22\.78$/m);
  expect(printed).toMatch(/us-east-1 as of \d{4}-\d{2}-\d{2}\./);
});
