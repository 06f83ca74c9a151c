import type { Placement } from '../data/placements.ts';
import type { LiveAdGroup } from './live-ad-group.ts';
import type { Product } from './products.ts';
import type { Random } from './random.ts';
import { addVideoViews, type VideoViews } from './video.ts';

/** What one slice of an ad group showed in one hour: a row of the load files `delivery`. An absent measure counts as 0. */
interface DeliveryRow extends VideoViews {
  daily_date: string;
  hour: number;
  ad_group_id: number;
  placement_id: number;
  division_banner?: string;
  keyword?: string;
  entity_id?: string;
  creative_key?: string;
  impressions: number;
  clicks?: number;
  cost?: number;
  opportunities?: number;
  users?: string[];
}

/** A delivery row with what the purchases that follow it depend on. */
export interface Exposure {
  readonly row: DeliveryRow;
  readonly adGroup: LiveAdGroup;
  readonly product: Product | undefined;
}

/** One hour of one ad group, with what it has shown so far, by slice. */
export interface AdGroupHour {
  readonly adGroup: LiveAdGroup;
  readonly day: string;
  readonly hour: number;
  readonly random: Random;
  readonly exposures: Map<string, Exposure>;
}

/**
 * Draws a slice, delivers impressions in it, and adds them to the slice's row.
 * @param budget limit for the cost of clicks, in micros
 * @returns the cost in micros
 */
export function deliver(adGroupHour: AdGroupHour, budget: number): number {
  const { adGroup, random, exposures } = adGroupHour;
  const { experience } = adGroup.campaign;
  const placement = adGroup.drawPlacement(random);
  const banner = random.chance(0.02) ? undefined : adGroup.drawBanner(random);
  const keyword = experience === 'pla' && placement.search ? adGroup.drawKeyword(random) : undefined;
  const creative = adGroup.drawCreative?.(random);
  const product = experience === 'toa' && random.chance(0.3) ? undefined : adGroup.drawProduct(random);
  const slice = `${placement.id} ${banner} ${keyword} ${creative?.key} ${product?.id}`;
  const exposure = exposures.get(slice) ?? { row: emptyRow(adGroupHour, placement), adGroup, product };
  const { row } = exposure;
  if (!exposures.has(slice)) {
    if (banner !== undefined) row.division_banner = banner;
    if (keyword !== undefined) row.keyword = keyword;
    if (product !== undefined) row.entity_id = product.upc;
    if (creative !== undefined) row.creative_key = creative.key;
    exposures.set(slice, exposure);
  }
  const impressions = addImpressions(row, adGroup, random);
  if (impressions === 0) return 0;
  if (creative?.seconds !== undefined) addVideoViews(row, impressions, creative.seconds, random);
  addUsers(row, impressions, adGroup, random);
  return addClicksAndCost(row, impressions, adGroup, placement, budget, random);
}

function emptyRow({ adGroup, day, hour }: AdGroupHour, placement: Placement): DeliveryRow {
  const ad_group_id = adGroup.adGroup.id;
  return { daily_date: day, hour, ad_group_id, placement_id: placement.id, impressions: 0 };
}

/** Adds impressions and, where there are auctions, opportunities; some deliveries lose all of their auctions. @returns the number of impressions */
function addImpressions(row: DeliveryRow, { rates }: LiveAdGroup, random: Random): number {
  const hasAuctions = rates.winRate > 0;
  const lost = hasAuctions && random.chance(0.04);
  // floor lowers the mean of the exponential part by about 0.5, so impressionsPerRow is the mean of the sum
  const impressions = lost ? 0 : 1 + Math.floor(-Math.log(1 - random.next()) * (rates.impressionsPerRow - 0.5));
  row.impressions += impressions;
  if (hasAuctions) {
    const missed = Math.max(impressions, 2) * (1 / rates.winRate - 1) * (0.6 + 0.8 * random.next());
    row.opportunities = (row.opportunities ?? 0) + impressions + Math.ceil(missed);
  }
  return impressions;
}

/** Adds the signed-in shoppers reached; shoppers who have not chosen a store are never signed in. */
function addUsers(row: DeliveryRow, impressions: number, { rates, drawUsers }: LiveAdGroup, random: Random): void {
  if (row.division_banner === undefined) return;
  const signedIn = Math.min(impressions, random.count(impressions * rates.signedInRate));
  const users = new Set([...(row.users ?? []), ...drawUsers(random, row.division_banner, signedIn)]);
  if (users.size > 0) row.users = [...users];
}

/** Charges per click, for no more clicks than the budget covers, or per impression. @returns the cost in micros */
function addClicksAndCost(
  row: DeliveryRow,
  impressions: number,
  { rates }: LiveAdGroup,
  placement: Placement,
  budget: number,
  random: Random,
): number {
  const priceFactor = 0.75 + 0.5 * random.next();
  const clickPrice = Math.round(rates.clickPriceMicros * priceFactor * 1e-4) * 1e4; // whole cents
  const affordable = clickPrice === 0 ? impressions : Math.min(impressions, Math.floor(budget / clickPrice));
  const clicks = Math.min(affordable, random.count(impressions * rates.clickRate * placement.clickFactor));
  const cost = clicks * clickPrice + Math.round(impressions * rates.impressionPriceMicros * priceFactor);
  if (clicks > 0) row.clicks = (row.clicks ?? 0) + clicks;
  if (cost > 0) row.cost = (Math.round((row.cost ?? 0) * 1e6) + cost) / 1e6;
  return cost;
}
