import { chromium } from 'playwright-core';
import { expect } from 'vitest';
import { findBrowser } from '../browser/find-browser.ts';

/** @returns whether this machine has a Chromium browser */
export function hasBrowser(): boolean {
  try {
    return findBrowser() !== '';
  } catch {
    return false;
  }
}

/**
 * Opens the explorer as somebody does who has a key, and expects a chart, figures, and no errors in the browser's console, to which violations of the
 * content security policy and failed requests are written.
 * @param url the API's base URL
 */
export async function checkExplorer(url: string, key: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ locale: 'en-US' });
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`${url}/explorer`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('.drawing svg').first().waitFor();
    expect(await page.locator('.drawing .part-bar path').count()).toBeGreaterThan(5);
    expect(await page.locator('[data-total=cost]').textContent()).toMatch(/^\$[\d,]+\.\d\d$/);
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
}
