import type { AdLine } from './ad-line.ts';
import type { Product } from './catalogue.ts';
import type { Placement } from './placements.ts';
import type { Random } from './random.ts';
import { playVideos, type VideoViews } from './video.ts';

/** What was shown in one hour to one slice: a row of the load files `delivery`. Members that are absent count 0, or are unknown. */
export interface DeliveryRow extends VideoViews {
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

/** A delivery row, with what a purchase is credited by. */
export interface Exposure {
  readonly row: DeliveryRow;
  readonly line: AdLine;
  readonly product: Product | undefined;
}

/** One hour of one ad group, and what it has shown so far, by slice. */
export interface AirTime {
  readonly line: AdLine;
  readonly day: string;
  readonly hour: number;
  readonly random: Random;
  readonly exposures: Map<string, Exposure>;
}

/**
 * Shows ads to one more slice of the hour's visitors, or to one already there.
 * @param money what may be spent on clicks, in micros @returns what it cost, in micros
 */
export function serveAds(air: AirTime, money: number): number {
  const { line, random, exposures } = air;
  const { experience } = line.flight.plan;
  const placement = line.placements.draw(random);
  const banner = random.chance(0.02) ? undefined : line.banners.draw(random);
  const keyword = experience === 'pla' && placement.search ? line.keywords.draw(random) : undefined;
  const creative = line.creatives?.draw(random);
  const product = experience === 'toa' && random.chance(0.3) ? undefined : line.products.draw(random);
  const slice = `${placement.id} ${banner} ${keyword} ${creative?.key} ${product?.id}`;
  const exposure = exposures.get(slice) ?? { row: emptyRow(air, placement), line, product };
  const { row } = exposure;
  if (!exposures.has(slice)) {
    if (banner !== undefined) row.division_banner = banner;
    if (keyword !== undefined) row.keyword = keyword;
    if (product !== undefined) row.entity_id = product.upc;
    if (creative !== undefined) row.creative_key = creative.key;
    exposures.set(slice, exposure);
  }
  const impressions = bid(row, line, random);
  if (impressions === 0) return 0;
  if (creative?.seconds !== undefined) playVideos(row, impressions, creative.seconds, random);
  reach(row, impressions, line, random);
  return charge(row, impressions, line, placement, money, random);
}

function emptyRow({ line, day, hour }: AirTime, placement: Placement): DeliveryRow {
  const ad_group_id = line.flight.adGroup.id;
  return { daily_date: day, hour, ad_group_id, placement_id: placement.id, impressions: 0 };
}

/** Takes part in a burst of auctions; now and then all of them are lost. @returns the impressions won */
function bid(row: DeliveryRow, { rates }: AdLine, random: Random): number {
  const counted = rates.winRate > 0;
  const lost = counted && random.chance(0.04);
  const impressions = lost ? 0 : 1 + Math.floor(-Math.log(1 - random.next()) * (rates.impressionsPerRow - 0.5));
  row.impressions += impressions;
  if (counted) {
    const missed = Math.max(impressions, 2) * (1 / rates.winRate - 1) * (0.6 + 0.8 * random.next());
    row.opportunities = (row.opportunities ?? 0) + impressions + Math.ceil(missed);
  }
  return impressions;
}

/** Some of the visitors are signed in; where no store was chosen nobody is. */
function reach(row: DeliveryRow, impressions: number, { rates, audience }: AdLine, random: Random): void {
  if (row.division_banner === undefined) return;
  const known = Math.min(impressions, random.count(impressions * rates.knownUsers));
  const users = new Set([...(row.users ?? []), ...audience.reach(random, row.division_banner, known)]);
  if (users.size > 0) row.users = [...users];
}

/** Counts the clicks, no more than there is money for, and charges them or the impressions. @returns the cost in micros */
function charge(
  row: DeliveryRow,
  impressions: number,
  { rates }: AdLine,
  placement: Placement,
  money: number,
  random: Random,
): number {
  const price = 0.75 + 0.5 * random.next();
  const clickPrice = Math.round(rates.clickPrice * price * 1e-4) * 1e4; // whole cents
  const affordable = clickPrice === 0 ? impressions : Math.min(impressions, Math.floor(money / clickPrice));
  const clicks = Math.min(affordable, random.count(impressions * rates.clickRate * placement.attraction));
  const cost = clicks * clickPrice + Math.round(impressions * rates.impressionPrice * price);
  if (clicks > 0) row.clicks = (row.clicks ?? 0) + clicks;
  if (cost > 0) row.cost = (Math.round((row.cost ?? 0) * 1e6) + cost) / 1e6;
  return cost;
}
