import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tableFromIPC } from '@uwdata/flechette';
import type { Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readWorkbook } from '../support/read-workbook.ts';
import {
  askApi,
  BEFORE_28,
  BY_CAMPAIGN,
  type Explorer,
  format,
  KEY,
  METRICS,
  openExplorer,
  openQuestion,
  shownRows,
  useBrowser,
  withExplorer,
} from './explorer-page.ts';

useBrowser();

const REQUEST = {
  metrics: METRICS,
  dimensions: ['campaign_name'],
  sort: [{ field: 'cost', order: 'DESC' }],
};

/** More rows than a page of the API has. */
const LARGE =
  '#/report?v=1&experience=pla&start=latest-89d&end=latest&metrics=impressions,cost&by=ad_group_id,keyword,daily_date';
const LARGE_REQUEST = {
  startDate: '2025-12-02',
  metrics: ['impressions', 'cost'],
  dimensions: ['ad_group_id', 'keyword', 'daily_date'],
};

const isFile = (request: Request) => /csv|arrow/.test(request.headers().accept ?? '');

describe('somebody who exports the result', () => {
  test(
    'has all rows in a CSV file that Excel reads',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { name, bytes } = await download(explorer, 'CSV');
      const { data } = await askApi('pla', REQUEST);
      expect(name).toBe('endcap-pla-all-3-accounts-campaign_name-2026-02-02-2026-03-01-data-2026-03-01.csv');
      const text = bytes.toString();
      expect(text.startsWith('\uFEFFcampaign_name,cost,clicks,halo_roas\r\n')).toBe(true);
      const cells = text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(','));
      const read = cells.map(([name, cost, clicks, roas]) => [
        name,
        Number(cost),
        Number(clicks),
        roas === '' ? null : Number(roas),
      ]);
      expect(read).toEqual(data.map((row) => [`"${row.campaign_name}"`, row.cost, row.clicks, row.halo_roas]));
    }),
  );

  test(
    'has the compared value and the change beside each figure in the CSV file',
    withExplorer({ hash: `${BY_CAMPAIGN}&compare=previousPeriod` }, async (explorer) => {
      const { name, bytes } = await download(explorer, 'CSV');
      const dates = '2026-02-02-2026-03-01-against-2026-01-05-2026-02-01-data-2026-03-01';
      expect(name).toBe(`endcap-pla-all-3-accounts-campaign_name-${dates}.csv`);
      await explorer.page.getByText('CSV downloaded').waitFor();
      const [now, before] = await Promise.all([askApi('pla', REQUEST), askApi('pla', { ...REQUEST, ...BEFORE_28 })]);
      const clicksOf = ({ data }: typeof now) =>
        new Map(data.map((row) => [`"${row.campaign_name}"`, Number(row.clicks)]));
      const [current, earlier] = [clicksOf(now), clicksOf(before)];
      const [header, ...lines] = bytes.toString().trimEnd().split('\r\n');
      expect(header).toBe(
        '\uFEFFcampaign_name,cost,cost_before,cost_change,cost_relative_change,clicks,clicks_before,clicks_change,clicks_relative_change,halo_roas,halo_roas_before,halo_roas_change,halo_roas_relative_change',
      );
      const clicks = lines.map((line) => line.split(',')).map((cells) => [cells[0], ...cells.slice(5, 8).map(Number)]);
      const campaigns = [...new Set([...current.keys(), ...earlier.keys()])];
      const expected = campaigns.map((campaign) => {
        const [after, previous] = [current.get(campaign) ?? 0, earlier.get(campaign) ?? 0];
        return [campaign, after, previous, after - previous];
      });
      expect(clicks.sort()).toEqual(expected.sort());
      expect(campaigns.length).toBeGreaterThan(now.totalCount); // some are in the compared period only
    }),
  );

  test(
    'copies a link with fixed dates, which does not move with the data',
    withExplorer({ hash: BY_CAMPAIGN }, async ({ page }) => {
      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByRole('button', { name: 'Copy with fixed dates' }).click();
      await page.getByText('Link copied with fixed dates').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain('start=2026-02-02&end=2026-03-01');
      expect(page.url()).toContain('start=latest-27d&end=latest');
    }),
  );

  test(
    'has all rows in an Arrow file',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      await explorer.page.getByRole('button', { name: 'More', exact: true }).click();
      const { bytes } = await download(explorer, 'Arrow file');
      const { data } = await askApi('pla', REQUEST);
      const table = tableFromIPC(new Uint8Array(bytes));
      expect(table.numRows).toBe(data.length);
      expect([...(table.getChild('clicks') ?? [])].map(Number)).toEqual(data.map((row) => row.clicks));
    }),
  );

  test(
    'has all rows of a report with several pages in a workbook, whose cells equal the JSON, and what they depend on',
    withExplorer({ hash: `${LARGE}&filter=keyword!=null` }, async (explorer) => {
      const { page } = explorer;
      const scripts: string[] = [];
      page.on('request', (request) => {
        if (request.resourceType() === 'script') scripts.push(request.url());
      });
      const { name, bytes } = await download(explorer, 'Excel');
      await page.getByText('Excel file downloaded').waitFor();
      expect(name).toMatch(/^endcap-pla-all-3-accounts-.*\.xlsx$/);
      expect(scripts.some((url) => url.includes('report-workbook'))).toBe(true); // not loaded before
      const filters = [{ field: 'keyword', operator: 'NOT_NULL', values: [] }];
      const sort = [{ field: 'daily_date', order: 'ASC' }];
      const request = { ...LARGE_REQUEST, filters, sort };
      const asked = (offset: number) => askApi('pla', { ...request, pagination: { offset, size: 10_000 } });
      const first = await asked(0);
      const pages = [first];
      for (let offset = 10_000; offset < first.totalCount; offset += 10_000) pages.push(await asked(offset));
      const { report, about } = readWorkbook(new Uint8Array(bytes));
      const rows = pages.flatMap(({ data }) => data);
      expect(rows.length).toBeGreaterThan(10_000);
      const day = (value: unknown) => [Date.parse(String(value)) / 86_400_000 + 25_569, 'yyyy-mm-dd'];
      expect(report).toEqual([
        ['Ad group id', 'Keyword', 'Day', 'Impressions', 'Cost'],
        ...rows.map(({ ad_group_id, keyword, daily_date, impressions, cost }) => [
          ...[String(ad_group_id), keyword, day(daily_date)],
          ...[[impressions, '#,##0'], cost === null ? null : [cost, '[$USD] #,##0.00']],
        ]),
      ]);
      const { totals } = first;
      expect(about.find(([title]) => title === 'Impressions')?.[1]).toEqual([totals.impressions, '#,##0']);
      const link = String(about.find(([title]) => title === 'Link')?.[1]);
      expect(new URL(link).hash).toContain('start=2025-12-02&end=2026-03-01');
      expect(JSON.stringify(about)).not.toContain('ecap_');
    }),
  );

  test.each([
    ['CSV', 'csv'],
    ['Arrow file', 'arrow'],
  ])('has all rows of a report with several pages in one file: %s', (button, format) =>
    withExplorer({ hash: LARGE }, async (explorer) => {
      const { page } = explorer;
      const nextOffsets: (string | undefined)[] = [];
      page.on('response', (response) => {
        if (isFile(response.request())) nextOffsets.push(response.headers()['endcap-next-offset']);
      });
      if (format === 'arrow') await page.getByRole('button', { name: 'More', exact: true }).click();
      const { bytes } = await download(explorer, button);
      const { totalCount } = await askApi('pla', { ...LARGE_REQUEST, pagination: { offset: 0, size: 1 } });
      expect(totalCount).toBeGreaterThan(10_000);
      const others = Array.from({ length: Math.ceil(totalCount / 10_000) - 1 }, (_, page) =>
        String((page + 1) * 10_000),
      );
      expect(nextOffsets).toEqual([...others, undefined]);
      const rows =
        format === 'csv'
          ? bytes.toString().trimEnd().split('\r\n').length - 1
          : tableFromIPC(new Uint8Array(bytes)).numRows;
      expect(rows).toBe(totalCount);
      await page.getByText(`${format === 'csv' ? 'CSV' : 'Arrow file'} downloaded`).waitFor();
    })(),
  );

  test(
    'sees how far a download is, and cancels it',
    withExplorer({ hash: LARGE }, async (explorer) => {
      const { page } = explorer;
      const cancelled = Promise.withResolvers<void>();
      let files = 0;
      await page.route('**/report/pla', async (route) => {
        if (isFile(route.request()) && ++files > 1) await cancelled.promise; // the second page takes until the cancellation
        await route.continue().catch(() => undefined);
      });
      await page.getByRole('button', { name: 'CSV', exact: true }).click();
      await page.getByText(/^CSV: 10,000 of [\d,]+ rows$/).waitFor();
      await explorer.shoot('download');
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.getByText('CSV not downloaded: cancelled').waitFor();
      cancelled.resolve();
      expect(await page.getByRole('button', { name: 'Cancel', exact: true }).count()).toBe(0);
    }),
  );

  test.each([
    ['Chart as SVG', 'svg'],
    ['Chart as PNG', 'png'],
  ])('has the chart as a picture, with both periods, the legend and what it leaves out: %s', (button, extension) =>
    withExplorer({ hash: `${BY_CAMPAIGN}&compare=previousPeriod&filter=clicks>1` }, async (explorer) => {
      const { page } = explorer;
      await page.locator('.drawing svg').first().waitFor();
      await page.getByRole('button', { name: 'More', exact: true }).click();
      const { name, bytes } = await download(explorer, button);
      expect(name).toBe(
        `endcap-pla-all-3-accounts-campaign_name-2026-02-02-2026-03-01-against-2026-01-05-2026-02-01-clicks-greater_than-1-data-2026-03-01.${extension}`,
      );
      if (extension === 'png') {
        expect(bytes.subarray(1, 4).toString()).toBe('PNG');
        expect(bytes.readUInt32BE(16)).toBeGreaterThan(1600); // twice the width on the page
        return;
      }
      const svg = bytes.toString();
      expect(svg).toContain('Cost, Clicks and Return on ad spend (click) by Campaign');
      expect(svg).not.toContain('var(');
      for (const text of [
        'PLA · all 3 accounts · Clicks &gt; 1',
        'Feb 2 – Mar 1, 2026 against Jan 5 – Feb 1, 2026 · America/New_York · data through Mar 1, 2026',
        'This period',
        'Compared period',
        'Bars of the first 20 of ',
      ])
        expect(svg.replaceAll('\u2009', ' ')).toContain(text);
      expect(svg.match(/<(?:rect|path)/g)?.length).toBeGreaterThan(40);
    })(),
  );

  /** It printed the rows in sight. */
  test(
    'prints all rows that were read, how many are left out, and what the figures are about',
    withExplorer({ hash: `${LARGE}&filter=keyword!=null` }, async (explorer) => {
      const { page } = explorer;
      const rows = page.locator('.scroller tbody tr:not(.spacer)');
      const filters = [{ field: 'keyword', operator: 'NOT_NULL', values: [] }];
      const { totalCount } = await askApi('pla', { ...LARGE_REQUEST, filters, pagination: { offset: 0, size: 1 } });
      expect(await rows.count()).toBeLessThan(100);
      await page.evaluate('window.print = () => { window.isPrinted = true; }');
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('button', { name: 'Print' }).click();
      await page.waitForFunction('window.isPrinted');
      expect(await rows.count()).toBe(10_000);
      const [total, left] = [totalCount, totalCount - 10_000].map((count) => count.toLocaleString('en-US'));
      await page.getByText(`Printed: the first 10,000 of ${total} rows; ${left} are left out.`).waitFor();
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByText('PLA · all 3 accounts · Keyword has a value').isVisible()).toBe(true);
      await page.emulateMedia({ media: 'screen' });
      await page.evaluate('dispatchEvent(new Event("afterprint"))');
      await expect.poll(() => rows.count()).toBeLessThan(100);
    }),
  );

  test(
    'prints every panel beside the names of its rows, on paper that is narrower than the page',
    withExplorer({ hash: `${BY_CAMPAIGN}&compare=previousPeriod` }, async (explorer) => {
      const { page } = explorer;
      await page.locator('.drawing .panel').nth(2).waitFor();
      await page.emulateMedia({ media: 'print' });
      await page.setViewportSize({ width: 740, height: 1000 });
      const tops = async () =>
        Promise.all((await page.locator('.drawing .panel').all()).map(async (panel) => (await panel.boundingBox())?.y));
      expect(new Set(await tops()).size).toBe(1);
      await explorer.shoot('print-comparison');
      await page.emulateMedia({ media: 'screen' });
      const shown = '.scroller tbody tr:not(.spacer)';
      await page.evaluate(
        `addEventListener('beforeprint', () => queueMicrotask(() => { window.printed = document.querySelectorAll('${shown}').length; }))`,
      );
      await page.pdf(); // the browser itself prints
      const rows = await page.getByRole('table').first().getAttribute('aria-rowcount'); // with header and totals
      expect(await page.evaluate('window.printed')).toBe(Number(rows) - 2);
    }),
  );

  test(
    'copies all rows of a table that the page has only in part',
    withExplorer({ hash: LARGE }, async ({ page }) => {
      await page.getByText('the page has those in sight').waitFor();
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('button', { name: 'Copy all rows' }).click();
      await page.getByText('Rows copied').waitFor();
      const [head, ...rows] = String(await page.evaluate('navigator.clipboard.readText()')).split('\n');
      const { totalCount, totals } = await askApi('pla', { ...LARGE_REQUEST, pagination: { offset: 0, size: 1 } });
      expect(head).toBe('Ad group id\tKeyword\tDay\tImpressions\tCost');
      expect(rows.length).toBe(totalCount);
      expect(rows.reduce((sum, row) => sum + Number(row.split('\t')[3]), 0)).toBe(totals.impressions);
    }),
  );

  test(
    'cancels the picture of a chart',
    withExplorer({ hash: BY_CAMPAIGN }, async ({ page }) => {
      const downloads: unknown[] = [];
      page.on('download', (file) => downloads.push(file));
      await page.evaluate(`HTMLCanvasElement.prototype.toBlob = (done) => { window.finish = () => done(new Blob()); }`);
      await page.locator('.drawing svg').first().waitFor();
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('button', { name: 'Chart as PNG' }).click();
      await page.waitForFunction('window.finish !== undefined');
      await page.keyboard.press('Escape'); // closes the menu, which may cover the button
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.evaluate('window.finish()');
      await page.getByText('PNG not downloaded: cancelled').waitFor();
      expect(downloads).toEqual([]);
    }),
  );

  test(
    'copies the question as curl, which another program runs with a key of its own',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('button', { name: 'Copy as code' }).click();
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      const command = String(await page.evaluate('navigator.clipboard.readText()'));
      expect(command).not.toContain(KEY);
      expect(command).toContain('"startDate": "latest-27d"');
      const cwd = mkdtempSync(join(tmpdir(), 'endcap-curl-'));
      const env = { ...process.env, ENDCAP_KEY: KEY };
      const paged = command.replace('"size": 100000', '"size": 5');
      const { stdout } = await promisify(execFile)('sh', ['-c', paged], { cwd, env });
      const [head, ...lines] = readFileSync(join(cwd, 'report.csv'), 'utf8').trimEnd().split('\r\n');
      rmSync(cwd, { recursive: true });
      const { data } = await askApi('pla', REQUEST);
      expect(head).toBe('campaign_name,cost,clicks,halo_roas');
      expect(lines.map((line) => Number(line.split(',').at(-2)))).toEqual(data.map(({ clicks }) => clicks));
      expect(stdout).toBe(`report.csv has the rows of ${data.length}\n`);
      for (const language of ['JSON body', 'Python', 'TypeScript']) {
        await page.getByText(language, { exact: true }).click();
        const code = await page.getByRole('region', { name: 'Code' }).textContent();
        expect(code).toContain('"halo_roas"');
        expect(code).toContain('"latest-27d"');
      }
      await page.getByText('URL', { exact: true }).click();
      const url = (await page.getByRole('region', { name: 'Code' }).textContent()) ?? '';
      expect(url).not.toContain(KEY);
      const csv = await (await fetch(url.replace('subscription-key=KEY', `subscription-key=${KEY}`))).text();
      expect(csv.trimEnd().split('\r\n')).toEqual([head, ...lines]);
      await explorer.shoot('copy-as');
    }),
  );

  test(
    'sends a link that holds the whole question and never the key',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByLabel(/^Days/).selectOption('Last 7 days');
      await page.getByLabel('Compare with').selectOption('previousPeriod');
      await page.getByRole('button', { name: 'Clicks', exact: true }).click();
      await explorer.settle();
      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByText('Link copied; its period “Last 7 days” moves with the data').waitFor();
      const link = String(await page.evaluate('navigator.clipboard.readText()'));
      expect(link).not.toContain('ecap_');
      expect(new URL(link).search).toBe('');
      const other = await openExplorer({ hash: new URL(link).hash });
      expect(await shownRows(other)).toEqual(await shownRows(explorer));
      expect(await other.page.getByLabel('Compare with').inputValue()).toBe('previousPeriod');
      await other.close();
      await page.goBack();
      await explorer.settle();
      expect(await page.getByRole('columnheader', { name: /^Cost/ }).getAttribute('aria-sort')).toBe('descending');
    }),
  );

  test(
    'saves a question in the browser, finds it after a reload, and deletes it',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('dialog input:focus').waitFor();
      await page.keyboard.type('My campaigns');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Save');
      await openQuestion(explorer, 'Pacing');
      await page.reload();
      await explorer.settle();
      await page.getByRole('button', { name: 'All questions' }).click();
      await page.getByRole('button', { name: 'Rename the saved question My campaigns' }).click();
      await page.getByLabel('Name', { exact: true }).fill('All my campaigns');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'All questions' }).click();
      await page.getByRole('searchbox', { name: 'Search questions' }).fill('ALL MY');
      await explorer.shoot('all-questions');
      expect(await explorer.violations()).toEqual([]);
      expect(await page.locator('.questions [popover] [aria-pressed]').allTextContents()).toEqual(['All my campaigns']);
      await openQuestion(explorer, 'All my campaigns');
      const { totals } = await askApi('pla', REQUEST);
      expect(await page.locator('[data-total=cost]').textContent()).toBe(format('money', totals.cost));
      expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('ecap_');
      await page.getByRole('button', { name: 'All questions' }).click();
      page.once('dialog', (dialog) => dialog.accept());
      await page.getByRole('button', { name: 'Delete the saved question All my campaigns' }).click();
      await page.getByRole('button', { name: 'All questions' }).click();
      expect(await page.getByText('All my campaigns').count()).toBe(0);
    }),
  );
});

async function download({ page }: Explorer, button: string): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}
