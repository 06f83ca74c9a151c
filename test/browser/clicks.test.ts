import type { Locator } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { askApi, type Explorer, format, openExplorer, shownRows, useBrowser } from './explorer-page.ts';

useBrowser();

/** A planner's questions, each from the page that a key opens, and how many actions they took before rows could be broken down and all questions were in a menu. */
const QUESTIONS: readonly (readonly [title: string, before: number, ask: (planner: Planner) => Promise<void>])[] = [
  ['the ad groups of the most expensive campaign', 8, (planner) => planner.breakDown('campaign_name', 'Ad group')],
  ['its days', 6, (planner) => planner.breakDown('campaign_name', 'Day')],
  ['its keywords', 6, (planner) => planner.breakDown('campaign_name', 'Keyword')],
  [
    'the products of the most expensive keyword',
    6,
    async (planner) => {
      await planner.open('Keyword performance');
      await planner.breakDown('keyword', 'Product');
    },
  ],
  ['keywords that cost and do not sell', 6, (planner) => planner.open('Keywords that cost and do not sell')],
  ['the campaign that is the furthest behind', 3, (planner) => planner.open('Pacing')],
  [
    'one advertiser',
    4,
    async (planner) => {
      await planner.click(planner.page.locator('.options summary'));
      await planner.click(planner.page.locator('.options .check').first());
    },
  ],
  [
    'the report in another tab',
    2,
    async ({ page }) => {
      const tab = await page.context().newPage();
      await tab.goto(`${inject('url')}/explorer`);
      await tab.locator('[data-total=cost]').waitFor();
    },
  ],
  ['a file for a spreadsheet', 1, (planner) => planner.click(planner.button('Excel'))],
  [
    'paper',
    2,
    async (planner) => {
      await planner.page.evaluate('print = () => {}');
      await planner.click(planner.button('More'));
      await planner.click(planner.button('Print'));
    },
  ],
  [
    'last month against the month before',
    4,
    async (planner) => {
      await planner.choose(/^Days/, 'Last month');
      await planner.choose('Compare with', 'previousMonth');
    },
  ],
  [
    'the hours of the placement that costs most',
    7,
    async (planner) => {
      await planner.open('Share of voice');
      await planner.breakDown('placement', 'Hour');
    },
  ],
];

/** Counts what a planner does: a click is one action, a choice in a list two. */
class Planner {
  actions = 0;
  readonly page: Explorer['page'];
  readonly #explorer: Explorer;

  constructor(explorer: Explorer) {
    this.#explorer = explorer;
    this.page = explorer.page;
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  async click(target: Locator): Promise<void> {
    this.actions += 1;
    await target.click();
  }

  async choose(label: string | RegExp, option: string): Promise<void> {
    this.actions += 2;
    await this.page.getByLabel(label).selectOption(option);
  }

  async open(question: string): Promise<void> {
    const inSight = this.page.locator('.questions > ul').getByRole('button', { name: question, exact: true });
    if (await inSight.isVisible()) await this.click(inSight);
    else {
      await this.click(this.button('All questions'));
      await this.click(this.page.locator('.questions [popover]').getByRole('button', { name: question, exact: true }));
    }
    await this.#explorer.settle();
  }

  async breakDown(field: string, dimension: string): Promise<void> {
    await this.click(this.page.locator(`tbody [data-field=${field}]`).first());
    await this.click(this.page.getByRole('group', { name: 'Only this, by' }).getByText(dimension, { exact: true }));
    await this.#explorer.settle();
  }
}

test('none of a planner’s questions takes more actions than before, and five take at least two fewer', async () => {
  const counts: [string, number, number][] = [];
  for (const [title, before, ask] of QUESTIONS) {
    const explorer = await openExplorer({ key: null, viewport: { width: 1280, height: 1000 } });
    await explorer.page.getByRole('button', { name: 'ecap_demo_agency' }).click();
    await explorer.settle();
    const planner = new Planner(explorer);
    await ask(planner);
    await explorer.settle();
    counts.push([title, before, planner.actions]);
    if (title === 'keywords that cost and do not sell') {
      const filters = [
        { field: 'keyword', operator: 'NOT_NULL', values: [] },
        { field: 'cost', operator: 'GREATER_THAN', values: ['0'] },
        { field: 'halo_revenue', operator: 'EQUALS', values: ['0'] },
      ];
      const sort = [{ field: 'cost', order: 'DESC' }];
      const { data } = await askApi('pla', { metrics: ['cost'], dimensions: ['keyword'], filters, sort });
      const rows = (await shownRows(explorer)).map(([name = '', cost = '']) => [name, cost]);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows).toEqual(expect.arrayContaining(data.map((row) => [row.keyword, format('money', row.cost)])));
    }
    expect(explorer.errors).toEqual([]);
    await explorer.close();
  }
  expect(counts.filter(([, before, now]) => now > before)).toEqual([]);
  expect(counts.filter(([, before, now]) => now <= before - 2).length).toBeGreaterThanOrEqual(5);
});
