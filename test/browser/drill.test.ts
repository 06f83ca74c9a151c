import { describe, expect, test } from 'vitest';
import {
  askApi,
  BY_CAMPAIGN,
  type Explorer,
  format,
  openQuestion,
  shownRows,
  useBrowser,
  withExplorer,
} from './explorer-page.ts';

useBrowser();

/** @returns the ad groups of the most expensive campaign, as the table should show them */
async function adGroupsOfFirst(): Promise<{ readonly name: string; readonly rows: readonly string[][] }> {
  const sort = [{ field: 'cost', order: 'DESC' }];
  const { data } = await askApi('pla', { metrics: ['cost'], dimensions: ['campaign_name', 'campaign_id'], sort });
  const [first] = data;
  const filters = [{ field: 'campaign_id', operator: 'EQUALS', values: [String(first?.campaign_id)] }];
  const adGroups = await askApi('pla', {
    metrics: ['cost'],
    dimensions: ['ad_group_name', 'ad_group_id'],
    filters,
    sort,
  });
  const rows = adGroups.data.map((row) => [String(row.ad_group_name), format('money', row.cost)]);
  return { name: String(first?.campaign_name), rows };
}

const namesAndCosts = async (explorer: Explorer) =>
  (await shownRows(explorer)).map(([name = '', , cost = '']) => [name, cost]);

describe('somebody who wants to know what is behind a figure', () => {
  test(
    'breaks down a campaign of the table by ad group, and returns with the browser’s button',
    withExplorer({}, async (explorer) => {
      const { page } = explorer;
      const { name, rows } = await adGroupsOfFirst();
      const before = await shownRows(explorer);
      await page.locator('tbody').getByText(name, { exact: true }).click();
      const menu = page.getByRole('group', { name: 'Only this, by' });
      await explorer.shoot('drill');
      expect(await explorer.violations()).toEqual([]);
      expect(await menu.textContent()).toContain(`Only ${name}, by`);
      await menu.getByRole('button', { name: 'Ad group', exact: true }).click();
      await explorer.settle();
      expect(await namesAndCosts(explorer)).toEqual(rows);
      expect(await page.evaluate('document.activeElement.localName')).toBe('h1');
      expect(await page.locator('.question-form').textContent()).toContain(`Campaign is ${name}`);
      await page.goBack();
      await explorer.settle();
      expect(await shownRows(explorer)).toEqual(before);
    }),
  );

  test(
    'does so with the keyboard, and leaves the menu with Escape',
    withExplorer({}, async (explorer) => {
      const { page } = explorer;
      const { rows } = await adGroupsOfFirst();
      const first = page.locator('tbody [data-field=campaign_name]').first();
      await first.focus();
      await page.keyboard.press('Enter');
      await page.locator('.row-menu button:focus').waitFor();
      await page.keyboard.press('Escape');
      expect(await page.evaluate('document.activeElement.dataset.field')).toBe('campaign_name');
      await page.keyboard.press('Space');
      await page.locator('.row-menu button:focus').waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Day');
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.locator('.row-menu').waitFor({ state: 'hidden' });
      await explorer.settle();
      expect(await namesAndCosts(explorer)).toEqual(rows);
    }),
  );

  test(
    'sees all parts of a campaign that a filter of its cost has selected',
    withExplorer({ hash: `${BY_CAMPAIGN}&filter=cost%3E400` }, async (explorer) => {
      const { page } = explorer;
      const cell = page.locator('tbody tr').first();
      const cost = await cell.locator('[data-field=cost]').textContent();
      await cell.locator('th').click();
      await page.locator('.row-menu').getByRole('button', { name: 'Day', exact: true }).click();
      await explorer.settle();
      expect((await shownRows(explorer)).length).toBe(28);
      expect(await page.locator('[data-total=cost]').textContent()).toBe(cost);
    }),
  );

  test(
    'sees a day of a compared report alone: the days before have no such day',
    withExplorer({}, async (explorer) => {
      const { page } = explorer;
      await openQuestion(explorer, 'Trend by day');
      const names = page.locator('tbody th');
      await names.nth(3).scrollIntoViewIfNeeded();
      await names.nth(3).click();
      const menu = page.locator('.row-menu');
      const [box, cell] = [await menu.boundingBox(), await names.nth(3).boundingBox()];
      if (box === null || cell === null) throw new Error('menu and name are in sight');
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.y + box.height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
      await menu.getByRole('button', { name: 'Campaign', exact: true }).click();
      await explorer.settle();
      expect(await page.locator('table.compared').count()).toBe(0);
      expect(await page.locator('.question-form').textContent()).toContain('Day is');
    }),
  );

  test(
    'breaks down a bar of the chart',
    withExplorer({}, async (explorer) => {
      const { page } = explorer;
      const { rows } = await adGroupsOfFirst();
      await page.locator('.drawing .part-bar :is(rect, path)').first().click();
      await page.getByRole('group', { name: 'Only this, by' }).getByText('Ad group', { exact: true }).click();
      await explorer.settle();
      expect(await namesAndCosts(explorer)).toEqual(rows);
    }),
  );
});
