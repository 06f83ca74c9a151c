import { expect, test } from 'vitest';
import { priceUsage, type Usage } from '../../../../infra/cli/operate/price-usage.ts';

const NOTHING: Usage = { requests: 0, gbSeconds: 0, readUnits: 0, writeUnits: 0, signatures: 0, logBytes: 0, hours: 0 };

/** The prices are those of the tables of costs in infra/README.md. */
test.each([
  ['a million requests: gateway, firewall and invocations', { requests: 1e6 }, 4.3],
  ['the functions of a million listings of 0.01 GB-seconds', { gbSeconds: 1e4 }, 0.133334],
  ['a million reports from facts with 185 read units', { readUnits: 185e6 }, 23.125],
  ['a million write units', { writeUnits: 1e6 }, 0.625],
  ['a million tokens', { signatures: 1e6 }, 15],
  ['two GiB of logs', { logBytes: 2 ** 31 }, 1],
  ['a month of firewall, dashboard, alarms and three keys', { hours: 730 }, 25.3],
  ['two of them', { hours: 73, writeUnits: 4e6 }, 5.03],
])('the price of %s', (_, used, usd) => {
  expect(priceUsage({ ...NOTHING, ...used }).usd).toBeCloseTo(usd, 6);
});

test('the table has the amount and the price of each unit', () => {
  expect(priceUsage({ ...NOTHING, requests: 1234, gbSeconds: 75.25 }).table).toEqual([
    ['Unit', 'Amount', 'USD'],
    ['requests', '1234.0', '0.0053'],
    ['gbSeconds', '75.3', '0.0010'],
    ...['readUnits', 'writeUnits', 'signatures', 'logBytes', 'hours'].map((unit) => [unit, '0.0', '0.0000']),
  ]);
});
