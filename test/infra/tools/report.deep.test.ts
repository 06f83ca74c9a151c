import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from '@uwdata/flechette';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestStage, type TestStage } from '../../support/stage.ts';
import { runCommand } from '../cli/run-command.ts';

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

const report = (...args: string[]) =>
  runCommand('../tools/report/report', args, { ENDCAP_URL: url, ENDCAP_KEY: 'ecap_demo_agency' });
const WEEK = ['--from', '2026-02-23', '--to', '2026-03-01'];
const BY_CAMPAIGN = ['--by', 'campaign_name', '--metrics', 'impressions,clicks,cost,click_through_rate,halo_roas'];

describe('npm run report', () => {
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
Saltlark Always On Search          38,573     537      462.62              1.39 %       1.01  ██████████████████████████
Tumblecorn Category Conquest       26,185     332      281.57              1.27 %       1.06  █████████████████▋
────────────────────────────  ───────────  ──────  ──────────  ──────────────────  ─────────
total                             214,133   2,742    2,351.28              1.28 %       1.23

data complete through 2026-03-01 · America/New_York · USD · attribution 14 days, by conversion day
`);
  });

  /** The figures are those of infra/tools/README.md. */
  test('prints the figures of a compared period and the change beside each metric, and sorts by it', async () => {
    const compared = ['--compare', 'previousPeriod', '--sort', 'cost:asc:change', '--limit', '2', '--totals'];
    const { code, stdout } = await report('--by', 'campaign_name', '--metrics', 'cost', ...WEEK, ...compared);
    expect(code).toBe(0);
    expect(stdout).toBe(`pla, 2026-02-23 to 2026-03-01 · compared with 2026-02-16 to 2026-02-22 · 2 of 19 rows

campaign_name                 cost (USD)  cost_before (USD)  cost_change (USD)
────────────────────────────  ──────────  ─────────────────  ─────────────────
Tumblecorn Search Essentials      188.25             228.72             -40.47
Tumblecorn Category Conquest      281.57             310.37             -28.80
────────────────────────────  ──────────  ─────────────────  ─────────────────
total                           2,351.28           2,391.36             -40.08

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
    expect([code, stdout.split('\n').slice(2, 5)]).toEqual([
      0,
      [
        "no row passes the filter 'cost>1000': the values of cost are 28.25 to 462.62",
        'without filters the report has 19 rows',
        '',
      ],
    ]);
    const both = ['--filter', 'cost>300', '--filter', 'cost<200'];
    const contradictory = await report('--by', 'campaign_name', '--metrics', 'clicks', ...WEEK, ...both);
    expect(contradictory.stdout).toContain('no row passes all filters together, but some pass each of them\n');
    const early = await report(
      '--metrics',
      'clicks',
      '--by',
      'campaign_name',
      '--from',
      '2020-01-01',
      '--to',
      '2020-01-02',
    );
    expect(early.stdout).toContain('no rows: pla has no data for this from 2020-01-01 to 2020-01-02\n');
  });

  test.each(['csv', 'arrow', 'json'])(
    'reports on standard error which filter leaves a %s file without rows',
    async (format) => {
      const args = ['--by', 'campaign_name', '--metrics', 'clicks', ...WEEK, '--filter', 'cost>1000'];
      const { code, stderr } = await report(...args, '--format', format, '--out', join(folder, `empty.${format}`));
      expect({ code, lines: stderr.split('\n') }).toEqual({
        code: 0,
        lines: [
          "no row passes the filter 'cost>1000': the values of cost are 28.25 to 462.62",
          'without filters the report has 19 rows',
          '',
        ],
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
    const cuts = [
      '! month_date: the month of 2026-01-01 has only 2 of its 31 days in the period',
      '! month_date: the month of 2026-03-01 has only 1 of its 31 days in the period',
      '',
    ];
    expect((await report(...args)).stdout.split('\n').slice(-3)).toEqual(cuts);
    expect((await report(...args, '--format', 'csv')).stderr.split('\n')).toEqual(cuts);
    const whole = await report('--by', 'week_date', '--metrics', 'cost', ...WEEK);
    expect(whole.stdout).not.toContain('has only');
  });

  test('lists fields by a text in their name or meaning', async () => {
    const { stdout } = await report('--fields', 'roas');
    expect(stdout).toBe(
      'metrics\n  halo_roas (revenue; ratio): Revenue attributed to a click / cost.\n  halo_exposed_roas (revenue; ratio): Exposed revenue / cost. Exposed: attributed to a click or an impression.\n',
    );
  });
});
