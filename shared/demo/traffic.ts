import { EXPERIENCES, type Experience } from '../catalog/tables.ts';
import { type AdLine, openAdLine } from './ad-line.ts';
import { weekdayOf } from './calendar.ts';
import type { Flight } from './campaigns.ts';
import { createRandom, type Random } from './random.ts';
import { type Exposure, serveAds } from './serve-ads.ts';
import { hourShare, isPromoted, seasonFactor, weekdayFactor } from './shape.ts';

/** How long an ad group was on air in one hour: a row of the load files `activity`. */
export interface ActivityRow {
  readonly daily_date: string;
  readonly hour: number;
  readonly ad_group_id: number;
  readonly live_seconds: number;
  readonly scheduled_seconds: number;
}

/** What happened on one day, by experience and hour. */
export interface Day {
  readonly exposures: ReadonlyMap<Experience, readonly Exposure[]>;
  readonly activity: ReadonlyMap<Experience, readonly ActivityRow[]>;
}

/** Plays the days of the network, one after the other. */
export function createTraffic(flights: readonly Flight[]): { play(day: string): Day } {
  const lines = flights.filter((flight) => flight.firstDay <= flight.lastDay).map(openAdLine);
  return { play: (day) => playDay(lines, day) };
}

function playDay(lines: readonly AdLine[], day: string): Day {
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
function playHour(line: AdLine, day: string, hour: number, expected: number, money: number, random: Random) {
  let cost = 0;
  // An ad whose click could no longer be paid for is not shown.
  const canPay = () => cost + line.rates.clickPrice < money;
  if (!canPay()) return { exposures: [], cost, onAir: 0 };
  const wanted = random.count(expected);
  const outage = random.chance(0.004) ? random.next() : 1;
  const air = { line, day, hour, random, exposures: new Map<string, Exposure>() };
  let shown = 0;
  while (shown < Math.floor(wanted * outage) && canPay()) {
    cost += serveAds(air, money - cost);
    shown += 1;
  }
  const onAir = canPay() ? outage : Math.min(outage, shown / Math.max(1, wanted));
  return { exposures: [...air.exposures.values()], cost, onAir };
}

/** @returns the rows of the day if the ad group were on air for all of it; shorter hours are partly made up for. */
function expectedRows({ flight, commodity }: AdLine, day: string): number {
  const [from, to] = flight.tactic.hours ?? [0, 24];
  const stretched = to - from === 24 ? 1 : 20 / (to - from);
  const offWeekend = flight.plan.theme.includes('Weekend') && ![0, 5, 6].includes(weekdayOf(day)) ? 0.4 : 1;
  const promoted = isPromoted(commodity, day) ? 1.45 : 1;
  return flight.rowsPerDay * weekdayFactor(day) * seasonFactor(commodity, day) * stretched * offWeekend * promoted;
}
