import { describe, expect, test } from 'vitest';
import { BY_CAMPAIGN, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

describe('somebody whose browser blocks', () => {
  /** The dialog stayed open, and nothing happened. */
  test(
    'its storage reads why a question is not saved',
    withExplorer({ hash: BY_CAMPAIGN }, async ({ page }) => {
      await page.evaluate('Storage.prototype.setItem = () => { throw new Error("The quota has been exceeded."); }');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByLabel('Name').fill('My campaigns');
      await page.getByLabel('Name').press('Enter');
      expect(await page.getByRole('alert').textContent()).toBe(
        'The saved questions could not be changed: The quota has been exceeded.',
      );
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'My campaigns', exact: true }).count()).toBe(0);
    }),
  );

  test(
    'the clipboard reads that code is not copied',
    withExplorer({ hash: BY_CAMPAIGN }, async ({ page }) => {
      await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))');
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('button', { name: 'Copy as code' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
      await dialog.getByText('The browser does not allow copying.').waitFor();
      await dialog.getByText('Python', { exact: true }).click();
      await dialog.getByText('The key is read from the environment variable ENDCAP_KEY.').waitFor();
      await dialog.getByText('JSON body', { exact: true }).click();
      expect(await dialog.getByRole('status').textContent()).toBe('The key is not part of the body.');
    }),
  );
});
