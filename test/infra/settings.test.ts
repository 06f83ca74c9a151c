import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DOCUMENTATION, SETTINGS } from '../../infra/config/setting-schema.ts';
import { readOwnSettings, readSettings } from '../../infra/config/settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const ATTRIBUTION = { windowDays: 14, basis: 'conversion day' };
const DEFAULTS = {
  stackName: 'Endcap',
  timeZone: 'America/New_York',
  currency: 'USD',
  attribution: { pla: ATTRIBUTION, toa: ATTRIBUTION, carousel: ATTRIBUTION },
  productIds: 'upc',
  marketMinOthers: 3,
  weekStartsOn: 'Monday',
  minUsers: 0,
  signingKeys: { sign: 1, accept: [] },
  throttle: { rate: 2000, burst: 4000 },
  reportThrottle: { rate: 2000, burst: 4000 },
  keyLimits: { requestsPerMinute: 1200, concurrentReports: 8, dailyReadUnits: 2_000_000 },
  corsOrigins: [],
  logRetentionDays: 30,
  removalPolicy: 'retain',
  logLevel: 'INFO',
  pages: true,
  apiGatewayAccountRole: 'create',
  alarms: {},
  probe: true,
  uploaders: [],
  userUploaders: [],
  customerManagedKey: false,
  successMarker: true,
  rejectOlder: false,
  maxDrop: {},
  maxGrowth: {},
  staleAfterHours: {},
  concurrency: {},
  deployment: 'all-at-once',
  waf: { requestsPerFiveMinutes: 20_000 },
  tags: {},
};

const CERTIFICATE = 'arn:aws:acm:eu-central-1:000000000000:certificate/11111111-2222-3333-4444-555555555555';

test('every setting has a default', () => {
  expect(readSettings({})).toEqual(DEFAULTS);
});

test('CDK’s own keys in the context are ignored', () => {
  expect(readSettings({ '@aws-cdk/core:x': true, 'availability-zones:account=1': [], 'aws:cdk:y': 1 })).toEqual(
    DEFAULTS,
  );
});

test('numbers and objects may be text, as on the command line', () => {
  const settings = readSettings({
    timeZone: 'Europe/Berlin',
    currency: 'EUR',
    logRetentionDays: '7',
    throttle: '{"rate":10,"burst":20}',
    reportThrottle: '{"rate":1,"burst":2}',
    attribution: '{"toa":{"windowDays":0,"basis":"touch day"}}',
    productIds: 'text',
    marketMinOthers: '0',
    weekStartsOn: 'Sunday',
    removalPolicy: 'destroy',
    alarms: '{"email":"ops@example.com"}',
    concurrency: '{"submit-report":{"reserved":50}}',
    pages: 'false',
    staleAfterHours: '{"pla":36}',
    tags: '{"team":"retail-media"}',
    waf: '{"requestsPerFiveMinutes":5000}',
    customDomain: JSON.stringify({ name: 'api.example.com', certificateArn: CERTIFICATE }),
  });
  expect(settings).toEqual({
    ...DEFAULTS,
    timeZone: 'Europe/Berlin',
    currency: 'EUR',
    logRetentionDays: 7,
    throttle: { rate: 10, burst: 20 },
    reportThrottle: { rate: 1, burst: 2 },
    attribution: { ...DEFAULTS.attribution, toa: { windowDays: 0, basis: 'touch day' } },
    productIds: 'text',
    marketMinOthers: 0,
    weekStartsOn: 'Sunday',
    removalPolicy: 'destroy',
    alarms: { email: 'ops@example.com' },
    concurrency: { 'submit-report': { reserved: 50 } },
    pages: false,
    staleAfterHours: { pla: 36 },
    tags: { team: 'retail-media' },
    waf: { requestsPerFiveMinutes: 5000 },
    customDomain: { name: 'api.example.com', certificateArn: CERTIFICATE },
  });
});

describe('the settings of a clone', () => {
  const root = mkdtempSync(join(tmpdir(), 'endcap-settings-'));
  const file = join(root, 'endcap.settings.json');
  const write = (name: string, value: unknown) => writeFileSync(join(root, name), JSON.stringify(value));
  const defaults = { currency: 'EUR', timeZone: 'Europe/Berlin', logRetentionDays: 7 };
  beforeEach(() => write('cdk.json', { context: defaults }));
  afterEach(() => rmSync(file, { force: true }));
  afterAll(() => rmSync(root, { recursive: true }));

  test('are those in cdk.json, if there are no others', () => {
    expect(readOwnSettings(undefined, root)).toEqual({ ...DEFAULTS, ...defaults });
  });

  test('are those in endcap.settings.json over those in cdk.json, and those of the command line over both', () => {
    write('endcap.settings.json', { currency: 'JPY', timeZone: 'Asia/Tokyo' });
    expect(readOwnSettings(undefined, root)).toEqual({
      ...DEFAULTS,
      ...defaults,
      currency: 'JPY',
      timeZone: 'Asia/Tokyo',
    });
    const passed = { ...defaults, currency: 'GBP', pages: 'false' }; // the CDK command line passes cdk.json, too
    const all = { ...DEFAULTS, ...defaults, currency: 'GBP', timeZone: 'Asia/Tokyo', pages: false };
    expect(readOwnSettings(passed, root)).toEqual(all);
  });

  test('are those in the file that the command line names, instead of endcap.settings.json', () => {
    write('endcap.settings.json', { currency: 'JPY' });
    write('trial.json', { stackName: 'Trial' });
    const read = readOwnSettings({ ...defaults, settings: join(root, 'trial.json') }, root);
    expect(read).toEqual({ ...DEFAULTS, ...defaults, stackName: 'Trial' });
    expect(() => readOwnSettings({ settings: join(root, 'none.json') }, root)).toThrow(
      /none\.json cannot be read: ENOENT/,
    );
  });

  test('are rejected with the name of the file that has them, unless the command line replaces them', () => {
    write('endcap.settings.json', { waf: true, timezone: 'UTC' });
    expect(() => readOwnSettings({ ...defaults, pages: 'maybe' }, root)).toThrow(
      new RegExp(
        `^settings \\(in ${file}, or -c name=value\\) are not valid:\n  waf is true; .*\n  timezone is not a setting .*\n  pages is "maybe"; `,
      ),
    );
    expect(() => readOwnSettings({ ...defaults, waf: 'on' }, root)).toThrow(/\n {2}waf is "on"; /);
    writeFileSync(file, '{ "waf": off }');
    expect(() => readOwnSettings(undefined, root)).toThrow(`${file} cannot be read: `);
  });
});

test('the pages may show a brand', () => {
  const pages = { name: 'Oat Hill', logo: 'data:image/png;base64,AAAA', contact: 'media@example.com', keepKeys: false };
  expect(readSettings({ pages }).pages).toEqual(pages);
});

test('every finite retention period of CloudWatch Logs is valid', () => {
  const periods = Object.values(RetentionDays).filter(
    (days): days is number => typeof days === 'number' && days !== RetentionDays.INFINITE,
  );
  for (const days of periods) expect(readSettings({ logRetentionDays: days }).logRetentionDays).toBe(days);
});

/** In each line are settings, and after an arrow a part of the message. */
const REJECTED = readFileSync(join(import.meta.dirname, 'rejected-settings.txt'), 'utf8')
  .replaceAll('$CERTIFICATE', CERTIFICATE)
  .trimEnd()
  .split('\n')
  .map((line): readonly [settings: string, message: string] => {
    const [settings = '', message = ''] = line.split(' → ');
    return [settings, message];
  });

describe('settings are rejected', () => {
  test.each(REJECTED)('if one is invalid, with its valid values: %s', (settings, message) => {
    expect(() => readSettings(JSON.parse(settings))).toThrow(message);
  });

  test('in one error that has a line for each invalid one', () => {
    expect(() => readSettings({ currency: 'X', waf: '{', timezone: 'Y' })).toThrow(
      /^settings \(.*\) are not valid:\n {2}currency is "X"; .*\n {2}waf is "\{"; .*\n {2}timezone is not a setting \(did you mean timeZone\?\); .*$/,
    );
  });
});

/** The documentation of all settings: default in JSON (undefined = none), an example unless it is the default, meaning. */
const DOCUMENTED = Object.entries(SETTINGS.shape).map(([name, schema]) => {
  const documentation = DOCUMENTATION.get(schema);
  if (documentation === undefined) throw new Error(`the setting ${name} is not documented`);
  const defaultValue = JSON.stringify(new Map(Object.entries(SETTINGS.parse({}))).get(name));
  const example = JSON.stringify(documentation.example);
  return {
    name,
    defaultValue,
    example: example === defaultValue ? undefined : example,
    meaning: documentation.meaning,
  };
});

test('the example of each setting, or its default if it has no example, is valid', () => {
  for (const { name, defaultValue, example = defaultValue ?? '' } of DOCUMENTED) {
    expect(readSettings({ [name]: example })).toMatchObject({ [name]: JSON.parse(example) });
  }
});

const cell = (json: string | undefined) => (json === undefined ? '' : `\`${json}\``);

test('infra/README.md lists every setting with its default, an example and its meaning', () => {
  const page = readFileSync(join(ROOT, 'infra/README.md'), 'utf8');
  const [table = ''] = /^\| Setting .*\n(?:\|.*\n)+/m.exec(page) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(
    DOCUMENTED.map(
      ({ name, defaultValue, example, meaning }) =>
        `| \`${name}\` | ${cell(defaultValue)} | ${cell(example)} | ${meaning} |`,
    ),
  );
});
