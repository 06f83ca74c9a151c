import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStage, type TestStage } from '../../support/stage.ts';
import { runCommand } from '../cli/run-command.ts';

let stage: TestStage;
let url: string;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  url = await stage.url();
});
afterAll(() => stage.close());

const report = (...args: string[]) =>
  runCommand('../tools/report/report', args, { ENDCAP_URL: url, ENDCAP_KEY: 'ecap_demo_agency' });
const WEEK = ['--from', '2026-02-23', '--to', '2026-03-01'];

test.each([
  [
    'an unknown metric',
    ['--metrics', 'roas'],
    'there is no metric roas (did you mean halo_roas or halo_exposed_roas?)',
  ],
  ['an unknown dimension', ['--by', 'date'], 'there is no dimension date (did you mean daily_date?)'],
  ['a metric to group by', ['--by', 'cost'], 'cost is a metric, not a dimension: request it among the metrics'],
  [
    'a wrong day',
    ['--metrics', 'cost', '--from', '2026-02-30'],
    '2026-02-30 is not a date; it must be an existing date in the format YYYY-MM-DD, or a relative one: today, yesterday, startOfWeek,',
  ],
  [
    'all unknown names at once',
    ['--metrics', 'roas', '--by', 'date', '--filter', 'camp=1', '--sort', 'x'],
    'there is no dimension date (did you mean daily_date?)\nthere is no field camp\nthere is no field x\n',
  ],
  [
    'a first day after the data',
    ['--metrics', 'cost', '--from', '2027-01-01'],
    'the first day, 2027-01-01, is after 2026-03-01, on which a report without a last day ends',
  ],
  [
    'a last day before the first',
    ['--metrics', 'cost', '--from', '2026-03-01', '--to', '2026-02-01'],
    'the first day, 2026-03-01, is after the last, 2026-02-01',
  ],
  ['a long period', ['--metrics', 'cost', '--last', '900d'], '--last: A report covers at most 732 days'],
  [
    'advertisers of others',
    ['--metrics', 'cost', '--advertisers', '2001,1'],
    '--advertisers 1: is not one of your advertisers\nThose that you may see: npm run report',
  ],
  [
    'a URL without the version',
    ['--metrics', 'cost', '--url', 'http://127.0.0.1:1'],
    'the URL must end with /v2: http://127.0.0.1:1/v2 instead of http://127.0.0.1:1?',
  ],
  [
    'a file whose name is of no format',
    ['--metrics', 'cost', '--out', 'report.xlsx'],
    '--out is report.xlsx; its name must end with .csv, .arrow, .arrows, .json, .txt, or use --format',
  ],
  [
    'a file whose name contradicts the format',
    ['--metrics', 'cost', '--format', 'json', '--out', 'report.csv'],
    '--format json and --out report.csv contradict each other: .csv is the format csv',
  ],
  [
    'a wrong format',
    ['--metrics', 'cost', '--format', 'xml'],
    '--format is xml; it must be table, csv, spreadsheet, arrow, json',
  ],
  [
    'an unknown experience',
    ['--metrics', 'cost', '--experience', 'tv'],
    '--experience is tv; it must be pla, toa, carousel, all',
  ],
  ['a wrong key', ['--metrics', 'cost', '--key', 'ecap_wrong'], 'Name a key with --key or ENDCAP_KEY.'],
  [
    'a value that does not fit the field',
    ['--metrics', 'clicks', ...WEEK, '--filter', 'clicks>many'],
    "--filter 'clicks>many': Must be an integer",
  ],
  [
    'a filter with an apostrophe, which the message repeats as a shell accepts it',
    ['--metrics', 'clicks', ...WEEK, '--filter', "clicks>it's"],
    "--filter 'clicks>it'\\''s': Must be an integer",
  ],
  ['a limit of 0', ['--metrics', 'cost', '--limit', '0'], '--limit is 0; it must be an integer from 1 to 999999999'],
  [
    'a field with two orders',
    ['--metrics', 'cost', '--sort', 'cost:desc:asc'],
    '--sort has cost:desc:asc; the order is asc or desc: cost:desc; with --compare also cost:compared or cost:change or cost:relativeChange',
  ],
  [
    'everything that is wrong, ids and orders included',
    ['--metrics', 'cost', '--advertisers', '1,x', '--sort', 'cost:up,roas'],
    '--advertisers has x; it must be ids, separated by commas\n--sort has cost:up; the order is asc or desc: cost:desc; with --compare also cost:compared or cost:change or cost:relativeChange\nthere is no field roas',
  ],
  [
    'a remote service that cannot be reached',
    ['--metrics', 'cost', '--url', 'http://no-such-host.invalid/v2', '--key', 'x'],
    'http://no-such-host.invalid/v2 cannot be reached (getaddrinfo ',
  ],
  [
    'totals of a file',
    ['--metrics', 'cost', '--totals', '--format', 'csv'],
    '--totals, --chart and --validate-only need --format table',
  ],
  ['an argument that is no option', ['cost', 'clicks'], 'cost is not an option'],
  [
    'an id that is too large',
    ['--metrics', 'cost', '--advertisers', '9007199254740992'],
    '--advertisers has 9007199254740992; it must be ids, separated by commas',
  ],
  [
    'an id of sixteen digits of another advertiser',
    ['--metrics', 'cost', ...WEEK, '--advertisers', '9007199254740991'],
    '--advertisers 9007199254740991: is not one of your advertisers',
  ],
  [
    'a service that does not run',
    ['--metrics', 'cost', '--url', 'http://127.0.0.1:1/v2'],
    'http://127.0.0.1:1/v2 cannot be reached (bad port): `npm start` starts a service, --url names another',
  ],
])('npm run report exits with 1 and says what to do about %s', async (_, args, message) => {
  const { code, stdout, stderr } = await report(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});
