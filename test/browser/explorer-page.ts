import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { ReportResultResponse } from '../../shared/contract/report/report-response.ts';

export const KEY = 'ecap_demo_agency';
/** The last day of the demo network is March 1, 2026. */
export const LAST_28 = { startDate: '2026-02-02', endDate: '2026-03-01' };
export const BEFORE_28 = { startDate: '2026-01-05', endDate: '2026-02-01' };
/** The metrics of the question BY_CAMPAIGN, whose period is LAST_28. */
export const METRICS = ['cost', 'clicks', 'halo_roas'];
export const BY_CAMPAIGN =
  '#/report?v=1&experience=pla&start=latest-27d&end=latest&metrics=cost,clicks,halo_roas&by=campaign_name';

/** Options for polling, and of each action: a busy machine draws late. */
export const PATIENT = { timeout: 120_000 };

const SHOTS = process.env.SCREENSHOTS ?? join(tmpdir(), 'endcap-screenshots');

/** A page of the explorer, as somebody sees and uses it. */
export interface Explorer {
  readonly page: Page;
  /** Errors in the browser's console, violations of the content policy among them, and failed requests, except rejected reports. */
  readonly errors: readonly string[];
  /** Waits until the result of the current question is shown. */
  settle(): Promise<void>;
  shoot(name: string): Promise<void>;
  /** @returns the violations that axe finds in the whole page */
  violations(): Promise<readonly string[]>;
  close(): Promise<void>;
}

let browser: Browser;

/** Opens one browser for the tests of the calling file. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: inject('browser'), args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(() => browser.close());
}

export interface OpenOptions extends BrowserContextOptions {
  /** The fragment with the question. */
  readonly hash?: string;
  /** The key that the tab already has; null = none. */
  readonly key?: string | null;
  readonly path?: string;
}

export async function openExplorer({
  hash = '',
  key = KEY,
  path = '/explorer',
  ...options
}: OpenOptions = {}): Promise<Explorer> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 1000 },
    locale: 'en-US',
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(PATIENT.timeout);
  if (key !== null) await context.addInitScript(`sessionStorage.setItem('endcap.key', '${key}')`);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    const isResponse = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isResponse) errors.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && response.request().method() === 'GET')
      errors.push(`${response.status()} ${response.url()}`);
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${inject('url')}${path}${hash}`);
  const explorer: Explorer = {
    page,
    errors,
    settle: async () => {
      await page.waitForTimeout(300); // a change is sent after a pause
      await page.locator('.result-body[aria-busy=false]').waitFor();
    },
    shoot: async (name) => {
      mkdirSync(SHOTS, { recursive: true });
      await page.screenshot({ path: join(SHOTS, `${name}.png`) });
    },
    violations: async () => {
      // evaluated by the browser's debugger, to which the page's content policy does not apply
      await page.evaluate(axe.source);
      const found: unknown = await page.evaluate(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the browser evaluates it
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`))',
      );
      return found as string[]; // the expression above
    },
    close: async () => {
      if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' }); // a response that a test has not waited for may be on its way
      await context.close();
    },
  };
  if (key !== null && path === '/explorer' && !hash.startsWith('#/data')) await explorer.settle();
  return explorer;
}

/** Runs a test with a page, and expects that it causes no error in the console. */
export function withExplorer(options: OpenOptions, run: (explorer: Explorer) => Promise<void>): () => Promise<void> {
  return async () => {
    const explorer = await openExplorer(options);
    try {
      await run(explorer);
      expect(explorer.errors).toEqual([]);
    } finally {
      await explorer.close();
    }
  };
}

/** @returns what the API responds to a report request, with which the page's figures are compared */
export async function askApi(experience: string, request: object): Promise<ReportResultResponse> {
  const body = {
    ...LAST_28,
    advertiserIds: [],
    filters: [],
    metrics: [],
    dimensions: [],
    sort: [],
    pagination: { offset: 0, size: 10_000 },
    ...request,
  };
  const response = await fetch(`${inject('url')}/report/${experience}`, {
    method: 'POST',
    headers: { 'Ocp-Apim-Subscription-Key': KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as ReportResultResponse; // the API's contract
}

/** Opens a ready-made or saved question from the menu of all. */
export async function openQuestion({ page, settle }: Explorer, name: string): Promise<void> {
  const menu = page.locator('.questions [popover]');
  if (!(await menu.isVisible())) await page.getByRole('button', { name: 'All questions' }).click();
  await menu.getByRole('button', { name, exact: true }).click();
  await settle();
}

/** Scrolls the table. @param top in pixels, as an expression over the scrolled `element` */
export async function scrollRows({ page }: Explorer, top: string): Promise<void> {
  await page.evaluate(`(() => { const element = document.querySelector('.scroller'); element.scrollTop = ${top}; })()`);
}

/** @returns the texts of the table's rows, cell by cell, without the changes below the figures */
export async function shownRows({ page }: Explorer): Promise<string[][]> {
  const rows = await page.locator('.scroller tbody tr:not(.spacer)').all();
  return Promise.all(rows.map((row) => cellsOf(row.locator('th, td'))));
}

export async function shownTotals({ page }: Explorer): Promise<string[]> {
  return cellsOf(page.locator('.scroller tfoot th, .scroller tfoot td'));
}

async function cellsOf(cells: ReturnType<Page['locator']>): Promise<string[]> {
  const texts = await cells.allInnerTexts();
  return texts.map((text) => text.split('\n')[0] ?? '');
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const counts = new Intl.NumberFormat('en-US');
const ratios = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const percents = new Intl.NumberFormat('en-US', {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** @returns the text of a figure as the page should show it to a reader of American English */
export function format(kind: 'money' | 'count' | 'ratio' | 'percent', value: unknown): string {
  if (typeof value !== 'number') return '–';
  return { money: dollars, count: counts, ratio: ratios, percent: percents }[kind].format(value);
}
