import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { tableFromIPC } from '@uwdata/flechette';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REPORT_USAGE } from '../../../../infra/cli/tools/report/report-options.ts';
import { readSource } from '../../../rules/source-files.ts';
import { forward } from '../../../support/forward.ts';
import { startTestStage, type TestStage } from '../../../support/stage.ts';
import { startServer } from '../../../support/start-server.ts';
import { runCommand } from '../run-command.ts';

let stage: TestStage;
let url: string;
const folder = mkdtempSync(join(tmpdir(), 'endcap-report-'));
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  url = await stage.url();
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

const report = (...args: string[]) => reportFrom(url, ...args);
const reportFrom = (service: string, ...args: string[]) => {
  const env = { ENDCAP_URL: service, ENDCAP_KEY: 'ecap_demo_agency', COLUMNS: undefined };
  return runCommand('tools/report/report', args, env);
};
const WEEK = ['--from', '2026-02-23', '--to', '2026-03-01'];
const BY_CAMPAIGN = ['--by', 'campaign_name', '--metrics', 'impressions,clicks,cost,click_through_rate,halo_roas'];

describe('npx endcap report', () => {
  /** The figures are those of README.md. */
  test('prints a table of the week in README.md, with totals and bars', async () => {
    const { code, stdout, stderr } = await report(
      ...BY_CAMPAIGN,
      ...WEEK,
      '--sort',
      'cost',
      '--limit',
      '2',
      '--totals',
      '--chart',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`pla, 2026-02-23 to 2026-03-01 · 2 of 19 rows

campaign_name                 impressions  clicks  cost (USD)  click_through_rate  halo_roas  bars: impressions
────────────────────────────  ───────────  ──────  ──────────  ──────────────────  ─────────
Saltlark Always On Search          38,573     537      462.62              1.39 %       1.01  ████████████████████
Tumblecorn Category Conquest       26,185     332      281.57              1.27 %       1.06  █████████████▋
────────────────────────────  ───────────  ──────  ──────────  ──────────────────  ─────────
total                             214,133   2,742    2,351.28              1.28 %       1.23

data complete through 2026-03-01 · America/New_York · USD · attribution 14 days, by conversion day
`);
  });

  test('ends a period on the last day with complete data, and sorts the rows of days by the day', async () => {
    const { stdout } = await report('--by', 'daily_date', '--metrics', 'cost', '--last', '2d');
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      'pla, 2026-02-28 to 2026-03-01',
      '',
      'daily_date  cost (USD)',
      '──────────  ──────────',
      expect.stringMatching(/^2026-02-28 +[\d.]+$/),
      expect.stringMatching(/^2026-03-01 +[\d.]+$/),
    ]);
  });

  test('filters, and shows warnings and values that are undefined', async () => {
    const { stdout } = await report(
      '--metrics',
      'win_rate,impressions',
      '--experience',
      'toa',
      ...WEEK,
      '--filter',
      'hour=9..17',
    );
    expect(stdout).toContain('win_rate  impressions\n────────  ───────────\n       –');
    expect(stdout).toContain('! win_rate: win_rate is undefined in toa');
  });

  test('writes all rows as CSV, Arrow and JSON', async () => {
    const args = [
      '--by',
      'ad_group_id,keyword,daily_date',
      '--metrics',
      'impressions',
      '--sort',
      'daily_date',
      ...WEEK,
    ];
    const file = join(folder, 'report.arrow');
    const [csv, json, arrow] = [
      await report(...args, '--format', 'csv'),
      await report(...args, '--format', 'json'),
      await report(...args, '--format', 'arrow', '--out', file),
    ];
    const { data, totalCount } = JSON.parse(json.stdout);
    expect([csv.code, json.code, arrow.code, data.length]).toEqual([0, 0, 0, totalCount]);
    expect(csv.stdout.trimEnd().split(/\r?\n/)).toHaveLength(totalCount + 1);
    expect(tableFromIPC(readFileSync(file)).numRows).toBe(totalCount);
    expect(totalCount).toBeGreaterThan(500);
  });

  test.each([
    ['report.csv', /^week_date,cost\r\n2026-02-23,2351\.28\r\n$/],
    ['report.json', /^\{\n {2}"headers"/],
    ['report.txt', /^pla, 2026-02-23 to 2026-03-01\n/],
    ['report.ARROW', /^\uFFFD{4}/], // Arrow streams begin with FF FF FF FF, which is not UTF-8
  ])('writes %s in the format of its name', async (name, start) => {
    const file = join(folder, name);
    await report('--by', 'week_date', '--metrics', 'cost', ...WEEK, '--out', file);
    expect(readFileSync(file, 'utf8')).toMatch(start);
  });

  test('writes CSV for a spreadsheet with a byte order mark, also to a file whose name ends with .csv', async () => {
    const args = ['--by', 'week_date', '--metrics', 'cost', ...WEEK, '--format', 'spreadsheet'];
    const file = join(folder, 'spreadsheet.csv');
    expect((await report(...args, '--out', file)).code).toBe(0);
    const csv = '\uFEFFweek_date,cost\r\n2026-02-23,2351.28\r\n';
    expect([readFileSync(file, 'utf8'), (await report(...args)).stdout]).toEqual([csv, csv]);
  });

  test('says which filter leaves no rows, and which values there are', async () => {
    const filters = ['--filter', 'clicks>10', '--filter', 'cost>1000'];
    const { code, stdout } = await report('--by', 'campaign_name', '--metrics', 'clicks', ...WEEK, ...filters);
    const reason = (values: string) =>
      `! cost: The filter by Cost leaves no row. With the filters before it, its values are ${values}.\n`;
    expect([code, stdout]).toEqual([0, expect.stringContaining('\n\nno rows\n\n')]);
    expect(stdout).toContain(reason('28.25 to 462.62'));
    const both = ['--filter', 'cost>300', '--filter', 'cost<200'];
    const contradictory = await report('--by', 'campaign_name', '--metrics', 'clicks', ...WEEK, ...both);
    expect(contradictory.stdout).toContain(reason('462.62'));
    const days = ['--from', '2020-01-01', '--to', '2020-01-02'];
    const early = await report('--metrics', 'clicks', '--by', 'campaign_name', ...days);
    expect(early.stdout).toContain('! daily_date: No data was loaded for 2020-01-01 to 2020-01-02');
  });

  test.each(['csv', 'arrow'])(
    'reports on standard error which filter leaves a %s file without rows',
    async (format) => {
      const args = ['--by', 'campaign_name', '--metrics', 'clicks', ...WEEK, '--filter', 'cost>1000'];
      const { code, stderr } = await report(...args, '--format', format, '--out', join(folder, `empty.${format}`));
      expect({ code, lines: stderr.split('\n') }).toEqual({
        code: 0,
        lines: ['! cost: The filter by Cost leaves no row. Its values are 28.25 to 462.62.', ''],
      });
    },
  );

  test.each(['csv', 'arrow'])('prints warnings, which %s files do not contain, on standard error', async (format) => {
    const args = ['--metrics', 'win_rate,impressions', '--experience', 'toa', ...WEEK];
    const { stderr } = await report(...args, '--format', format, '--out', join(folder, `warned.${format}`));
    expect(stderr).toContain('! win_rate: win_rate is undefined in toa');
  });

  test('marks weeks and months that lie only partly in the period, below a table and, for a file, on standard error', async () => {
    const args = ['--by', 'month_date', '--metrics', 'cost', '--from', '2026-01-30', '--to', '2026-03-01'];
    const cut =
      '! month_date: The period has only 2 of the 31 days of the month of 2026-01-01, and 1 of the 31 days of the month of 2026-03-01.';
    expect((await report(...args)).stdout).toContain(`${cut}\n`);
    expect((await report(...args, '--format', 'csv')).stderr).toContain(`${cut}\n`);
    const whole = await report('--by', 'week_date', '--metrics', 'cost', ...WEEK);
    expect(whole.stdout).not.toContain('The period has only');
  });
});

describe('a file of npx endcap report', () => {
  const WEEKS = ['--by', 'week_date', '--metrics', 'cost', '--from', '2026-02-23', '--to', '2026-03-01'];
  test.each(['csv', 'json', 'arrow', 'table'])(
    'leaves a file as it was if %s cannot be written completely',
    async (format) => {
      const file = join(folder, `kept.${format}`);
      writeFileSync(file, 'before');
      mkdirSync(`${file}.part`); // takes the place of the incomplete file
      const { code } = await report(...WEEKS, '--format', format, '--out', file);
      expect([code, readFileSync(file, 'utf8')]).toEqual([1, 'before']);
    },
  );

  /** A proxy of the stage whose pages have one row, and all pages but the first another data version. */
  function startChangingService() {
    let pages = 0;
    return startServer(async (request, response) => {
      const body = JSON.parse((await text(request)) || '{}');
      const isReport = request.method === 'POST';
      const ofOneRow = JSON.stringify({ ...body, pagination: { ...body.pagination, size: 1 } });
      const given = await forward(request, url, ofOneRow, { 'accept-encoding': 'identity' }); // none is sent twice
      for (const [name, value] of given.headers) if (name !== 'content-length') response.setHeader(name, value);
      if (isReport && pages++ > 0) response.setHeader('endcap-data-version', 'later');
      response.writeHead(given.status).end(Buffer.from(await given.arrayBuffer()));
    });
  }

  test('if data is loaded meanwhile, a file is written again, and a pipe ends with an error and no row twice', async () => {
    const days = [
      '--by',
      'daily_date',
      '--metrics',
      'clicks',
      '--from',
      '2026-02-27',
      '--to',
      '2026-03-01',
      '--format',
      'csv',
    ];
    const file = join(folder, 'changed.csv');
    const pipe = join(folder, 'changed');
    execFileSync('mkfifo', [pipe]);
    await report(...days, '--out', file);
    const whole = readFileSync(file, 'utf8');
    const serve = async (out: string) => {
      await using service = await startChangingService();
      return await reportFrom(`${service.endpoint}${new URL(url).pathname}`, ...days, '--out', out);
    };
    const again = await serve(file);
    expect([again, readFileSync(file, 'utf8')]).toEqual([{ code: 0, stdout: '', stderr: '' }, whole]);
    const [part, failed] = await Promise.all([readFile(pipe, 'utf8'), serve(pipe)]);
    const [header, first] = whole.split('\r\n');
    expect([failed.code, part]).toEqual([1, `${header}\r\n${first}\r\n`]);
    expect(failed.stderr).toContain('DATA_CHANGED');
  });

  test('writes to a pipe, which is not replaced', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const args = [...WEEKS, '--format', 'csv', '--out', pipe];
    const [written, { code }] = await Promise.all([readFile(pipe, 'utf8'), report(...args)]);
    expect([code, written]).toEqual([0, 'week_date,cost\r\n2026-02-23,2351.28\r\n']);
  });

  test('writes through a link, which is not replaced', async () => {
    const [target, link] = [join(folder, 'target'), join(folder, 'link')];
    writeFileSync(target, 'before');
    symlinkSync(target, link);
    const { code } = await report(...WEEKS, '--format', 'csv', '--out', link);
    expect([code, readFileSync(target, 'utf8')]).toEqual([0, 'week_date,cost\r\n2026-02-23,2351.28\r\n']);
  });
});

test.each([
  ['a metric to group by', ['--by', 'cost'], 'cost is a metric, not a dimension: request it among the metrics'],
  [
    'a wrong day',
    ['--metrics', 'cost', '--from', '2026-02-30'],
    '--from: Must be an existing date in the format YYYY-MM-DD, or a relative one: today, yesterday, latest',
  ],
  [
    'all unknown names at once',
    ['--metrics', 'roas', '--by', 'date', '--filter', 'camp=1', '--sort', 'x'],
    'there is no dimension date (did you mean daily_date?)\nthere is no field camp\nthere is no field x\n',
  ],
  [
    'a last day before the first',
    ['--metrics', 'cost', '--from', '2026-03-01', '--to', '2026-02-01'],
    '--to: Must be the start date, 2026-03-01, or later.',
  ],
  ['a long period', ['--metrics', 'cost', '--last', '900d'], '--last: A report covers at most 732 days'],
  [
    'advertisers of others',
    ['--metrics', 'cost', '--advertisers', '2001,1'],
    '--advertisers 1: is not one of your advertisers\nThose that you may see: npx endcap report',
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
    'a filter with an apostrophe, which the message repeats as a shell accepts it',
    ['--metrics', 'clicks', ...WEEK, '--filter', "clicks>it's"],
    "--filter 'clicks>it'\\''s': Must be an integer",
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
])('npx endcap report exits with 1 and says what to do about %s', async (_, args, message) => {
  const { code, stdout, stderr } = await report(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});

const PAGE = readSource('infra/cli/tools/README.md');
const EXAMPLES = [...PAGE.matchAll(/```sh\nnpx endcap report ([^\n]*)\n```\n```text\n(.*?)```/gs)].map(
  ([, command = '', output = '']) => ({ command, output }),
);

/** @returns the arguments of a command line, without the apostrophes around some */
const split = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);

test('every report on the page of the tools has an output below it', () => {
  expect(EXAMPLES).toHaveLength([...PAGE.matchAll(/^npx endcap report/gm)].length);
  expect(EXAMPLES.length).toBeGreaterThan(3);
});

test('the example in the usage is the first of the page', () => {
  expect(REPORT_USAGE).toContain(`for example\n  npx endcap report ${EXAMPLES[0]?.command}\n`);
});

test.each(EXAMPLES)('prints what the page shows: npx endcap report $command', async ({ command, output }) => {
  const { code, stdout, stderr } = await report(...split(command));
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: output, stderr: '' });
});
