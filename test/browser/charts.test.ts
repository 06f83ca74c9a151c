import { describe, expect, test } from 'vitest';
import { askApi, PATIENT, useBrowser, withExplorer } from './explorer-page.ts';

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
});
