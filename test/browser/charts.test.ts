import { describe, expect, test } from 'vitest';
import { askApi, BY_CAMPAIGN, PATIENT, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

describe('somebody who reads a chart', () => {
  test(
    'sees every hour in small multiples',
    withExplorer(
      { hash: '#/report?experience=pla&period=last28&metrics=impressions&by=placement,hour&chart=multiples' },
      async ({ page }) => {
        const { data } = await askApi('pla', { metrics: ['impressions'], dimensions: ['placement', 'hour'] });
        await expect.poll(() => page.locator('.drawing .part-bar :is(rect, path)').count(), PATIENT).toBe(data.length);
      },
    ),
  );

  test(
    'compares small multiples of categories: all bars have the same scale',
    withExplorer(
      { hash: '#/report?experience=pla&period=last28&metrics=cost&by=placement,campaign_name&chart=multiples' },
      async ({ page, shoot }) => {
        await page.locator('.drawing .panel.small').nth(7).waitFor();
        const scales = [];
        for (const panel of await page.locator('.drawing .panel.small').all()) {
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
      { hash: '#/report?experience=pla&period=last28&metrics=clicks&by=placement,entity_id&chart=heat' },
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
      { hash: '#/report?experience=pla&period=last28&metrics=clicks&by=daily_date,hour&chart=stack' },
      async ({ page }) => {
        const picture = page.getByRole('button', { name: 'Chart as PNG' });
        const kind = page.getByRole('combobox', { name: 'Chart' });
        await page.locator('summary', { hasText: 'More' }).click();
        await expect.poll(() => picture.isEnabled(), PATIENT).toBe(true);
        // a heat map reads its colours from the page's style
        await page.evaluate(
          'window.read = getComputedStyle; getComputedStyle = () => { throw new Error("no style"); }',
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
    'cannot export the last chart from a result without one',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      const picture = page.getByRole('button', { name: 'Chart as PNG' });
      await page.locator('summary', { hasText: 'More' }).click();
      await expect.poll(() => picture.isEnabled(), PATIENT).toBe(true);
      await page.evaluate(`location.hash = '${BY_CAMPAIGN.replace('&by=campaign_name', '')}'`);
      await explorer.settle();
      await expect.poll(() => picture.isEnabled(), PATIENT).toBe(false);
    }),
  );
});
