import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AdGroup, Campaign } from '../../../../infra/local/demo/campaigns.ts';
import type { makeCreatives } from '../../../../infra/local/demo/creatives.ts';
import type { PLACEMENTS, USERS } from '../../../../infra/local/demo/data/network.ts';
import type { Exposure } from '../../../../infra/local/demo/delivery.ts';
import type { makeInsertionOrders } from '../../../../infra/local/demo/insertion-orders.ts';
import type { makeMarket } from '../../../../infra/local/demo/market.ts';
import type { Product } from '../../../../infra/local/demo/products.ts';
import type { simulatePurchases } from '../../../../infra/local/demo/purchases.ts';
import type { Activity } from '../../../../infra/local/demo/traffic.ts';
import type { Experience } from '../../../../shared/catalog/tables.ts';

/** The rows of the demo's load files. */
export interface Demo {
  readonly start: string;
  readonly end: string;
  readonly accounts: readonly { readonly id: number }[];
  readonly advertisers: readonly AdvertiserRow[];
  readonly contacts: readonly { readonly email: string; readonly accountIds: readonly number[] }[];
  readonly addresses: readonly { readonly addressType: string; readonly accountIds: readonly number[] }[];
  readonly placements: typeof PLACEMENTS;
  readonly products: readonly Product[];
  readonly campaigns: readonly Campaign[];
  readonly ad_groups: readonly AdGroup['row'][];
  readonly creatives: ReturnType<typeof makeCreatives>;
  readonly insertion_orders: ReturnType<typeof makeInsertionOrders>;
  readonly users: typeof USERS;
  readonly facts: Readonly<Record<Experience, Facts>>;
}

export interface Facts {
  readonly delivery: readonly DeliveryRow[];
  readonly conversions: ReturnType<typeof simulatePurchases>;
  readonly activity: readonly Activity[];
  readonly market: ReturnType<typeof makeMarket>;
}

type DeliveryRow = Exposure['keys'] &
  Exposure['measures'] & { readonly daily_date: string; readonly hour: number; readonly users: readonly string[] };

export interface AdvertiserRow {
  readonly id: number;
  readonly accountId: number;
  readonly accountIds: readonly number[];
}

export function readDemo(folder: string, start: string, end: string): Demo {
  const facts = (experience: Experience): Facts => ({
    delivery: readRows(folder, `facts/${experience}/delivery`),
    conversions: readRows(folder, `facts/${experience}/conversions`),
    activity: readRows(folder, `facts/${experience}/activity`),
    market: readRows(folder, `facts/${experience}/market`),
  });
  return {
    start,
    end,
    accounts: readRows(folder, 'accounts'),
    advertisers: readRows(folder, 'advertisers'),
    contacts: readRows(folder, 'contacts'),
    addresses: readRows(folder, 'addresses'),
    placements: readRows(folder, 'placements'),
    products: readRows(folder, 'products'),
    campaigns: readRows(folder, 'campaigns'),
    ad_groups: readRows(folder, 'ad_groups'),
    creatives: readRows(folder, 'creatives'),
    insertion_orders: readRows(folder, 'insertion_orders'),
    users: readRows(folder, 'users'),
    facts: { pla: facts('pla'), toa: facts('toa'), carousel: facts('carousel') },
  };
}

/** @returns the rows of a file, by its name without extension */
export function readRows<T>(folder: string, name: string): T[] {
  const lines = readFileSync(join(folder, `${name}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** @returns the SHA-256 of every file, by its path in the folder */
export function hashFiles(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const hashes = files.map((file): [string, string] => {
    const path = join(file.parentPath, file.name);
    return [path.slice(folder.length + 1), createHash('sha256').update(readFileSync(path)).digest('hex')];
  });
  return Object.fromEntries(hashes.sort());
}

/** @returns a function that returns the row with an id, and throws if there is none */
export function byId<T extends { readonly id: number }>(rows: readonly T[]): (id: number) => T {
  const found = new Map(rows.map((row) => [row.id, row]));
  return (id) => {
    const row = found.get(id);
    if (row === undefined) throw new Error(`no row has the id ${id}`);
    return row;
  };
}
