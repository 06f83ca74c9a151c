import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../infra/settings.ts';

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
};

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
  });
  expect(settings).toEqual({
    ...DEFAULTS,
    timeZone: 'Europe/Berlin',
    currency: 'EUR',
    logRetentionDays: 7,
    throttle: { rate: 10, burst: 20 },
    attribution: { ...DEFAULTS.attribution, toa: { windowDays: 0, basis: 'touch day' } },
    removalPolicy: 'destroy',
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
    [{ timezone: 'UTC' }, 'timezone: no such setting; there are stackName, timeZone, '],
  ])('%j', (context, message) => {
    expect(() => readSettings(context)).toThrow(message);
  });

  test('all of them at once', () => {
    expect(() => readSettings({ currency: 'X', timeZone: 'Y' })).toThrow(/timeZone: .*\n {2}currency: /);
  });
});
