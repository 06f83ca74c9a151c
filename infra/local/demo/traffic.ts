import { dayNumber } from '../../../shared/lib/calendar.ts';
import { existing, HOURS, RATES, WEEKDAYS } from './data/network.ts';
import { deliver, type Exposure, type LiveAdGroup } from './delivery.ts';
import { isPromoted } from './demand.ts';
import { createRandom, type Random } from './random.ts';

const HOURS_TOTAL = HOURS.reduce((sum, share) => sum + share, 0);

/**
 * Simulates a day: hour by hour, each ad group delivers until its budget of the day is spent.
 * @returns by experience, what was shown, and how long ad groups were live
 */
export function simulateDay(adGroups: readonly LiveAdGroup[], day: string) {
  const random = createRandom(`traffic ${day}`);
  const noFacts = (): { readonly exposures: Exposure[]; readonly activity: Activity[] } => ({
    exposures: [],
    activity: [],
  });
  const byExperience = new Map([...RATES.keys()].map((experience) => [experience, noFacts()]));
  const spent = new Map<number, number>();
  const scheduled = adGroups
    .filter(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay)
    .map((adGroup) => ({ adGroup, expected: adGroup.rowsPerDay * demandOf(adGroup, day) }));
  for (const [hour, visits] of HOURS.entries()) {
    for (const { adGroup, expected } of scheduled) {
      const [from = 0, to = 24] = adGroup.part.hours;
      if (hour < from || hour >= to) continue;
      const { id, microsPerDay } = adGroup.budget;
      const spentBefore = spent.get(id) ?? 0;
      const { cost, live, exposures } = simulateHour(
        adGroup,
        hour,
        expected * (visits / HOURS_TOTAL),
        microsPerDay - spentBefore,
        random,
      );
      spent.set(id, spentBefore + cost);
      const facts = existing(byExperience.get(adGroup.plan.experience));
      facts.exposures.push(...exposures);
      facts.activity.push(activityRow(adGroup, day, hour, live));
    }
  }
  return byExperience;
}

/** @returns the demand of a day for an ad group, relative to its average day: by weekday, season and promotion */
function demandOf({ commodity, plan, part }: LiveAdGroup, day: string): number {
  const weekday = (dayNumber(day) + 4) % 7; // day 0 was a Thursday
  const dayOfYear = dayNumber(day) - dayNumber(`${day.slice(0, 4)}-01-01`) + 1;
  const peak = (commodity.peakMonth - 0.5) * 30.4;
  const season = 1 + 0.28 * Math.cos(((dayOfYear - peak) / 365) * 2 * Math.PI);
  const offWeekend = plan.theme.includes('Weekend') && ![0, 5, 6].includes(weekday) ? 0.4 : 1;
  // A schedule of n < 24 hours has 20 / n times as many deliveries per hour.
  const [from = 0, to = 24] = part.hours;
  const density = to - from === 24 ? 1 : 20 / (to - from);
  return (WEEKDAYS[weekday] ?? 1) * season * density * offWeekend * (isPromoted(commodity, day) ? 1.45 : 1);
}

/** @returns the cost in micros, and the share of the hour in which the ad group was live: until its budget was spent, or until a rare outage */
function simulateHour(adGroup: LiveAdGroup, hour: number, expected: number, budget: number, random: Random) {
  const slices = new Map<string, Exposure>();
  let cost = 0;
  // An ad is shown only while the budget covers a click at the average price.
  const hasBudget = () => cost + adGroup.rates.clickPriceMicros < budget;
  if (!hasBudget()) return { cost, live: 0, exposures: [] };
  const wanted = random.count(expected);
  const uptime = random.chance(0.004) ? random.next() : 1;
  let delivered = 0;
  while (delivered < Math.floor(wanted * uptime) && hasBudget()) {
    cost += deliver(adGroup, hour, slices, budget - cost, random);
    delivered += 1;
  }
  const live = hasBudget() ? uptime : Math.min(uptime, delivered / Math.max(1, wanted));
  return { cost, live, exposures: slices.values() };
}

export type Activity = ReturnType<typeof activityRow>;

function activityRow({ row }: LiveAdGroup, daily_date: string, hour: number, live: number) {
  return { daily_date, hour, ad_group_id: row.id, live_seconds: Math.round(3600 * live), scheduled_seconds: 3600 };
}
