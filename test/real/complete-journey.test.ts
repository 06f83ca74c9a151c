import { expect, test } from 'vitest';
import {
  COMPLETE_JOURNEY_IDS,
  PRODUCT_COLUMNS,
  PRODUCTS,
  TRANSACTION_COLUMNS,
  TRANSACTIONS,
  writeCompleteJourney,
} from './complete-journey-folder.ts';
import { readData } from './read-data.ts';
import type { ReportRow } from './real-stage.ts';
import { useLoadedStage } from './real-stage.ts';

const products = readData(PRODUCTS, PRODUCT_COLUMNS);
const productById = new Map(products.map((product) => [product.product_id, product]));

/** The recorded purchases. Their timestamps are in New York time, so day and hour are parts of the text. */
const purchases = readData(TRANSACTIONS, TRANSACTION_COLUMNS).map((row) => {
  const product = productById.get(row.product_id);
  return {
    day: row.transaction_timestamp.slice(0, 10),
    hour: Number(row.transaction_timestamp.slice(11, 13)),
    household: row.household_id,
    units: Number(row.quantity),
    cents: Math.round(Number(row.sales_value) * 100),
    department: textOf(product?.department),
    brand: textOf(product?.brand),
    commodity: textOf(product?.product_category),
  };
});

type Purchase = (typeof purchases)[number];

const stage = useLoadedStage(writeCompleteJourney);

const YEAR = {
  startDate: '2017-01-01',
  endDate: '2017-12-31',
  advertiserIds: [COMPLETE_JOURNEY_IDS.advertiserId],
  filters: [],
};
const SUMS = [
  'halo_exposed_transactions',
  'halo_exposed_units',
  'halo_exposed_revenue',
  'halo_revenue',
  'viewed_unit_price_avg',
];

function sumsOf(group: readonly Purchase[]) {
  const cents = group.reduce((sum, row) => sum + row.cents, 0);
  const units = group.reduce((sum, row) => sum + row.units, 0);
  return {
    halo_exposed_transactions: group.length,
    halo_exposed_units: units,
    halo_exposed_revenue: cents / 100,
    halo_revenue: cents / 100,
    viewed_unit_price_avg: units === 0 ? null : cents / (100 * units), // one division, so one rounding
  };
}

const GRAINS: readonly { dimensions: string[]; valuesOf: (row: Purchase) => (string | number | null)[] }[] = [
  { dimensions: ['department'], valuesOf: (row) => [row.department] },
  { dimensions: ['month_date'], valuesOf: (row) => [`${row.day.slice(0, 7)}-01`] },
  { dimensions: ['week_date'], valuesOf: (row) => [mondayOf(row.day)] },
  { dimensions: ['hour'], valuesOf: (row) => [row.hour] },
  { dimensions: ['commodity', 'brand'], valuesOf: (row) => [row.commodity, row.brand] },
  { dimensions: ['month_date', 'department'], valuesOf: (row) => [`${row.day.slice(0, 7)}-01`, row.department] },
];

test.each(GRAINS)(
  'revenue, units and transactions by $dimensions equal the sums of the recorded purchases',
  async ({ dimensions, valuesOf }) => {
    const { data, totalCount, totals } = await report(SUMS, dimensions);
    const counted = groupBy(valuesOf).map(({ values, group }) => ({ ...named(dimensions, values), ...sumsOf(group) }));
    expect(sorted(data, dimensions)).toEqual(sorted(counted, dimensions));
    expect(totalCount).toBe(counted.length);
    expect(totals).toEqual(sumsOf(purchases));
  },
);

test.each(GRAINS)(
  'unique users by $dimensions are the distinct households of each group and of the totals',
  async ({ dimensions, valuesOf }) => {
    const { data, totals } = await report(['unique_user_conversions'], dimensions);
    const counted = groupBy(valuesOf).map(({ values, group }) => ({
      ...named(dimensions, values),
      unique_user_conversions: householdsOf(group),
    }));
    expect(sorted(data, dimensions)).toEqual(sorted(counted, dimensions));
    expect(totals).toEqual({ unique_user_conversions: householdsOf(purchases) });
  },
);

test('pages of three departments by revenue together hold each department once and in order', async () => {
  const counted = groupBy((row) => [row.department]).map(({ values, group }) => ({
    department: values[0] ?? null,
    halo_exposed_revenue: sumsOf(group).halo_exposed_revenue,
  }));
  counted.sort((one, other) => other.halo_exposed_revenue - one.halo_exposed_revenue);
  const paged: ReportRow[] = [];
  for (let offset = 0; offset < counted.length; offset += 3) {
    const { data } = await stage.report('pla', {
      ...YEAR,
      metrics: ['halo_exposed_revenue'],
      dimensions: ['department'],
      sort: [{ field: 'halo_exposed_revenue', order: 'DESC' }],
      pagination: { offset, size: 3 },
    });
    paged.push(...data);
  }
  expect(paged).toEqual(counted);
});

test('the pages of available products together hold each of the 92,331 products once', async () => {
  const path = `/ad_groups/${COMPLETE_JOURNEY_IDS.adGroupId}/available_products`;
  const listed: unknown[] = [];
  let more = true;
  while (more) {
    const { data, meta } = await stage.list(`${path}?item_offset=${listed.length}`);
    expect(meta.page.total).toBe(92_331);
    listed.push(...data.map((product) => product.id));
    more = meta.page.hasMore;
  }
  const recorded = products.map((product) => Number(product.product_id));
  expect(listed).toEqual(recorded.sort((one, other) => one - other));
});

function report(metrics: readonly string[], dimensions: readonly string[]) {
  return stage.report('pla', { ...YEAR, metrics, dimensions, sort: [], pagination: { offset: 0, size: 10_000 } });
}

function groupBy(valuesOf: (row: Purchase) => (string | number | null)[]) {
  const groups = [...Map.groupBy(purchases, (row) => JSON.stringify(valuesOf(row))).values()];
  return groups.flatMap((group) => (group[0] === undefined ? [] : [{ values: valuesOf(group[0]), group }]));
}

function named(dimensions: readonly string[], values: readonly (string | number | null)[]): ReportRow {
  return Object.fromEntries(dimensions.map((name, index) => [name, values[index] ?? null]));
}

function keyOf(row: ReportRow, dimensions: readonly string[]): string {
  return JSON.stringify(dimensions.map((name) => row[name]));
}

function sorted<T extends ReportRow>(list: readonly T[], dimensions: readonly string[]): T[] {
  return [...list].sort((one, other) => (keyOf(one, dimensions) < keyOf(other, dimensions) ? -1 : 1));
}

function householdsOf(group: readonly Purchase[]): number {
  return new Set(group.map((row) => row.household)).size;
}

/** @returns the Monday of the day's ISO week */
function mondayOf(day: string): string {
  const date = new Date(`${day}T12:00:00Z`);
  while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
  return date.toISOString().slice(0, 10);
}

function textOf(cell: string | undefined): string | null {
  return cell === undefined || cell === '' ? null : cell;
}
