import type { Page } from 'playwright-core';

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
export async function enlargeNetwork(page: Page, currency: string): Promise<void> {
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
