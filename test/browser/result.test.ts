import { describe, expect, test } from 'vitest';
import { MAX_PAGE_SIZE } from '../../shared/contract/report/report-limits.ts';
import {
  askApi,
  BY_CAMPAIGN,
  format,
  KEY,
  METRICS,
  PATIENT,
  scrollRows,
  shownRows,
  shownTotals,
  useBrowser,
  withExplorer,
} from './explorer-page.ts';

useBrowser();

/** More rows than one page has. */
const BY_HOUR = '#/report?v=1&experience=pla&start=latest-27d&end=latest&metrics=impressions&by=daily_date,hour';
const BY_ENTITY_KEYWORD_DAY =
  '#/report?v=1&experience=pla&start=latest-89d&end=latest&metrics=impressions&by=entity_name,keyword,daily_date';

describe('somebody who reads the result', () => {
  test(
    'sorts by a column with a click, and in the other order with the next',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      for (const order of ['DESC', 'ASC'] as const) {
        await page.getByRole('button', { name: 'Clicks', exact: true }).click();
        await explorer.settle();
        const { data } = await askApi('pla', {
          metrics: METRICS,
          dimensions: ['campaign_name'],
          sort: [{ field: 'clicks', order }],
        });
        expect((await shownRows(explorer)).map(([name, , clicks]) => [name, clicks])).toEqual(
          data.map((row) => [row.campaign_name, format('count', row.clicks)]),
        );
        const sorted = page.getByRole('columnheader', { name: /^Clicks/ });
        expect(await sorted.getAttribute('aria-sort')).toBe(order === 'DESC' ? 'descending' : 'ascending');
      }
    }),
  );

  test(
    'sees what the operator states about how figures are made',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.route('**/report/**', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const cost = { tax: 'excluded', discounts: null };
        const stated = {
          clickDays: 14,
          countedOn: 'conversionDay',
          model: null,
          cost,
          link: 'https://example.com/method',
        };
        await route.fulfill({
          response,
          json: { ...body, meta: { ...body.meta, attribution: { ...body.meta.attribution, ...stated } } },
        });
      });
      await page.getByRole('button', { name: 'Clicks', exact: true }).click();
      await explorer.settle();
      const facts = page.locator('dl.facts');
      await facts.getByText('Clicks count for').waitFor();
      const text = (await facts.locator('dt, dd').allInnerTexts()).join(' ');
      for (const shown of [
        'Clicks count for 14 days',
        'Counted on day of the conversion',
        'Cost tax excluded',
        'Method example.com',
      ])
        expect(text.toLowerCase()).toContain(shown.toLowerCase());
      expect(text).not.toContain('Model');
      await explorer.shoot('method');
    }),
  );

  test(
    'sees metrics of different units on panels of their own, and values on hover',
    withExplorer(
      {
        hash: '#/report?v=1&experience=pla&start=latest-27d&end=latest&compare=previousPeriod&metrics=cost,halo_revenue,halo_roas&by=daily_date',
      },
      async (explorer) => {
        const { page } = explorer;
        const panels = page.locator('.drawing .panel');
        await panels.nth(1).waitFor();
        expect(await page.locator('.panel-title').allInnerTexts()).toEqual([
          'Cost, Revenue (click) (USD)',
          'Return on ad spend (click)',
        ]);
        const { data } = await askApi('pla', { metrics: ['halo_roas'], dimensions: ['daily_date'] });
        const box = await panels.nth(1).locator('svg').boundingBox();
        if (box === null) throw new Error('the second panel is not shown');
        // the first day, right of the axis
        await page.mouse.move(box.x + 56, box.y + box.height / 2);
        await page.mouse.move(box.x + 58, box.y + box.height / 2 + 4);
        const tip = panels.nth(1).locator('[aria-label=tip]');
        await expect.poll(() => tip.textContent()).toContain(format('ratio', data[0]?.halo_roas));
        expect(await tip.textContent()).toContain('Mon, Feb 2, 2026');
        await explorer.shoot('trend');
      },
    ),
  );

  test(
    'sees hours against days as a heat map, and changes it to stacked bars',
    withExplorer({ hash: BY_HOUR }, async (explorer) => {
      const { page } = explorer;
      const { totalCount } = await askApi('pla', { metrics: ['impressions'], dimensions: ['daily_date', 'hour'] });
      await page.getByRole('heading', { name: 'Heat map' }).waitFor();
      await expect.poll(() => page.locator('.drawing .part-cell rect').count()).toBe(totalCount + 5); // five steps of the legend
      await explorer.shoot('heat-map');
      await page.getByRole('combobox', { name: 'Chart' }).selectOption('stack');
      await page.getByRole('heading', { name: 'Stacked bars' }).waitFor();
      expect(page.url()).toContain('chart=stack');
    }),
  );

  test(
    'sees a warning, and removes the dimension that causes it with one click',
    withExplorer(
      { hash: '#/report?v=1&experience=pla&start=latest-27d&end=latest&metrics=impressions,time_live&by=placement' },
      async (explorer) => {
        const { page } = explorer;
        const warnings = page.getByRole('region', { name: 'Warnings' });
        expect(await warnings.textContent()).toContain('Time live is undefined');
        expect((await shownRows(explorer)).map((row) => row.at(-1))).toEqual(Array(6).fill('–'));
        await page.getByText('– means no value; the reason for a missing figure appears on hover.').waitFor();
        expect(await page.locator('[data-field=time_live]').first().getAttribute('title')).toContain(
          'Time live is undefined',
        );
        await warnings.getByRole('button', { name: 'Remove Placement' }).click();
        await explorer.settle();
        const { totals } = await askApi('pla', { metrics: ['time_live'] });
        expect(await page.locator('[data-total=time_live]').textContent()).toBe(format('percent', totals.time_live));
        expect(await warnings.count()).toBe(0);
      },
    ),
  );

  test(
    'finds each of up to 2,000 rows in the page',
    withExplorer({ hash: BY_HOUR }, async ({ page }) => {
      const { totalCount } = await askApi('pla', { metrics: ['impressions'], dimensions: ['daily_date', 'hour'] });
      expect(totalCount).toBeGreaterThan(500);
      expect(await page.locator('.scroller tbody tr').count()).toBe(totalCount);
    }),
  );

  test(
    'scrolls through more than 10,000 rows, of which only those in sight are in the document',
    withExplorer({ hash: BY_ENTITY_KEYWORD_DAY }, async (explorer) => {
      const { page } = explorer;
      const request = {
        startDate: '2025-12-02',
        metrics: ['impressions'],
        dimensions: ['entity_name', 'keyword', 'daily_date'],
        sort: [{ field: 'daily_date', order: 'ASC' }],
      };
      const { data, totalCount } = await askApi('pla', request);
      expect(totalCount).toBeGreaterThan(10_000);
      await scrollRows(explorer, '30 * 9000'); // a row is 30 pixels high; the header is row 1 of 9002
      await expect.poll(() => page.locator('.scroller tr[aria-rowindex="9002"]').count(), PATIENT).toBe(1);
      expect(await page.locator('.scroller tbody tr').count()).toBeLessThan(100);
      const cells = await page.locator('.scroller tr[aria-rowindex="9002"] :is(th, td)').allInnerTexts();
      expect(cells.at(-1)).toBe(format('count', data[9000]?.impressions));
      await scrollRows(explorer, 'element.scrollHeight');
      // the next page has made the list longer
      await expect
        .poll(() => page.evaluate("document.querySelector('.scroller').scrollHeight"), PATIENT)
        .toBeGreaterThan(30 * 10_500);
    }),
  );

  test(
    'sees that a further page cannot be read, which is not requested again before “Try again”',
    withExplorer({ hash: BY_ENTITY_KEYWORD_DAY }, async (explorer) => {
      const { page } = explorer;
      let sent = 0;
      await page.route('**/report/pla', (route) => {
        sent++;
        return route.fulfill({ status: 500, body: '' });
      });
      await scrollRows(explorer, 'element.scrollHeight');
      await page.getByRole('alert').waitFor();
      await page.waitForTimeout(1_000); // in which further requests would be sent
      expect(sent).toBe(1);
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('alert').waitFor({ state: 'detached' });
    }),
  );

  test(
    'sees that data was loaded between two pages, whose rows would not fit together, and reads the report again',
    withExplorer({ hash: BY_ENTITY_KEYWORD_DAY }, async (explorer) => {
      const { page } = explorer;
      const alert = page.getByRole('alert');
      const lastRow = () => page.locator('tbody tr[data-index]').last().getAttribute('data-index').then(Number);
      await page.route('**/report/pla', async (route) => {
        const response = await route.fetch();
        const report = await response.json();
        report.meta.dataVersion += '-next';
        await route.fulfill({ response, json: report });
      });
      await scrollRows(explorer, 'element.scrollHeight');
      await alert.waitFor();
      expect(await alert.textContent()).toContain('New data was loaded while the pages of the report were read');
      await scrollRows(explorer, 'element.scrollHeight');
      await expect.poll(lastRow, PATIENT).toBe(MAX_PAGE_SIZE - 1);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await alert.waitFor({ state: 'detached' });
      await scrollRows(explorer, 'element.scrollHeight');
      await expect.poll(lastRow, PATIENT).toBeGreaterThanOrEqual(MAX_PAGE_SIZE); // the next page is of the same data as the new first one
      await page.unrouteAll({ behavior: 'wait' });
    }),
  );

  test(
    'hides columns',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      const header = page.getByRole('columnheader', { name: /^Cost/ });
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'Cost' }).uncheck();
      expect(await header.count()).toBe(0);
      expect((await shownTotals(explorer)).length).toBe(3);
    }),
  );

  test(
    'reads counts of one in the singular, and that there is no data rather than that it ends too early',
    withExplorer({ key: null, hash: '#/report?v=1&metrics=cost&start=2026-02-02&end=2026-03-01' }, async (explorer) => {
      const { page } = explorer;
      await page.route('**/report/pla', async (route) => {
        const response = await route.fetch();
        const report = await response.json();
        Object.assign(report.meta, { dataCompleteThrough: null });
        report.meta.attribution.windowDays = 1;
        await route.fulfill({ response, json: report });
      });
      await page.route('**/metadata/advertisers?*', async (route) => {
        const response = await route.fetch();
        const listing = await response.json();
        await route.fulfill({ response, json: { ...listing, data: listing.data.slice(0, 1), totalCount: 1 } });
      });
      await page.getByRole('button', { name: KEY }).click();
      await explorer.settle();
      const facts = page.locator('.facts');
      expect(await facts.textContent()).toContain('Data throughno dataTime zone');
      expect(await facts.textContent()).toContain('1 day, ');
      expect(await page.getByRole('status').filter({ hasText: /row/ }).allTextContents()).toEqual(['1 row']);
      await page.getByLabel('Account').selectOption({ index: 1 });
      await page.getByText('1 advertiser', { exact: true }).waitFor();
      await explorer.settle();
      await page.unrouteAll({ behavior: 'wait' });
    }),
  );

  test(
    'sees which days may still change',
    withExplorer(
      { key: null, hash: '#/report?v=1&metrics=cost&by=daily_date&start=2026-02-20&end=2026-03-01' },
      async (explorer) => {
        const { page } = explorer;
        await page.route('**/report/pla', async (route) => {
          const response = await route.fetch();
          const report = await response.json();
          Object.assign(report.meta, { dataFinalThrough: '2026-02-27' });
          await route.fulfill({ response, json: report });
        });
        await page.getByRole('button', { name: KEY }).click();
        await explorer.settle();
        expect(await page.locator('.facts').textContent()).toContain('Feb 27, 2026 – later days (*) may still change');
        expect(await page.locator('.may-change').allTextContents()).toEqual(['Feb 28, 2026', 'Mar 1, 2026']);
        const marked = page.locator('.panel').getByText(/\*$/);
        expect(await marked.allTextContents()).toEqual(['Feb 28 *', 'Mar 1 *']);
        await page.unrouteAll({ behavior: 'wait' });
      },
    ),
  );

  test.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)(
    'sees which filter leaves no rows, and which values there are, %i pixels wide, %s',
    (width, colorScheme) =>
      withExplorer(
        {
          hash: `${BY_CAMPAIGN}&filter=cost>1000000`,
          colorScheme,
          viewport: { width, height: 844 },
        },
        async (explorer) => {
          const { page } = explorer;
          await page.getByText('The filter by Cost leaves no row. Its values are 0 to 1,821.02.').waitFor();
          await explorer.shoot(`empty-${width}-${colorScheme}`);
          expect(await explorer.violations()).toEqual([]);
        },
      )(),
  );
});
