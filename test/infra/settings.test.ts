import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { describeSettings, readSettings } from '../../infra/settings.ts';

const attributed = { windowDays: 14, basis: 'conversion day' };
const DEFAULTS = {
  stackName: 'Endcap',
  timeZone: 'America/New_York',
  currency: 'USD',
  attribution: { pla: attributed, toa: attributed, carousel: attributed },
  jwtAudience: 'endcap',
  throttle: { rate: 500, burst: 1000 },
  logRetentionDays: 30,
  removalPolicy: 'retain',
  apiGatewayAccountRole: 'create',
  reservedConcurrency: {},
};

const CERTIFICATE = 'arn:aws:acm:eu-central-1:000000000000:certificate/11111111-2222-3333-4444-555555555555';

test('every setting has a default', () => {
  expect(readSettings({})).toEqual(DEFAULTS);
});

test('what CDK keeps in the context is left alone', () => {
  expect(readSettings({ '@aws-cdk/core:x': true, 'availability-zones:account=1': [], 'aws:cdk:y': 1 })).toEqual(
    DEFAULTS,
  );
});

test('on the command line numbers and objects are text', () => {
  const settings = readSettings({
    timeZone: 'Europe/Berlin',
    currency: 'EUR',
    logRetentionDays: '7',
    throttle: '{"rate":10,"burst":20}',
    attribution: '{"toa":{"windowDays":0,"basis":"touch day"}}',
    removalPolicy: 'destroy',
    alarmEmail: 'ops@example.com',
    reservedConcurrency: '{"submit-report":50}',
    warmThroughput: '{"readUnitsPerSecond":12000,"writeUnitsPerSecond":40000}',
    waf: '{"requestsPerFiveMinutes":5000}',
    customDomain: JSON.stringify({ name: 'api.example.com', certificateArn: CERTIFICATE }),
  });
  expect(settings).toEqual({
    ...DEFAULTS,
    timeZone: 'Europe/Berlin',
    currency: 'EUR',
    logRetentionDays: 7,
    throttle: { rate: 10, burst: 20 },
    attribution: { ...DEFAULTS.attribution, toa: { windowDays: 0, basis: 'touch day' } },
    removalPolicy: 'destroy',
    alarmEmail: 'ops@example.com',
    reservedConcurrency: { 'submit-report': 50 },
    warmThroughput: { readUnitsPerSecond: 12000, writeUnitsPerSecond: 40000 },
    waf: { requestsPerFiveMinutes: 5000 },
    customDomain: { name: 'api.example.com', certificateArn: CERTIFICATE },
  });
});

test('every period of CloudWatch Logs may be chosen', () => {
  const offered = Object.values(RetentionDays).filter(
    (days): days is number => typeof days === 'number' && days < 9999,
  );
  for (const days of offered) expect(readSettings({ logRetentionDays: days }).logRetentionDays).toBe(days);
});

describe('a wrong setting is refused, saying what is allowed', () => {
  test.each([
    [{ timeZone: 'Mars/Olympus' }, 'timeZone: is not an IANA time zone such as Europe/Berlin'],
    [{ currency: 'EURO' }, 'currency: is not an ISO 4217 code such as EUR'],
    [{ currency: 'usd' }, 'currency: is not an ISO 4217 code'],
    [{ stackName: '1st' }, 'stackName: is not a CloudFormation stack name'],
    [{ throttle: { rate: 0, burst: 1 } }, 'throttle.rate: '],
    [{ throttle: { rate: 1 } }, 'throttle.burst: '],
    [{ throttle: 10 }, 'throttle: '],
    [{ logRetentionDays: 31 }, 'logRetentionDays: is not one of 1, 3, 5, 7'],
    [{ removalPolicy: 'snapshot' }, 'removalPolicy: '],
    [{ attribution: { pla: { windowDays: -1, basis: 'x' } } }, 'attribution.pla.windowDays: '],
    [{ attribution: { tv: { windowDays: 1, basis: 'x' } } }, 'attribution: Unrecognized key: "tv"'],
    [{ apiGatewayAccountRole: 'none' }, 'apiGatewayAccountRole: '],
    [{ alarmEmail: 'ops' }, 'alarmEmail: is not an e-mail address'],
    [
      { reservedConcurrency: { report: 1 } },
      'reservedConcurrency: names what is no function; there are list-accounts, ',
    ],
    [{ reservedConcurrency: { 'get-jwt': -1 } }, 'reservedConcurrency.get-jwt: '],
    [{ warmThroughput: { readUnitsPerSecond: 100, writeUnitsPerSecond: 4000 } }, 'warmThroughput.readUnitsPerSecond: '],
    [{ warmThroughput: { readUnitsPerSecond: 12000 } }, 'warmThroughput.writeUnitsPerSecond: '],
    [{ waf: { requestsPerFiveMinutes: 9 } }, 'waf.requestsPerFiveMinutes: '],
    [{ waf: true }, 'waf: '],
    [{ customDomain: { name: 'https://x.com', certificateArn: CERTIFICATE } }, 'customDomain.name: is not a host name'],
    [{ customDomain: { name: 'x.com', certificateArn: 'x' } }, 'customDomain.certificateArn: is not the ARN of a cert'],
    [{ timezone: 'UTC' }, 'timezone: no such setting; there are stackName, timeZone, '],
  ])('%j', (context, message) => {
    expect(() => readSettings(context)).toThrow(message);
  });

  test('all of them at once', () => {
    expect(() => readSettings({ currency: 'X', timeZone: 'Y' })).toThrow(/timeZone: .*\n {2}currency: /);
  });
});

test('README lists every setting with its default and its meaning', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [table = ''] = /^\| Setting .*\n(?:\|.*\n)+/m.exec(readme) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(
    describeSettings().map(
      ({ name, byDefault, meaning }) =>
        `| \`${name}\` | ${byDefault === undefined ? 'none' : `\`${byDefault}\``} | ${meaning} |`,
    ),
  );
});
