import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EXPERIENCES, type Experience, FACT_TABLES, type FactTable } from '../catalog/tables.ts';
import { daysUpTo } from './calendar.ts';
import { makeCampaigns } from './campaigns.ts';
import { makeProducts } from './catalogue.ts';
import { makeCreatives } from './creatives.ts';
import { makeInsertionOrders } from './insertion-orders.ts';
import { makeMarket } from './market.ts';
import { ACCOUNTS, ADVERTISERS, USERS } from './network.ts';
import { makeAddresses, makeContacts } from './people.ts';
import { PLACEMENTS } from './placements.ts';
import { Purchases } from './purchases.ts';
import { DEMO_DAYS } from './rates.ts';
import { RowFile } from './row-file.ts';
import { createTraffic } from './traffic.ts';

export interface DemoSummary {
  /** First and last day with facts. */
  readonly start: string;
  readonly end: string;
  /** Rows of each file, by its path in the folder. */
  readonly rows: Readonly<Record<string, number>>;
  /** Size of all files. */
  readonly bytes: number;
}

/**
 * Writes the demo network into `folder` as load files: the same `end` gives the same bytes. The 90 days end with `end`
 * (`YYYY-MM-DD`, in the platform's zone); campaigns run around it.
 */
export async function generateDemo({ folder, end }: { folder: string; end: string }): Promise<DemoSummary> {
  const days = daysUpTo(end, DEMO_DAYS);
  const products = makeProducts();
  const { campaigns, flights } = makeCampaigns(end, products);
  const files: RowFile[] = [];
  const create = async (name: string) => {
    const file = await RowFile.create(join(folder, `${name}.ndjson.gz`));
    files.push(file);
    return file;
  };

  const listings: Readonly<Record<string, readonly object[]>> = {
    accounts: ACCOUNTS,
    advertisers: ADVERTISERS.map(advertiserRow),
    contacts: makeContacts(),
    addresses: makeAddresses(),
    placements: PLACEMENTS.map(({ weight, attraction, search, ...row }) => row),
    products,
    campaigns,
    ad_groups: flights.map((flight) => flight.adGroup),
    creatives: makeCreatives(),
    insertion_orders: makeInsertionOrders(campaigns),
    users: USERS,
  };
  for (const [name, rows] of Object.entries(listings)) await (await create(name)).write(rows);

  const facts = new Map<string, RowFile>();
  for (const experience of EXPERIENCES) {
    for (const table of FACT_TABLES) facts.set(`${experience}/${table}`, await create(`facts/${experience}/${table}`));
  }
  const write = (experience: Experience, table: FactTable, rows: readonly object[]) =>
    facts.get(`${experience}/${table}`)?.write(rows);

  const traffic = createTraffic(flights);
  const purchases = new Map(EXPERIENCES.map((experience) => [experience, new Purchases(products)]));
  for (const day of days) {
    const played = traffic.play(day);
    for (const experience of EXPERIENCES) {
      const exposures = played.exposures.get(experience) ?? [];
      const rows = exposures.map((exposure) => exposure.row);
      const bought = purchases.get(experience);
      bought?.follow(experience, day, exposures);
      await Promise.all([
        write(experience, 'delivery', rows),
        write(experience, 'conversions', bought?.take(day) ?? []),
        write(experience, 'activity', played.activity.get(experience) ?? []),
        write(experience, 'market', makeMarket(experience, day, rows)),
      ]);
    }
  }
  await Promise.all(files.map((file) => file.close()));
  return { start: days[0] ?? end, end, ...(await summarize(folder, files)) };
}

function advertiserRow({ id, name, accountIds, description, type, brands, active }: (typeof ADVERTISERS)[number]) {
  const brandNames = brands.map((brand) => brand.name);
  return { id, name, accountId: accountIds[0], accountIds, description, advertiserType: type, brandNames, active };
}

async function summarize(folder: string, files: readonly RowFile[]) {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file.path)).size));
  return {
    rows: Object.fromEntries(files.map((file) => [file.path.slice(folder.length + 1), file.rows])),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}
