import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { STARTING_QUESTIONS } from '../../shared/web/explorer/question/starting-questions.ts';
import {
  askApi,
  BY_CAMPAIGN,
  format,
  openExplorer,
  openQuestion,
  shownRows,
  shownTotals,
  useBrowser,
  withExplorer,
} from './explorer-page.ts';

useBrowser();

/** Bytes of the first view on the wire, compressed. */
const MAX_FIRST_VIEW = 350_000;

describe('the explorer', () => {
  test(
    'can be used with the keyboard alone: key, metric, sort, width',
    withExplorer({ key: null }, async (explorer) => {
      const { page } = explorer;
      const { keyboard } = page;
      const tabTo = async (name: RegExp) => {
        for (let count = 0; count < 80; count++) {
          await keyboard.press('Tab');
          const label = String(
            await page.evaluate(
              '(() => { const e = document.activeElement; return e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? e.innerText ?? ""; })()',
            ),
          );
          if (name.test(label)) return;
        }
        throw new Error(`${name} is not reached by the tab key`);
      };
      await page.locator('#key:focus').waitFor(); // the field has the focus
      await keyboard.type('ecap_demo_agency');
      await keyboard.press('Enter');
      await explorer.settle();
      await tabTo(/Add or remove.*Metrics/s);
      await keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await keyboard.type('win rate'); // the search has the focus
      await tabTo(/^Win rate$/);
      await keyboard.press('Space');
      await keyboard.press('Escape');
      await explorer.settle();
      const { totals } = await askApi('pla', { metrics: ['win_rate'], dimensions: ['campaign_name'] });
      expect((await shownTotals(explorer)).at(-1)).toBe(format('percent', totals.win_rate));
      expect(await page.evaluate('document.activeElement.innerText')).toContain('Add or remove');
      await tabTo(/^Clicks/);
      await keyboard.press('Enter');
      await explorer.settle();
      expect(await page.getByRole('columnheader', { name: /^Clicks/ }).getAttribute('aria-sort')).toBe('descending');
    }),
  );

  test(
    'moves between the options of a list with the arrow keys',
    withExplorer({}, async ({ page }) => {
      await page.getByRole('button', { name: 'Add or remove (Metrics)' }).click();
      await page.getByRole('checkbox', { name: 'Impressions', exact: true }).focus();
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate('document.activeElement.labels[0].innerText')).toBe('Clicks');
    }),
  );

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 360],
    ['dark', 2560],
  ] as const)(
    'has no violation that axe finds, and needs no horizontal scrolling: %s, %i pixels wide',
    (colorScheme, width) =>
      withExplorer({ colorScheme, viewport: { width, height: 1100 } }, async (explorer) => {
        const { page } = explorer;
        const name = `${colorScheme}-${width}`;
        await page.locator('.drawing svg').first().waitFor();
        expect(await explorer.violations()).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        await explorer.shoot(`report-${name}`);
        if (width < 900) await page.getByRole('button', { name: 'Change the question' }).click();
        await explorer.shoot(`question-${name}`);
        if (width < 900) expect(await explorer.violations()).toEqual([]);
        await page.getByRole('button', { name: 'Add or remove (Metrics)' }).click();
        expect(await explorer.violations()).toEqual([]);
        await explorer.shoot(`metrics-${name}`);
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Add a filter' }).click();
        await page.getByLabel('Field').selectOption('campaign_name');
        await page.getByRole('dialog').getByRole('checkbox').first().waitFor();
        expect(await explorer.violations()).toEqual([]);
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: 'Data' }).click();
        await page.locator('.calendar').first().waitFor();
        expect(await explorer.violations()).toEqual([]);
        const [latest, calendar] = await Promise.all(
          ['.calendar .complete', '.calendar'].map((selector) => page.locator(selector).first().boundingBox()),
        );
        expect(latest?.x).toBeGreaterThan(calendar?.x ?? 0); // the day through which data is complete is in sight
        expect((latest?.x ?? 0) + (latest?.width ?? 0)).toBeLessThan((calendar?.x ?? 0) + (calendar?.width ?? 0));
        await explorer.shoot(`data-${name}`);
      })(),
  );

  test(
    'changes the question on a phone',
    withExplorer({ viewport: { width: 360, height: 740 } }, async (explorer) => {
      const { page } = explorer;
      await page.getByRole('button', { name: 'Change the question' }).click();
      await page.getByLabel(/^Days/).selectOption('Last 7 days');
      await page.getByRole('button', { name: 'Show the result' }).click();
      await explorer.settle();
      const { totals } = await askApi('pla', { startDate: '2026-02-23', metrics: ['cost'] });
      expect(await page.locator('[data-total=cost]').textContent()).toBe(format('money', totals.cost));
    }),
  );

  test(
    'shows the result of each ready-made question',
    withExplorer({ colorScheme: 'dark' }, async (explorer) => {
      for (const { title } of STARTING_QUESTIONS) {
        // the demo has no viewability of product listing ads
        await explorer.page.getByRole('radio', { name: title === 'Viewability' ? 'TOA' : 'PLA' }).check();
        await explorer.settle();
        await openQuestion(explorer, title);
        expect((await shownRows(explorer)).length, title).toBeGreaterThan(3);
        const pressed = explorer.page.locator('.questions [popover] [aria-pressed=true]');
        expect(await pressed.allTextContents()).toEqual([title]);
        await explorer.page.locator('.drawing svg').first().waitFor();
        await explorer.shoot(`ready-${title.toLowerCase().replaceAll(' ', '-')}`);
      }
    }),
  );

  test(
    'prints without its controls: column heads and numbers on every page, the totals once at the end',
    withExplorer({ hash: `${BY_CAMPAIGN},placement` }, async (explorer) => {
      const { page } = explorer;
      const path = join(mkdtempSync(join(tmpdir(), 'endcap-print-')), 'report.pdf');
      await page.pdf({ path, preferCSSPageSize: true });
      const pages = execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' }).split('\f').slice(0, -1);
      const pagesWith = (text: RegExp) => pages.flatMap((content, index) => (text.test(content) ? [index + 1] : []));
      expect(pages.length).toBeGreaterThan(2);
      const all = pages.map((_, index) => index + 1);
      expect(all.flatMap((number) => pagesWith(new RegExp(`^\\s*${number} ?/ ?${pages.length}\\s*$`, 'm')))).toEqual(
        all,
      );
      const [first = 0] = pagesWith(/^ *Campaign .*Placement/m);
      expect(pagesWith(/^ *Campaign .*Placement/m)).toEqual(all.slice(first - 1));
      expect(pagesWith(/^ *Total /m)).toEqual([pages.length]);
      const head = pages[0]?.replace(/\s+/g, ' ');
      expect(head).toContain('Cost, Clicks and Return on ad spend (click) by Campaign and Placement');
      expect(head).toContain('Period Feb 2 – Mar 1, 2026');
      expect(await page.title()).toBe(
        'Cost, Clicks and Return on ad spend (click) by Campaign and Placement, Feb 2 – Mar 1, 2026 – Endcap Explorer',
      );
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('.question-form').isVisible()).toBe(false);
      expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
      await explorer.shoot('print');
    }),
  );

  test('needs less than 350 kB on the wire for the first view with chart and table', async () => {
    const explorer = await openExplorer({ key: null, path: '/problems' }); // a page that leaves no file of the explorer in the browser's cache
    const { page } = explorer;
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) =>
      sizes.push(
        request.sizes().then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
      ),
    );
    const started = performance.now();
    await page.goto(`${inject('url')}/explorer`);
    await page.getByRole('button', { name: 'ecap_demo_agency' }).click();
    await page.locator('.drawing svg').first().waitFor();
    const ms = performance.now() - started;
    await page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    process.stdout.write(`first view: ${bytes} bytes on the wire in ${sizes.length} responses, ${Math.round(ms)} ms\n`);
    expect(bytes).toBeGreaterThan(180_000); // with the scripts of page and charts
    expect(bytes).toBeLessThan(MAX_FIRST_VIEW);
    await explorer.close();
  });
});

/** Its longest word was wider than a phone, and the documentation called itself by the name of the product. */
test.each(['/', '/docs', '/explorer'])('%s fits the long name of an operator on a phone', (path) =>
  withExplorer({ path: '/problems', key: null, viewport: { width: 390, height: 800 } }, async ({ page }) => {
    const name = 'Hollandsche Kruidenierscoöperatie Retail Media Noord-Nederland';
    await page.route(/\/v2(\/|\/docs|\/explorer|\/openapi\.json)$/, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      const body = text
        .replace('data-brand="{}"', `data-brand='${JSON.stringify({ name })}'`)
        .replaceAll('Endcap', name);
      await route.fulfill({ response, body });
    });
    await page.goto(`${inject('url')}${path}`);
    await page.getByText(name).last().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  })(),
);

test(
  'the documentation page works under the content policy of all pages, and sends a request',
  withExplorer({ path: '/docs', key: null }, async (explorer) => {
    const { page } = explorer;
    await page.getByText('List accounts', { exact: true }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('Finchwater Media').first().waitFor();
    expect(await page.getByText('ecap_demo_agency').count()).toBeGreaterThan(0);
    await explorer.shoot('docs');
  }),
);
