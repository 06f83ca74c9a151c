import { EXPERIENCES, type Experience } from '../catalog/tables.ts';
import { createAudience } from './audience.ts';
import { weekdayOf } from './calendar.ts';
import type { Flight } from './campaigns.ts';
import type { Product } from './catalogue.ts';
import { creativesOf, type ShownCreative } from './creatives.ts';
import { BANNERS, type Placement, placementsOf } from './placements.ts';
import { createRandom, type Draw, drawByRank, drawByWeight, type Random } from './random.ts';
import { RATES, type Rates } from './rates.ts';
import { hourShare, isPromoted, seasonFactor, weekdayFactor } from './shape.ts';
import { type Commodity, findCommodity } from './taxonomy.ts';
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

/** How long an ad group was on air in one hour: a row of the load files `activity`. */
export interface ActivityRow {
  readonly daily_date: string;
  readonly hour: number;
  readonly ad_group_id: number;
  readonly live_seconds: number;
  readonly scheduled_seconds: number;
}

/** A delivery row, with what a purchase is credited by. */
export interface Exposure {
  readonly row: DeliveryRow;
  readonly flight: Flight;
  readonly rates: Rates;
  readonly commodity: Commodity;
  readonly product: Product | undefined;
}

export interface Day {
  readonly exposures: ReadonlyMap<Experience, readonly Exposure[]>;
  readonly activity: ReadonlyMap<Experience, readonly ActivityRow[]>;
}

/** Plays the days of the network, one after the other. */
export function createTraffic(flights: readonly Flight[]): { play(day: string): Day } {
  const lines = flights.filter((flight) => flight.firstDay <= flight.lastDay).map(openLine);
  return { play: (day) => playDay(lines, day) };
}

/** An ad group on air: everything that its hours are drawn from. */
interface Line {
  readonly flight: Flight;
  readonly rates: Rates;
  readonly commodity: Commodity;
  readonly audience: ReturnType<typeof createAudience>;
  readonly placements: Draw<Placement>;
  readonly banners: Draw<string>;
  readonly keywords: Draw<string>;
  readonly products: Draw<Product>;
  readonly creatives: Draw<ShownCreative> | undefined;
}

function openLine(flight: Flight): Line {
  const { experience } = flight.plan;
  const commodity = findCommodity(flight.products[0]?.commodity ?? '');
  const creatives = creativesOf(flight);
  const shuffle = createRandom(`line ${flight.adGroup.id}`);
  const products = flight.products.map((product) => ({ product, at: shuffle.next() })).sort((a, b) => a.at - b.at);
  return {
    flight,
    rates: RATES[experience],
    commodity,
    audience: createAudience(flight.advertiser.id - 2000),
    placements: drawByWeight(placementsOf(experience), (placement) => placement.weight),
    banners: drawByRank(BANNERS, 0.8),
    keywords: drawByRank(commodity.keywords, 1.1),
    products: drawByRank(
      products.map(({ product }) => product),
      0.9,
    ),
    creatives: creatives.length === 0 ? undefined : drawByRank(creatives, 0.8),
  };
}

function playDay(lines: readonly Line[], day: string): Day {
  const random = createRandom(`traffic ${day}`);
  const exposures = new Map<Experience, Exposure[]>(EXPERIENCES.map((experience) => [experience, []]));
  const activity = new Map<Experience, ActivityRow[]>(EXPERIENCES.map((experience) => [experience, []]));
  const spent = new Map<string, number>();
  const onAir = lines
    .filter(({ flight }) => flight.firstDay <= day && day <= flight.lastDay)
    .map((line) => ({ line, rowsOfDay: expectedRows(line, day) }));
  for (let hour = 0; hour < 24; hour++) {
    for (const { line, rowsOfDay } of onAir) {
      const { adGroup, plan, tactic, purse } = line.flight;
      const [from, to] = tactic.hours ?? [0, 24];
      if (hour < from || hour >= to) continue;
      const money = purse.perDay - (spent.get(purse.id) ?? 0);
      const played = playHour(line, day, hour, rowsOfDay * hourShare(hour), money, random);
      spent.set(purse.id, (spent.get(purse.id) ?? 0) + played.cost);
      exposures.get(plan.experience)?.push(...played.exposures);
      activity.get(plan.experience)?.push({
        daily_date: day,
        hour,
        ad_group_id: adGroup.id,
        live_seconds: Math.round(3600 * played.onAir),
        scheduled_seconds: 3600,
      });
    }
  }
  return { exposures, activity };
}

/** @returns what the ad group showed until the hour or the money was over; `onAir` is the part of the hour that was. */
function playHour(line: Line, day: string, hour: number, expected: number, money: number, random: Random) {
  let cost = 0;
  // An ad whose click could no longer be paid for is not shown.
  const canPay = () => cost + line.rates.clickPrice < money;
  if (!canPay()) return { exposures: [], cost, onAir: 0 };
  const wanted = random.count(expected);
  const outage = random.chance(0.004) ? random.next() : 1;
  const slices = new Map<string, Exposure>();
  let shown = 0;
  while (shown < Math.floor(wanted * outage) && canPay()) {
    cost += show(line, day, hour, slices, random);
    shown += 1;
  }
  const onAir = canPay() ? outage : Math.min(outage, shown / Math.max(1, wanted));
  return { exposures: [...slices.values()], cost, onAir };
}

/** @returns the rows of the day if the ad group were on air for all of it; shorter hours are partly made up for. */
function expectedRows({ flight, commodity }: Line, day: string): number {
  const [from, to] = flight.tactic.hours ?? [0, 24];
  const stretched = to - from === 24 ? 1 : 20 / (to - from);
  const offWeekend = flight.plan.theme.includes('Weekend') && ![0, 5, 6].includes(weekdayOf(day)) ? 0.4 : 1;
  const promoted = isPromoted(commodity, day) ? 1.45 : 1;
  return flight.rowsPerDay * weekdayFactor(day) * seasonFactor(commodity, day) * stretched * offWeekend * promoted;
}

/** Shows the ads to one more slice of the hour's visitors, or to one already there. @returns the cost in micros */
function show(line: Line, day: string, hour: number, slices: Map<string, Exposure>, random: Random): number {
  const { flight, rates } = line;
  const placement = line.placements.draw(random);
  const banner = random.chance(0.02) ? undefined : line.banners.draw(random);
  const keyword = flight.plan.experience === 'pla' && placement.search ? line.keywords.draw(random) : undefined;
  const creative = line.creatives?.draw(random);
  const product = flight.plan.experience === 'toa' && random.chance(0.3) ? undefined : line.products.draw(random);
  const key = `${placement.id} ${banner} ${keyword} ${creative?.key} ${product?.id}`;
  const known = slices.get(key);
  if (known !== undefined) return serve(known.row, line, placement, creative, random);
  const row: DeliveryRow = {
    daily_date: day,
    hour,
    ad_group_id: flight.adGroup.id,
    placement_id: placement.id,
    impressions: 0,
  };
  if (banner !== undefined) row.division_banner = banner;
  if (keyword !== undefined) row.keyword = keyword;
  if (product !== undefined) row.entity_id = product.upc;
  if (creative !== undefined) row.creative_key = creative.key;
  slices.set(key, { row, flight, rates, commodity: line.commodity, product });
  return serve(row, line, placement, creative, random);
}

/** Adds one burst of impressions and what came of them to the row. @returns the cost in micros */
function serve(
  row: DeliveryRow,
  line: Line,
  placement: Placement,
  creative: ShownCreative | undefined,
  random: Random,
) {
  const { rates, audience } = line;
  const lost = rates.winRate > 0 && random.chance(0.04);
  const impressions = lost ? 0 : 1 + Math.floor(-Math.log(1 - random.next()) * (rates.impressionsPerRow - 0.5));
  row.impressions += impressions;
  if (rates.winRate > 0) {
    const missed = Math.max(impressions, 2) * (1 / rates.winRate - 1) * (0.6 + 0.8 * random.next());
    row.opportunities = (row.opportunities ?? 0) + impressions + Math.ceil(missed);
  }
  if (impressions === 0) return 0;
  const clicks = Math.min(impressions, random.count(impressions * rates.clickRate * placement.attraction));
  const bid = 0.75 + 0.5 * random.next();
  const cost =
    clicks * Math.round(rates.clickPrice * bid * 1e-4) * 1e4 + Math.round(impressions * rates.impressionPrice * bid);
  if (clicks > 0) row.clicks = (row.clicks ?? 0) + clicks;
  if (cost > 0) row.cost = (Math.round((row.cost ?? 0) * 1e6) + cost) / 1e6;
  if (creative?.seconds !== undefined) playVideos(row, impressions, creative.seconds, random);
  if (row.division_banner !== undefined) {
    const wanted = Math.min(impressions, random.count(impressions * rates.knownUsers));
    const users = new Set([...(row.users ?? []), ...audience.reach(random, row.division_banner, wanted)]);
    if (users.size > 0) row.users = [...users];
  }
  return cost;
}
