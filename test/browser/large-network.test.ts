import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { BY_CAMPAIGN, type Explorer, PATIENT, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

const WIDTHS = [390, 1280];

/** @returns the elements of the result whose content is wider than they are, and the labels of charts and tiles that overlap, as the reader sees them */
const TOO_WIDE = `(() => {
  const text = (element) => element.className.baseVal ?? element.className + ': ' + element.textContent.slice(0, 60);
  const wide = [...document.querySelectorAll('.result-body *')].filter((element) =>
    element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1 &&
    !element.closest('svg, .scroller .start, .visually-hidden') && !element.matches('.scroller'));
  const overlaps = [];
  for (const group of document.querySelectorAll('.totals, .drawing .panel')) {
    const labels = [...group.querySelectorAll('.figure, .change, text')].filter((element) => element.textContent !== '' && !element.closest('[aria-label=tip]'));
    const boxes = labels.map((element) => ({ element, box: element.getBoundingClientRect() }));
    for (const [index, one] of boxes.entries()) for (const other of boxes.slice(index + 1)) {
      const [a, b] = [one.box, other.box];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 4) overlaps.push(one.element.textContent + ' | ' + other.element.textContent);
    }
  }
  const { left, right } = document.querySelector('.result').getBoundingClientRect();
  const outside = [...document.querySelectorAll('.drawing text')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && !element.closest('[aria-label=tip]') && (box.left < left || box.right > right);
  });
  return { wide: wide.map(text), overlaps, outside: outside.map((element) => element.textContent) };
})()`;

/** Opens the page again, which reads a network of this currency. */
async function open({ page, settle }: Explorer, currency: string, hash: string): Promise<void> {
  await page.unrouteAll({ behavior: 'wait' });
  await enlargeNetwork(page, currency);
  await page.evaluate(`location.hash = '${hash}'`);
  await page.reload();
  await settle();
}

async function expectNothingCut({ page, shoot }: Explorer, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 1000 });
    await page.waitForTimeout(300); // charts are drawn again
    await shoot(`${name}-${width}`);
    await expect
      .poll(() => page.evaluate(TOO_WIDE), { ...PATIENT, message: `${name} at ${width}` })
      .toEqual({ wide: [], overlaps: [], outside: [] });
  }
}

const drawn = (page: Page) => page.locator('.drawing svg').first().waitFor();

describe('somebody with amounts of 15 digits and names by convention', () => {
  test(
    'sees all digits in tiles and cells, and no label over another',
    withExplorer({}, async (explorer) => {
      for (const currency of ['IDR', 'VND', 'KRW']) {
        await open(
          explorer,
          currency,
          `${BY_CAMPAIGN.replace('cost', 'cost,halo_revenue,cost_per_click')}&compare=previousPeriod`,
        );
        await drawn(explorer.page);
        const total = (await explorer.page.locator('[data-total=cost]').textContent()) ?? '';
        expect(total.replaceAll(/\.\d\d$|\D/g, '')).toHaveLength(15);
        await expectNothingCut(explorer, `large-${currency}`);
      }
    }),
  );

  test.each([
    ['line', '&by=daily_date,campaign_name&metrics=cost,clicks,halo_roas'],
    ['stack', '&by=daily_date,placement&metrics=cost&chart=stack'],
    ['multiples', '&by=week_date,campaign_name&metrics=cost&chart=multiples'],
    ['multiples-of-bars', '&by=placement,campaign_name&metrics=cost&chart=multiples'],
    ['heat', '&by=placement,campaign_name&metrics=cost&chart=heat'],
    ['scatter', '&by=campaign_name&metrics=cost,halo_revenue&chart=scatter'],
    ['columns', '&by=hour&metrics=cost,clicks'],
    ['bars', '&by=campaign_name&metrics=cost,halo_roas,clicks'],
  ])('sees the marks of a chart, and no label over another: %s', (name, query) =>
    withExplorer({}, async (explorer) => {
      await open(explorer, 'IDR', `#/report?v=1&experience=pla&start=latest-27d&end=latest${query}`);
      await drawn(explorer.page);
      expect(await explorer.page.locator('.drawing svg :is(rect, path, circle)').count()).toBeGreaterThan(3);
      await expectNothingCut(explorer, `large-${name}`);
    })(),
  );

  test(
    'sees names whole, each row below the last, also on a phone',
    withExplorer({ viewport: { width: 390, height: 844 }, hasTouch: true }, async (explorer) => {
      const { page } = explorer;
      await open(explorer, 'IDR', BY_CAMPAIGN);
      const names = page.locator('.scroller tbody th');
      const cut = () => names.evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth));
      expect(await cut()).toEqual([]);
      const [first, next] = [await names.first().boundingBox(), await names.nth(1).boundingBox()];
      expect(first?.height).toBeGreaterThan(46); // on several lines
      expect(next?.y).toBeGreaterThanOrEqual((first?.y ?? 0) + (first?.height ?? 0));
      await names.first().focus();
      await page.keyboard.press('ArrowDown');
      expect(await names.nth(1).evaluate((element) => element === document.activeElement)).toBe(true);
      await explorer.shoot('large-names');
    }),
  );
});

/** The total cost of LAST_28 becomes an amount of 15 digits. */
const FACTOR = 12_345_678_910;
const ACCOUNTS = 60;
const ADVERTISERS = 300;
/** Days without delivery. */
const MISSING = ['2026-02-11', '2026-02-12', '2026-02-20'];

type Figures = Record<string, string | number | null>;

interface ReportBody {
  readonly headers: { readonly name: string; readonly type: string; unit: string | null }[];
  data: Figures[];
  readonly totals: Figures;
  readonly comparedTotals?: Figures;
  readonly meta: { currency: string };
  totalCount: number;
}

/** Lets the page read the demo network as if it were a large one: its amounts, names by convention, missing days, accounts and advertisers. */
async function enlargeNetwork(page: Page, currency: string): Promise<void> {
  await page.route('**/metadata/fields', async (route) => {
    const response = await route.fetch();
    const { data, meta } = await response.json();
    await route.fulfill({ response, json: { data, meta: { ...meta, currency } } });
  });
  await page.route(/\/metadata\/(accounts|advertisers)\?/, async (route) => {
    const response = await route.fetch();
    const { data, meta } = await response.json();
    const isAccounts = route.request().url().includes('/accounts?');
    const offset = Number(new URL(route.request().url()).searchParams.get('offset') ?? 0);
    const added = Array.from({ length: isAccounts ? ACCOUNTS : ADVERTISERS }, (_, index) => ({
      ...data[0],
      id: 9_000_000 + index,
      name: conventional(isAccounts ? 'Account' : 'Advertiser', index),
    }));
    await route.fulfill({ response, json: { data: offset === 0 ? [...data, ...added] : data, meta } });
  });
  await page.route('**/report/*', async (route) => {
    const response = await route.fetch();
    if (!response.ok()) return route.fulfill({ response });
    const report = (await response.json()) as ReportBody; // the API's contract
    const money = report.headers.filter(({ unit }) => unit === report.meta.currency).map(({ name }) => name);
    const names = report.headers.filter(({ name }) => name.endsWith('_name')).map(({ name }) => name);
    const compared = report.data.flatMap((row): Figures[] => Object(row).compared ?? []);
    for (const figures of [...report.data, ...compared, report.totals, report.comparedTotals ?? {}])
      for (const name of money) figures[name] = typeof figures[name] === 'number' ? figures[name] * FACTOR : null;
    for (const row of report.data)
      for (const name of names) row[name] = row[name] == null ? null : conventional(String(row[name]), 0);
    const kept = report.data.filter(({ daily_date: day }) => !MISSING.includes(String(day)));
    report.totalCount -= report.data.length - kept.length;
    report.data = kept;
    for (const header of report.headers) if (header.unit === report.meta.currency) header.unit = currency;
    report.meta.currency = currency;
    await route.fulfill({ response, json: report });
  });
}

/** @returns a name as agencies write it, whose first half is the same for all */
function conventional(name: string, index: number): string {
  return `RMN_2026_Q1_SEA_SPONSORED_ALWAYS-ON_${name.toUpperCase().replaceAll(' ', '-')}_${String(index).padStart(3, '0')}_EXACT_v2`;
}
