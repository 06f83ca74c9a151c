import { describe, expect, test } from 'vitest';
import { askApi, format, KEY, PATIENT, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

const withWeekday = (day: string) =>
  `${new Date(`${day}, 2026`).toLocaleDateString('en-US', { weekday: 'short' })}, ${day}`;

describe('an operator', () => {
  /** Each focus of the window sent two reports per experience. */
  test(
    'reads the days again when the window gets the focus, but not within a minute',
    withExplorer({ hash: '#/data' }, async (explorer) => {
      const { page } = explorer;
      await page.getByRole('button', { name: 'Refresh', disabled: false }).waitFor();
      let reports = 0;
      page.on('request', (request) => {
        reports += request.url().includes('/report/') ? 1 : 0;
      });
      await page.evaluate('for (let count = 0; count < 5; count++) window.dispatchEvent(new Event("focus"))');
      await page.evaluate('{ const { now } = Date; Date.now = () => now() + 60_000; }');
      await page.waitForTimeout(300);
      expect(reports).toBe(0);
      await page.evaluate('for (let count = 0; count < 5; count++) window.dispatchEvent(new Event("focus"))');
      await expect.poll(() => reports, PATIENT).toBe(6); // two per experience
      await page.getByRole('button', { name: 'Refresh', disabled: false }).waitFor();
    }),
  );

  test(
    'reads the days again after midnight',
    withExplorer({ hash: '#/data' }, async ({ page }) => {
      await page.clock.install();
      await page.reload();
      await page.getByRole('button', { name: 'Refresh', disabled: false }).waitFor();
      const again = page.waitForRequest('**/report/toa', PATIENT);
      await page.clock.fastForward('24:00:00');
      expect((await again).method()).toBe('POST');
      await page.getByRole('button', { name: 'Refresh', disabled: false }).waitFor();
    }),
  );

  test(
    'sees at once on which day no data has arrived, or only a part of it',
    withExplorer({ key: null }, async (explorer) => {
      const { page } = explorer;
      // the demo network has no gap, so one day is taken out of the response of the API
      await page.route('**/report/toa', async (route) => {
        const response = await route.fetch();
        const report = await response.json();
        report.data = report.data.filter((row: { daily_date?: string }) => row.daily_date !== '2026-02-11');
        for (const row of report.data)
          if (row.daily_date === '2026-02-18' && 'halo_exposed_transactions' in row) row.halo_exposed_transactions = 0;
        await route.fulfill({ response, json: report });
      });
      await page.getByRole('button', { name: 'ecap_demo_agency' }).click();
      await explorer.settle();
      await page.getByRole('link', { name: 'Data' }).click();
      const toa = page.getByRole('region', { name: 'TOA', exact: true });
      await toa.waitFor();
      expect(await toa.textContent()).toContain('1 day without delivery: Feb 11, 2026');
      expect(await page.locator('td.gap').getAttribute('data-day')).toBe('2026-02-11');
      expect(await toa.textContent()).toContain('1 partial day: Feb 18, 2026 (no conversions)');
      expect(await toa.locator('td.partial').getAttribute('title')).toContain('(partial: no conversions)');
      const { data } = await askApi('pla', {
        startDate: '2026-02-11',
        endDate: '2026-02-11',
        metrics: ['impressions'],
      });
      const day = page.getByRole('region', { name: 'PLA', exact: true }).locator('[data-day="2026-02-11"]');
      expect(await day.getAttribute('title')).toContain(
        `Wed, Feb 11, 2026: ${format('count', data[0]?.impressions)} impressions`,
      );
      await explorer.shoot('data');
      const [again] = await Promise.all([
        page.waitForRequest('**/report/carousel'),
        page.getByRole('button', { name: 'Refresh' }).click(),
      ]);
      expect(again.postDataJSON()).toMatchObject({ dimensions: expect.arrayContaining(['daily_date']) });
      await expect.poll(() => page.getByRole('button', { name: 'Refresh' }).isEnabled(), PATIENT).toBe(true);
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('link', { name: 'Report' }).click();
      await explorer.settle();
    }),
  );

  test(
    'sees first what has arrived of the latest days by experience, also on a phone',
    withExplorer({ key: null, hash: '#/data', viewport: { width: 390, height: 844 } }, async (explorer) => {
      const { page } = explorer;
      await page.route('**/report/toa', async (route) => {
        const response = await route.fetch();
        const report = await response.json();
        report.data = report.data.filter((row: { daily_date?: string }) => row.daily_date !== '2026-02-28');
        await route.fulfill({ response, json: report });
      });
      await page.getByRole('button', { name: KEY }).click();
      const latest = page.getByRole('region', { name: 'Latest days' });
      await latest.waitFor();
      expect(await page.locator('main section.card').first().getAttribute('aria-label')).toBe('Latest days');
      const days = await latest.locator('tbody th').allInnerTexts();
      expect(days).toEqual(['Mar 4', 'Mar 3', 'Mar 2', 'Mar 1', 'Feb 28', 'Feb 27', 'Feb 26'].map(withWeekday));
      const day = { startDate: '2026-02-28', endDate: '2026-02-28' };
      const { totals, totalCount } = await askApi('pla', {
        ...day,
        metrics: ['impressions'],
        dimensions: ['advertiser_id'],
      });
      const cells = await latest.locator('tbody tr').nth(4).locator('td').allInnerTexts();
      const pla = `${format('count', totals.impressions)}\n\n${totalCount} advertisers`;
      expect(cells.slice(0, 2)).toEqual([pla, 'no delivery']);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(await explorer.violations()).toEqual([]);
      await explorer.shoot('data-phone');
      await page.unrouteAll({ behavior: 'wait' });
    }),
  );

  /** The reports of the campaign overview were sent as well, which are charged and were not shown. */
  test(
    'opens the page without a report that it does not show; a report that was shown is kept',
    withExplorer({ key: null, hash: '#/data' }, async (explorer) => {
      const { page } = explorer;
      const dimensions: string[] = [];
      await page.route('**/report/*', (route) => {
        dimensions.push(route.request().postDataJSON().dimensions.join());
        return route.continue();
      });
      await page.getByRole('button', { name: KEY }).click();
      await page.getByRole('button', { name: 'Refresh', disabled: false }).waitFor();
      await page.locator('.calendar').nth(2).waitFor();
      const perExperience = ['daily_date', 'daily_date,advertiser_id'];
      expect(dimensions.sort()).toEqual(perExperience.flatMap((names) => [names, names, names]));
      const overviews = () => dimensions.filter((names) => names === 'campaign_name,campaign_id').length;
      await page.getByRole('link', { name: 'Report' }).click();
      await explorer.settle();
      expect(overviews()).toBe(1);
      await page.getByRole('link', { name: 'Data' }).click();
      await page.locator('.calendar').first().waitFor();
      await page.getByRole('link', { name: 'Report' }).click();
      await explorer.settle();
      expect(overviews()).toBe(1);
      await page.unrouteAll({ behavior: 'wait' });
    }),
  );

  test(
    'sees through which day data is complete, also if that day is not in the calendar',
    withExplorer({ key: null, hash: '#/data' }, async (explorer) => {
      const { page } = explorer;
      await page.route('**/report/toa', async (route) => {
        const response = await route.fetch();
        const report = await response.json();
        report.data = report.data.filter((row: { daily_date?: string }) => row.daily_date === '2026-03-01');
        report.meta.dataCompleteThrough = '2999-12-31';
        await route.fulfill({ response, json: report });
      });
      await page.getByRole('button', { name: KEY }).click();
      const summary = (name: string) => page.getByRole('region', { name, exact: true }).locator('.hint').textContent();
      expect(await summary('TOA')).toContain('1 day with data · the latest is Mar 1, 2026, ');
      expect(await summary('TOA')).toMatch(/data through Dec 31, 2999(?! \(outlined\))/);
      expect(await summary('PLA')).toContain('data through Mar 1, 2026 (outlined)');
      await page.unrouteAll({ behavior: 'wait' });
    }),
  );
});
