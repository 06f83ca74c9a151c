import { expect, test } from 'vitest';
import { BY_CAMPAIGN, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

/** The old figures stood below the new title, and nothing said why. */
test.each([
  [1280, 'light'],
  [390, 'dark'],
] as const)(
  'figures of the previous question are marked while a report waits, %i pixels wide, %s',
  (width, colorScheme) =>
    withExplorer({ hash: BY_CAMPAIGN, colorScheme, viewport: { width, height: 844 } }, async (explorer) => {
      const { page } = explorer;
      const stale = page.locator('.stale');
      let isLimited = true;
      await page.route('**/report/**', (route) =>
        isLimited ? route.fulfill({ status: 429, headers: { 'Retry-After': '20' }, json: {} }) : route.continue(),
      );
      await page.evaluate(
        `location.hash = '#/report?v=1&experience=pla&start=latest-6d&end=latest&metrics=impressions&by=placement'`,
      );
      await stale.getByText(/Waiting \d+ s: the key’s limit of requests is reached\.$/).waitFor();
      expect(await stale.textContent()).toMatch(
        /^These figures are of the previous question: Cost, Clicks and Return on ad spend \(click\) by Campaign, PLA, Feb 2 – Mar 1, 2026\.W/,
      );
      await expect.poll(() => page.getByRole('button', { name: 'CSV' }).count()).toBe(0);
      expect(await page.locator('.result-body').getAttribute('aria-busy')).toBe('true');
      await explorer.shoot(`waiting-${width}-${colorScheme}`);
      isLimited = false;
      await page.evaluate(
        `location.hash = '#/report?v=1&experience=pla&start=latest-6d&end=latest&metrics=clicks&by=placement'`,
      );
      await explorer.settle();
      expect(await stale.count()).toBe(0);
      await page.unrouteAll({ behavior: 'wait' });
    })(),
);

test(
  'a first report says what it waits for',
  withExplorer({ hash: '#/data' }, async (explorer) => {
    const { page } = explorer;
    let sent = 0;
    await page.locator('.calendar').first().waitFor();
    await page.route('**/report/**', (route) =>
      sent++ === 0 ? route.fulfill({ status: 429, headers: { 'Retry-After': '4' }, json: {} }) : route.continue(),
    );
    await page.evaluate(`location.hash = '${BY_CAMPAIGN}'`);
    await page.getByText(/^Waiting \d s: the key’s limit of requests is reached\.$/).waitFor();
    await explorer.settle();
    await page.unrouteAll({ behavior: 'wait' });
  }),
);
