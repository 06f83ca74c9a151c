import { PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import { integerOf } from '../../../shared/load/schema/text-ids.ts';
import type { Dataset, DimensionRow, FactRow } from '../../support/facts.ts';
import type { Random } from './random.ts';

/** Ids at the limits of 32-bit integers (signed and unsigned) and of doubles. Some are equal in their lower 32 bits. */
const EDGES = [
  ...[1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1],
  ...[2 ** 33 + 1, Number.MAX_SAFE_INTEGER],
];

type Kind = 'account' | 'advertiser' | 'campaign' | 'adGroup' | 'placement';
type Renumber = (kind: Kind, id: unknown) => number | null;

/** @returns the dataset with new ids: those of EDGES for some entities of each kind, the integers of texts for the others */
export function withLargeIds(random: Random, data: Dataset): Dataset {
  const renumber = renumbering(random);
  const owned = (row: DimensionRow): DimensionRow => ({
    ...row,
    advertiserId: renumber('advertiser', row.advertiserId),
  });
  const fact = (row: FactRow): FactRow => ({
    ...row,
    advertiserId: row.advertiserId === PLATFORM_ID ? PLATFORM_ID : (renumber('advertiser', row.advertiserId) ?? 0),
    ...('ad_group_id' in row ? { ad_group_id: renumber('adGroup', row.ad_group_id) } : {}),
    ...('placement_id' in row ? { placement_id: renumber('placement', row.placement_id) } : {}),
  });
  const { tables, facts } = data;
  return {
    tables: {
      ...tables,
      accounts: tables.accounts.map((row) => ({ ...row, id: renumber('account', row.id) })),
      advertisers: tables.advertisers.map((row) => ({
        ...row,
        id: renumber('advertiser', row.id),
        accountId: renumber('account', row.accountId),
        accountIds: idsIn(row.accountIds).map((id) => renumber('account', id) ?? 0),
      })),
      placements: tables.placements.map((row) => ({ ...row, id: renumber('placement', row.id) })),
      campaigns: tables.campaigns.map((row) => ({ ...owned(row), id: renumber('campaign', row.id) })),
      ad_groups: tables.ad_groups.map((row) => ({
        ...owned(row),
        id: renumber('adGroup', row.id),
        campaignId: renumber('campaign', row.campaignId),
      })),
      creatives: tables.creatives.map(owned),
      insertion_orders: tables.insertion_orders.map((row) => ({
        ...owned(row),
        campaignId: renumber('campaign', row.campaignId),
      })),
      products: tables.products.map(owned),
      freshness: (tables.freshness ?? []).map(owned),
    },
    facts: {
      delivery: facts.delivery.map(fact),
      conversions: facts.conversions.map(fact),
      activity: facts.activity.map(fact),
      market: facts.market.map(fact),
    },
  };
}

/** @returns a function that maps each id of a kind to one new number, and null and absent ids to null */
function renumbering(random: Random): Renumber {
  const numbers = new Map<string, number>();
  const edges = new Map<Kind, number[]>();
  return (kind, id) => {
    if (id === null || id === undefined) return null;
    const free = edges.get(kind) ?? random.sample(EDGES, EDGES.length);
    edges.set(kind, free);
    const key = `${kind} ${id}`;
    const number = numbers.get(key) ?? free.pop() ?? integerOf(key);
    numbers.set(key, number);
    return number;
  };
}

function idsIn(cell: DimensionRow[string] | undefined): readonly unknown[] {
  return Array.isArray(cell) ? cell : [];
}
