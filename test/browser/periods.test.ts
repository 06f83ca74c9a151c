import { describe, expect, test } from 'vitest';
import { formatDay, todayIn } from '../../shared/lib/calendar.ts';
import {
  askApi,
  BEFORE_28,
  BY_CAMPAIGN,
  format,
  METRICS,
  PATIENT,
  scrollRows,
  shownRows,
  useBrowser,
  withExplorer,
} from './explorer-page.ts';

useBrowser();

describe('somebody who looks at periods', () => {
  test(
    'compares with the period before: difference and percentage are those of two reports',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByLabel('Compare with').selectOption('previousPeriod');
      await explorer.settle();
      const request = { metrics: ['cost'], dimensions: ['campaign_name'], sort: [{ field: 'cost', order: 'DESC' }] };
      const [now, before] = await Promise.all([askApi('pla', request), askApi('pla', { ...request, ...BEFORE_28 })]);
      const earlier = new Map(before.data.map((row) => [row.campaign_name, row.cost]));
      const row = now.data.find(({ campaign_name, cost }) => earlier.has(campaign_name ?? null) && Number(cost) > 0);
      const [cost, previous] = [Number(row?.cost), Number(earlier.get(row?.campaign_name ?? null))];
      const cell = page
        .locator('.scroller tbody tr', { hasText: String(row?.campaign_name) })
        .locator('[data-field=cost] small');
      const sign = cost < previous ? '−' : '+';
      const difference = format('money', Math.abs(cost - previous));
      const fraction = Math.abs((cost - previous) / previous) * 100;
      const percent = fraction < 10 ? String(Math.round(fraction * 10) / 10) : String(Math.round(fraction));
      expect(await cell.textContent()).toBe(`${sign}${difference} (${sign}${percent}%)`);
      expect(await cell.locator('..').getAttribute('title')).toBe(`Compared: ${format('money', previous)}`);
      expect(await page.locator('.facts').textContent()).toContain('Jan 5 – Feb 1, 2026');
    }),
  );

  test(
    'reads in the chart, without hovering, each value at the end of its own bar',
    withExplorer({ hash: `${BY_CAMPAIGN}&compare=previousPeriod` }, async ({ page }) => {
      await page.locator('.drawing svg').first().waitFor();
      const request = { metrics: METRICS, dimensions: ['campaign_name'], sort: [{ field: 'cost', order: 'DESC' }] };
      const [now, before] = await Promise.all([askApi('pla', request), askApi('pla', { ...request, ...BEFORE_28 })]);
      const earlier = new Map(before.data.map((row) => [row.campaign_name, row.cost]));
      const drawn = now.data.slice(0, 20);
      const panel = page.locator('.drawing svg').first();
      const [current, previous] = [panel.locator('.part-text').nth(0), panel.locator('.part-text').nth(1)];
      expect(await current.locator('text').allTextContents()).toEqual(drawn.map(({ cost }) => format('money', cost)));
      expect(await previous.locator('text').allTextContents()).toEqual(
        drawn.map(({ campaign_name: name }) => format('money', earlier.get(name ?? null) ?? 0)),
      );
      // a campaign that had a higher cost before: its label must not stand at the end of the longer bar
      const index = drawn.findIndex(
        ({ campaign_name: name, cost }) => Number(earlier.get(name ?? null)) > 2 * Number(cost),
      );
      expect(index).toBeGreaterThanOrEqual(0);
      const label = await current.locator('text').nth(index).boundingBox();
      const bar = await panel.locator('.part-bar').nth(0).locator('path, rect').nth(index).boundingBox();
      if (label === null || bar === null) throw new Error('the bar is not shown');
      expect(Math.abs(label.x - bar.x - bar.width)).toBeLessThan(12);
    }),
  );

  test(
    'opens a link with relative dates, which stay relative until one of them is changed',
    withExplorer(
      { hash: BY_CAMPAIGN.replace('latest-27d&end=latest', 'startOfYear-1y&end=endOfYear-1y') },
      async (explorer) => {
        const { page } = explorer;
        const year = Number(formatDay(todayIn('America/New_York')).slice(0, 4)) - 1;
        const dates = () =>
          Promise.all(['From', 'To'].map((label) => page.getByRole('textbox', { name: label }).inputValue()));
        expect(await dates()).toEqual([`${year}-01-01`, `${year}-12-31`]);
        await page.getByLabel('Compare with').selectOption('previousPeriod');
        await explorer.settle();
        expect(page.url()).toContain('start=startOfYear-1y&end=endOfYear-1y');
        await page.getByRole('textbox', { name: 'From' }).fill(`${year}-12-01`);
        await explorer.settle();
        expect(page.url()).toContain(`start=${year}-12-01&end=${year}-12-31`);
      },
    ),
  );

  test(
    'reads the names of weekdays in their order, and quarters by their number',
    withExplorer({ hash: BY_CAMPAIGN.replace('campaign_name', 'weekday,quarter_date') }, async (explorer) => {
      const rows = await shownRows(explorer);
      expect(rows.map(([weekday, quarter]) => `${weekday} ${quarter}`)).toEqual(
        ['Mon', 'Tues', 'Wednes', 'Thurs', 'Fri', 'Satur', 'Sun'].map((name) => `${name}day Q1 2026`),
      );
      await explorer.shoot('weekdays');
    }),
  );

  /** An open tab kept yesterday's figures under “Last 28 days”. */
  test(
    'gets the figures of the new day after midnight, and of new data with another click on a question',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      const isReport = { timeout: 60_000 };
      await page.clock.install();
      await page.reload();
      await explorer.settle();
      const afterMidnight = page.waitForRequest('**/report/pla', isReport);
      await page.clock.fastForward('24:00:00');
      await afterMidnight;
      await explorer.settle();
      await page.getByRole('button', { name: 'Reach and frequency', exact: true }).click();
      await explorer.settle();
      const again = page.waitForRequest('**/report/pla', isReport);
      await page.getByRole('button', { name: 'Reach and frequency', exact: true }).click();
      expect((await again).method()).toBe('POST');
      await explorer.settle();
    }),
  );

  test(
    'reads on which day periods end',
    withExplorer({ hash: BY_CAMPAIGN }, async ({ page }) => {
      const hint = page.getByText('Periods end no later than Mar 1, 2026, the day through which data is complete.');
      expect(await hint.count()).toBe(1);
      expect(await page.getByLabel(/^Days/).locator('option').first().textContent()).toBe('Last complete day');
    }),
  );

  test(
    'sees a day without delivery as a gap',
    withExplorer({ key: null }, async (explorer) => {
      const { page } = explorer;
      // the demo network has no gap, so two days are taken out of the response of the API
      await page.route('**/report/pla', async (route) => {
        const response = await route.fetch();
        const report = await response.json();
        const gaps = ['2026-02-11', '2026-02-12'];
        report.meta.data.gaps = [{ from: gaps[0], through: gaps[1] }];
        const kept = report.data.filter((row: { daily_date?: string }) => !gaps.includes(row.daily_date ?? ''));
        report.totalCount -= report.data.length - kept.length;
        report.data = kept;
        await route.fulfill({ response, json: report });
      });
      await page.getByRole('button', { name: 'ecap_demo_agency' }).click();
      await explorer.settle();
      await page.getByRole('button', { name: 'Trend by day', exact: true }).click();
      await explorer.settle();
      expect(await page.locator('.facts').textContent()).toContain('Data throughMar 1, 2026');
      const line = page.locator('.drawing svg').first().locator('.part-line path').last();
      expect((await line.getAttribute('d'))?.match(/M/g)?.length).toBe(2); // before and after the gap
      await explorer.shoot('missing-days');
      await page.unrouteAll({ behavior: 'wait' });
    }),
  );

  test(
    'sorts by the change with the third click on a title',
    withExplorer({ hash: `${BY_CAMPAIGN}&compare=previousPeriod` }, async (explorer) => {
      for (let click = 0; click < 2; click++) {
        await explorer.page.getByRole('columnheader', { name: /^Cost/ }).getByRole('button').click();
        await explorer.settle();
      }
      expect(explorer.page.url()).toContain('sort=-cost:change');
      const request = { metrics: ['cost'], dimensions: ['campaign_name'], compare: 'previousPeriod' };
      const { data } = await askApi('pla', { ...request, sort: [{ field: 'cost', order: 'DESC', by: 'change' }] });
      const rows = await shownRows(explorer);
      expect(rows.map(([name]) => name)).toEqual(data.slice(0, rows.length).map((row) => row.campaign_name));
      await explorer.shoot('sorted-by-change');
    }),
  );

  test(
    'sees a campaign that only the compared period has, with sums of 0',
    withExplorer({ hash: `${BY_CAMPAIGN}&compare=previousPeriod` }, async (explorer) => {
      const request = { metrics: METRICS, dimensions: ['campaign_name'] };
      const [now, before] = await Promise.all([askApi('pla', request), askApi('pla', { ...request, ...BEFORE_28 })]);
      const current = new Set(now.data.map((row) => row.campaign_name));
      const ended = before.data.filter((row) => !current.has(row.campaign_name)).map((row) => row.campaign_name);
      await scrollRows(explorer, 'element.scrollHeight');
      const last = explorer.page.locator(`.scroller tr[aria-rowindex="${now.totalCount + ended.length + 1}"]`);
      await expect.poll(() => last.count(), PATIENT).toBe(1);
      const rows = await shownRows(explorer);
      const withoutCost = rows.filter(([, cost]) => cost?.startsWith('$0.00')).map(([name]) => name);
      expect(withoutCost).toEqual(expect.arrayContaining(ended));
      expect(ended.length).toBeGreaterThan(0);
      expect(rows.at(-1)?.slice(1)).toEqual(['$0.00', '0', '–']);
      const all = String(now.totalCount + ended.length + 2); // with the header and the totals, which are the last row
      const table = explorer.page.locator('.scroller table');
      expect(await table.getAttribute('aria-rowcount')).toBe(all);
      expect(await table.locator('tfoot tr').getAttribute('aria-rowindex')).toBe(all);
    }),
  );
});
