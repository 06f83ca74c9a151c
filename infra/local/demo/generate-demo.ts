import { mkdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeCampaigns } from './campaigns.ts';
import { makeCreatives } from './creatives.ts';
import { ACCOUNTS, ADVERTISERS, type Advertiser, DEMO_DAYS, PLACEMENTS, USERS } from './data/network.ts';
import { type Exposure, makeLive } from './delivery.ts';
import { addDays } from './demand.ts';
import { makeInsertionOrders } from './insertion-orders.ts';
import { makeMarket } from './market.ts';
import { makeProducts } from './products.ts';
import { simulatePurchases } from './purchases.ts';
import { simulateDay } from './traffic.ts';

/** First and last day of facts, counted from the last day of the demo (0). */
export type DemoDays = readonly [first: number, last: number];

/**
 * Writes the demo network into `folder` as load files; the same arguments give the same bytes.
 * @param end the last of the 90 days with facts, `YYYY-MM-DD`; campaigns start and end before and after these days, too
 * @returns the number of rows of each file, by its path in the folder without extension
 */
export async function generateDemo(
  folder: string,
  end: string,
  days: DemoDays = [1 - DEMO_DAYS, 0],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const write = async (name: string, rows: readonly object[]) => {
    const path = join(folder, `${name}.ndjson`);
    mkdirSync(dirname(path), { recursive: true }); // not beside a handler that removes the folder: it would be made again
    await appendFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    counts[name] = (counts[name] ?? 0) + rows.length;
  };

  const products = makeProducts();
  const { campaigns, adGroups } = makeCampaigns(end, products);
  const listings = {
    accounts: ACCOUNTS,
    users: USERS,
    contacts: readListing('contacts'),
    addresses: readListing('addresses'),
    advertisers: ADVERTISERS.map(advertiserRow),
    placements: PLACEMENTS.map(({ weight, clickFactor, search, ...row }) => row),
    products,
    creatives: makeCreatives(),
    campaigns,
    ad_groups: adGroups.map(({ row }) => row),
    insertion_orders: makeInsertionOrders(campaigns),
  };
  for (const [name, rows] of Object.entries(listings)) await write(name, rows);

  const live = adGroups.filter(({ firstDay, lastDay }) => firstDay <= lastDay).map(makeLive);
  const [first, last] = [addDays(end, days[0]), addDays(end, days[1])];
  // A purchase follows an exposure by up to 14 days.
  for (let index = Math.max(1 - DEMO_DAYS, days[0] - 14); index <= days[1]; index++) {
    const day = addDays(end, index);
    for (const [experience, { exposures, activity }] of simulateDay(live, day)) {
      const purchases = simulatePurchases(experience, day, exposures, products);
      await write(
        `facts/${experience}/conversions`,
        purchases.filter(({ daily_date }) => first <= daily_date && daily_date <= last),
      );
      if (index < days[0]) continue;
      await write(
        `facts/${experience}/delivery`,
        exposures.map((exposure) => deliveryRow(exposure, day)),
      );
      await write(`facts/${experience}/activity`, activity);
      await write(`facts/${experience}/market`, makeMarket(experience, day, exposures));
    }
  }
  return counts;
}

function readListing(name: string): readonly object[] {
  const text = readFileSync(join(import.meta.dirname, `data/${name}.ndjson`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function advertiserRow({ brands, campaignCount, ...row }: Advertiser) {
  return { ...row, accountId: row.accountIds[0], brandNames: brands.map(({ name }) => name) };
}

function deliveryRow({ hour, keys, measures, shoppers }: Exposure, day: string) {
  return { daily_date: day, hour, ...keys, ...measures, users: [...shoppers] };
}
