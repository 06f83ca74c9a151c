import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ReportResultResponse } from '../../shared/contract/report/report-response.ts';
import { askApi, BY_CAMPAIGN, openQuestion, PATIENT, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

describe('somebody who reads a chart', () => {
  test(
    'sees every hour in small multiples',
    withExplorer(
      {
        hash: '#/report?v=1&experience=pla&start=latest-27d&end=latest&metrics=impressions&by=placement,hour&chart=multiples',
      },
      async ({ page }) => {
        const { data } = await askApi('pla', { metrics: ['impressions'], dimensions: ['placement', 'hour'] });
        await expect.poll(() => page.locator('.drawing .part-bar :is(rect, path)').count(), PATIENT).toBe(data.length);
      },
    ),
  );

  test(
    'compares small multiples of categories: all bars have the same scale',
    withExplorer(
      {
        hash: '#/report?v=1&experience=pla&start=latest-27d&end=latest&metrics=cost&by=placement,campaign_name&chart=multiples',
      },
      async ({ page, shoot }) => {
        await page.locator('.drawing .panel').nth(7).waitFor();
        const scales = [];
        for (const panel of await page.locator('.drawing .panel').all()) {
          const texts = await panel.locator('.part-text text').allTextContents();
          for (const [index, bar] of (await panel.locator('.part-bar :is(rect, path)').all()).entries()) {
            const { width } = (await bar.boundingBox()) ?? { width: 0 };
            if (width > 20) scales.push(width / Number(texts[index]?.replace(/[$,]/g, '')));
          }
        }
        expect(scales.length).toBeGreaterThan(8);
        expect(Math.max(...scales) / Math.min(...scales)).toBeLessThan(1.1); // pixels are rounded
        await shoot('multiples-of-bars');
      },
    ),
  );

  test(
    'sees ids in a heat map one below the other, not every number between them',
    withExplorer(
      {
        hash: '#/report?v=1&experience=pla&start=latest-27d&end=latest&metrics=clicks&by=placement,entity_id&chart=heat',
      },
      async ({ page, shoot }) => {
        await page.locator('.drawing svg').first().waitFor();
        const { data } = await askApi('pla', {
          metrics: ['clicks'],
          dimensions: ['placement', 'entity_id'],
          sort: [{ field: 'clicks', order: 'DESC' }],
        });
        const ids = [...new Set(data.map((row) => String(row.entity_id)))];
        const shown = await page
          .locator('.drawing svg')
          .first()
          .locator('[class="part-y-axis tick label"] text')
          .allTextContents();
        expect(shown.sort()).toEqual(ids.slice(0, 40).sort());
        await shoot('heat-of-ids');
      },
    ),
  );

  test(
    'reads why a chart cannot be drawn, and cannot export the last one, until another is drawn',
    withExplorer(
      { hash: '#/report?v=1&experience=pla&start=latest-27d&end=latest&metrics=clicks&by=daily_date,hour&chart=stack' },
      async ({ page }) => {
        const picture = page.getByRole('button', { name: 'Chart as PNG' });
        const kind = page.getByRole('combobox', { name: 'Chart' });
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await expect.poll(() => picture.isEnabled(), PATIENT).toBe(true);
        // a heat map reads its colours from the page's style
        await page.evaluate(
          'window.read = getComputedStyle; getComputedStyle = (element) => { if (element !== document.body) throw new Error("no style"); return read(element); }',
        );
        await kind.selectOption('heat');
        await page.getByText('The chart cannot be drawn: no style.').waitFor();
        expect([await page.locator('.drawing svg').count(), await picture.isEnabled()]).toEqual([0, false]);
        await page.evaluate('getComputedStyle = window.read');
        await kind.selectOption('stack');
        await page.locator('.drawing svg').first().waitFor();
        expect(await page.getByText('The chart cannot be drawn').count()).toBe(0);
      },
    ),
  );

  test(
    'sees credits left of zero in bars, below it in a scatter plot, and as the beginning of a heat map’s scale',
    withExplorer({}, async (explorer) => {
      const { page } = explorer;
      await page.route('**/report/pla', async (route) => {
        const response = await route.fetch();
        const report = (await response.json()) as ReportResultResponse; // the API's contract
        const data = report.data.map((row, at) => (at % 3 === 1 ? { ...row, cost: 0 - Number(row.cost) } : row));
        await route.fulfill({ response, json: { ...report, data } });
      });
      const open = async (fields: string) => {
        await page.evaluate(
          `location.hash = '#/report?v=1&experience=pla&start=latest-27d&end=latest&metrics=cost${fields}'`,
        );
        await explorer.settle();
        await page.locator('.drawing svg').first().waitFor();
      };
      const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { x: 0, width: 0, y: 0, height: 0 };

      await open('&by=campaign_name&chart=bar');
      const zero = await boxOf(page.locator('.drawing .part-rule line').first());
      const bars = page.locator('.drawing .part-bar :is(rect, path)');
      const [first, second] = [await boxOf(bars.nth(0)), await boxOf(bars.nth(1))];
      expect(first.x).toBeCloseTo(zero.x, -1);
      expect(second.x + second.width).toBeCloseTo(zero.x, -1);
      expect(second.width).toBeGreaterThan(5);
      expect(await page.locator('.drawing .part-text text').nth(1).textContent()).toMatch(/^−\$/);
      await explorer.shoot('bars-with-credits');

      await open(',clicks&by=campaign_name&chart=scatter');
      const points = await page.locator('.drawing .part-dot circle').all();
      expect(points.length).toBeGreaterThan(3);
      expect(await page.locator('.drawing .part-text text').count()).toBeGreaterThan(1);
      await explorer.shoot('scatter-with-credits');

      await open('&by=placement,campaign_name&chart=heat');
      const legend = page.locator('.drawing svg').nth(1).locator('.part-text text');
      expect(await legend.first().textContent()).toMatch(/^−\$/);
      await explorer.shoot('heat-with-credits');
    }),
  );

  test(
    'cannot export the last chart from a result without one',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      const picture = page.getByRole('button', { name: 'Chart as PNG' });
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await expect.poll(() => picture.isEnabled(), PATIENT).toBe(true);
      await page.evaluate(`location.hash = '${BY_CAMPAIGN.replace('&by=campaign_name', '')}'`);
      await explorer.settle();
      await expect.poll(() => picture.isEnabled(), PATIENT).toBe(false);
    }),
  );
});

/** All cells of a heat map were black, and what is chosen had no mark. */
test(
  'forced colours keep the meaning of heat maps, legends and chosen questions',
  withExplorer({ forcedColors: 'active' }, async (explorer) => {
    const { page } = explorer;
    await openQuestion(explorer, 'Hour of day');
    const cells = page.locator('.drawing .part-cell rect');
    await expect.poll(() => cells.count()).toBeGreaterThan(24 * 7);
    const fills = await page.evaluate(
      "[...new Set([...document.querySelectorAll('.drawing .part-cell rect')].map((cell) => getComputedStyle(cell).fill))].length",
    );
    expect(fills).toBeGreaterThan(20);
    const backgroundOf = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    expect(await backgroundOf('.questions [popover] [aria-pressed=true]')).not.toBe(
      await backgroundOf('.questions [popover] [aria-pressed=false]'),
    );
    await explorer.shoot('forced-colours');
  }),
);
