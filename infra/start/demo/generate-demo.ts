import { join } from 'node:path';
import { EXPERIENCES, type Experience, FACT_TABLES, type FactTable } from '../../../shared/catalog/tables.ts';
import { ACCOUNTS, ADVERTISERS, type Advertiser, USERS } from './data/network.ts';
import { PLACEMENTS } from './data/placements.ts';
import { DEMO_DAYS } from './data/rates.ts';
import { RowFile } from './row-file.ts';
import { makeCampaigns } from './simulate/campaigns.ts';
import { makeCreatives } from './simulate/creatives.ts';
import { addDays } from './simulate/days.ts';
import { makeInsertionOrders } from './simulate/insertion-orders.ts';
import { makeLive } from './simulate/live-ad-group.ts';
import { makeMarket } from './simulate/market.ts';
import { makeAddresses, makeContacts } from './simulate/people.ts';
import { makeProducts } from './simulate/products.ts';
import { Purchases } from './simulate/purchases.ts';
import { simulateDay } from './simulate/traffic.ts';

/**
 * Writes the demo network into `folder` as load files; the same `end` gives the same bytes.
 * @param end the last of the 90 days with facts, `YYYY-MM-DD`; campaigns start and end before and after these days, too
 * @returns the number of rows of each file, by its path in the folder
 */
export async function generateDemo(folder: string, end: string): Promise<Record<string, number>> {
  const days = Array.from({ length: DEMO_DAYS }, (_, index) => addDays(end, index + 1 - DEMO_DAYS));
  const products = makeProducts();
  const { campaigns, adGroups } = makeCampaigns(end, products);
  const files: RowFile[] = [];
  const create = (name: string) => {
    const file = new RowFile(join(folder, `${name}.ndjson.gz`));
    files.push(file);
    return file;
  };

  const listings: Readonly<Record<string, readonly object[]>> = {
    accounts: ACCOUNTS.map(({ contactCount, ...row }) => row),
    advertisers: ADVERTISERS.map(advertiserRow),
    contacts: makeContacts(),
    addresses: makeAddresses(),
    placements: PLACEMENTS.map(({ weight, clickFactor, search, ...row }) => row),
    products,
    campaigns,
    ad_groups: adGroups.map(({ adGroup }) => adGroup),
    creatives: makeCreatives(),
    insertion_orders: makeInsertionOrders(campaigns),
    users: USERS,
  };
  for (const [name, rows] of Object.entries(listings)) await create(name).write(rows);

  const facts = new Map<string, RowFile>();
  for (const experience of EXPERIENCES) {
    for (const table of FACT_TABLES) facts.set(`${experience}/${table}`, create(`facts/${experience}/${table}`));
  }
  const write = (experience: Experience, table: FactTable, rows: readonly object[]) =>
    facts.get(`${experience}/${table}`)?.write(rows);

  const live = adGroups.filter(({ firstDay, lastDay }) => firstDay <= lastDay).map(makeLive);
  const purchases = new Map(EXPERIENCES.map((experience) => [experience, new Purchases(experience, products)]));
  for (const day of days) {
    const traffic = simulateDay(live, day);
    for (const [experience, purchasesByDay] of purchases) {
      const exposures = traffic.exposures.get(experience) ?? [];
      const delivery = exposures.map((exposure) => exposure.row);
      purchasesByDay.add(day, exposures);
      await Promise.all([
        write(experience, 'delivery', delivery),
        write(experience, 'conversions', purchasesByDay.take(day)),
        write(experience, 'activity', traffic.activity.get(experience) ?? []),
        write(experience, 'market', makeMarket(experience, day, exposures)),
      ]);
    }
  }
  await Promise.all(files.map((file) => file.close()));
  return Object.fromEntries(files.map((file) => [file.path.slice(folder.length + 1), file.rows]));
}

function advertiserRow({ id, name, accountIds, description, advertiserType, brands, active }: Advertiser) {
  const brandNames = brands.map((brand) => brand.name);
  return { id, name, accountId: accountIds[0], accountIds, description, advertiserType, brandNames, active };
}
