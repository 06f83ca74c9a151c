import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { KEY, PATIENT, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

const FIELDS = '#/report?v=1&by=campaign_name&metrics=cost';

/** @returns the reports that the page has sent since */
function watchReports(page: Page): readonly string[] {
  const sent: string[] = [];
  page.on('request', (request) => request.url().includes('/report/') && sent.push(request.postData() ?? ''));
  return sent;
}

describe('the page', () => {
  test.each([
    ['its first question', ''],
    ['a link', FIELDS],
    ['a link to an advertiser without its account', `${FIELDS}&advertisers=2001`],
  ])('sends %s once', (_, hash) =>
    withExplorer({ key: null, hash: `${hash}` }, async ({ page, settle }) => {
      const sent = watchReports(page);
      await page.getByLabel('API key').fill(KEY);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await settle();
      await page.waitForLoadState('networkidle');
      expect(sent).toHaveLength(1);
    })(),
  );

  test(
    'shows the report of the account chosen last, also if the advertisers of another arrive later',
    withExplorer({ hash: FIELDS }, async ({ page }) => {
      const { promise: late, resolve: respond } = Promise.withResolvers<void>();
      await page.route('**/advertisers?*account_id=1001*', async (route) => {
        await late;
        await route.continue();
      });
      const account = page.getByRole('combobox', { name: 'Account' });
      await account.selectOption('1001');
      await account.selectOption('1002');
      const isShown = () => page.locator('.result-body[aria-busy=false]').isVisible();
      await expect.poll(isShown, PATIENT).toBe(true);
      const arrived = page.waitForResponse(/account_id=1001/);
      respond();
      await arrived;
      await page.waitForLoadState('networkidle');
      await expect.poll(isShown, PATIENT).toBe(true);
      expect(await page.locator('.scope').textContent()).toBeTruthy();
      await page.unrouteAll({ behavior: 'wait' });
    }),
  );
});
