import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, inject, test } from 'vitest';
import { KEY, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

const openTab = async (context: BrowserContext): Promise<Page> => {
  const page = await context.newPage();
  await page.goto(`${inject('url')}/explorer`);
  return page;
};
const signIn = async (page: Page, isKept: boolean) => {
  await page.locator('#key:focus').waitFor(); // the field has the focus
  await page.keyboard.type(KEY);
  if (isKept) await page.getByRole('checkbox', { name: 'Keep the key on this device' }).check();
  await page.getByRole('button', { name: 'Open', exact: true }).click();
};
const forget = (page: Page) => page.getByRole('button', { name: 'Forget key' });
const keyField = (page: Page) => page.getByLabel('API key');
/** @returns what an open tab responds to a new tab's request; undefined if none does within a second */
const askForKey = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const channel = new BroadcastChannel('endcap.key');
    channel.onmessage = ({ data }) => resolve(data.key);
    channel.postMessage({ type: 'request', id: 1 });
    setTimeout(resolve, 1_000);
  })`);

describe('somebody who signs in', () => {
  test(
    'has the key in a second tab, which stores it for itself only, and in neither once one tab forgets it',
    withExplorer({ key: null }, async ({ page }) => {
      const context = page.context();
      await signIn(page, false);
      await forget(page).waitFor();
      const second = await openTab(context);
      await forget(second).waitFor();
      expect(await second.evaluate('localStorage.length')).toBe(0);
      await forget(second).click();
      await keyField(page).waitFor();
      expect(await page.getByRole('alert').textContent()).toBe('The key was removed in another tab.');
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      const third = await openTab(context);
      await keyField(third).waitFor();
      expect(await askForKey(third)).toBe(undefined);
    }),
  );

  test(
    'does not get the key that another tab gives to a third',
    withExplorer({ key: null }, async ({ page }) => {
      const context = page.context();
      const other = await openTab(context);
      for (const tab of [page, other]) {
        await tab.bringToFront();
        await signIn(tab, false);
        await forget(tab).waitFor();
        if (tab === page) await forget(page).click(); // in both tabs
      }
      await (await openTab(context)).getByRole('button', { name: 'Forget key' }).waitFor();
      expect(await askForKey(other)).toBe(KEY);
      expect([await keyField(page).isVisible(), await page.evaluate('sessionStorage.length')]).toEqual([true, 0]);
    }),
  );

  test(
    'has no key once all tabs are closed',
    withExplorer({ key: null }, async ({ page }) => {
      await signIn(page, false);
      await forget(page).waitFor();
      const context = page.context();
      await page.close();
      const later = await openTab(context);
      await keyField(later).waitFor();
      expect(await askForKey(later)).toBe(undefined);
    }),
  );

  test(
    'keeps the key on the device for 30 days if asked, until it is forgotten',
    withExplorer({ key: null }, async ({ page }) => {
      const context = page.context();
      await signIn(page, true);
      await forget(page).waitFor();
      const until = Number(await page.evaluate("JSON.parse(localStorage.getItem('endcap.key')).until"));
      expect(Math.round((until - Date.now()) / 86_400_000)).toBe(30);
      await page.close();
      const later = await openTab(context);
      await forget(later).click();
      await keyField(later).waitFor();
      expect(await later.evaluate('localStorage.length')).toBe(0);
    }),
  );

  test(
    'has no kept key after its end, and none that the service rejects',
    withExplorer({ key: null }, async ({ page, errors }) => {
      const context = page.context();
      const keep = (key: string, until: number) =>
        page.evaluate(`localStorage.setItem('endcap.key', '${JSON.stringify({ key, until })}')`);
      await keep(KEY, Date.now() - 1);
      const late = await openTab(context);
      await keyField(late).waitFor();
      expect(await late.evaluate('localStorage.length')).toBe(0);
      await keep('ecap_revoked', Date.now() + 60_000);
      const rejected = await openTab(context);
      await rejected.getByRole('alert').waitFor();
      expect(await rejected.evaluate('localStorage.length')).toBe(0);
      expect(errors).toEqual([]);
    }),
  );

  test(
    'is not offered to keep the key where the operator does not allow it, and one that is kept is removed',
    withExplorer({ key: null }, async ({ page }) => {
      const context = page.context();
      await context.route('**/explorer', async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replace('data-brand="{', 'data-brand="{&quot;keepKeys&quot;:false');
        await route.fulfill({ response, body });
      });
      await page.evaluate(`localStorage.setItem('endcap.key', '${JSON.stringify({ key: KEY, until: 9e15 })}')`);
      const tab = await openTab(context);
      await keyField(tab).waitFor();
      expect(await tab.getByRole('checkbox').count()).toBe(0);
      expect(await tab.evaluate('localStorage.length')).toBe(0);
    }),
  );
});
