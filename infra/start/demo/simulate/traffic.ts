import { EXPERIENCES, type Experience } from '../../../../shared/catalog/tables.ts';
import { weekdayOf } from './days.ts';
import { type AdGroupHour, deliver, type Exposure } from './delivery.ts';
import { hourShare, isPromoted, seasonFactor, weekdayFactor } from './demand.ts';
import type { LiveAdGroup } from './live-ad-group.ts';
import { createRandom } from './random.ts';

/** How long an ad group was live in one hour: a row of the load files `activity`. */
export interface ActivityRow {
  readonly daily_date: string;
  readonly hour: number;
  readonly ad_group_id: number;
  readonly live_seconds: number;
  readonly scheduled_seconds: number;
}

/** The facts of one day per experience, by hour. */
interface DayOfTraffic {
  readonly exposures: ReadonlyMap<Experience, readonly Exposure[]>;
  readonly activity: ReadonlyMap<Experience, readonly ActivityRow[]>;
}

/** Simulates one day: hour by hour, each ad group delivers until its budget of the day is spent. */
export function simulateDay(adGroups: readonly LiveAdGroup[], day: string): DayOfTraffic {
  const random = createRandom(`traffic ${day}`);
  const exposures = new Map<Experience, Exposure[]>(EXPERIENCES.map((experience) => [experience, []]));
  const activity = new Map<Experience, ActivityRow[]>(EXPERIENCES.map((experience) => [experience, []]));
  const spent = new Map<string, number>();
  const scheduled = adGroups
    .filter(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay)
    .map((adGroup) => ({ adGroup, rowsOfDay: expectedRows(adGroup, day) }));
  for (let hour = 0; hour < 24; hour++) {
    for (const { adGroup, rowsOfDay } of scheduled) {
      const { budget, campaign, template } = adGroup;
      const [from, to] = template.hours ?? [0, 24];
      if (hour < from || hour >= to) continue;
      const spentBefore = spent.get(budget.id) ?? 0;
      const adGroupHour = { adGroup, day, hour, random, exposures: new Map<string, Exposure>() };
      const { cost, live } = simulateHour(adGroupHour, rowsOfDay * hourShare(hour), budget.microsPerDay - spentBefore);
      spent.set(budget.id, spentBefore + cost);
      exposures.get(campaign.experience)?.push(...adGroupHour.exposures.values());
      activity.get(campaign.experience)?.push({
        daily_date: day,
        hour,
        ad_group_id: adGroup.adGroup.id,
        live_seconds: Math.round(3600 * live),
        scheduled_seconds: 3600,
      });
    }
  }
  return { exposures, activity };
}

/** @returns the cost in micros, and the share of the hour in which the ad group was live: until its budget was spent, or until a rare outage */
function simulateHour(adGroupHour: AdGroupHour, expectedRows: number, budget: number): { cost: number; live: number } {
  const { adGroup, random } = adGroupHour;
  let cost = 0;
  // An ad is shown only while the budget covers a click at the average price.
  const hasBudget = () => cost + adGroup.rates.clickPriceMicros < budget;
  if (!hasBudget()) return { cost, live: 0 };
  const wanted = random.count(expectedRows);
  const uptime = random.chance(0.004) ? random.next() : 1;
  let delivered = 0;
  while (delivered < Math.floor(wanted * uptime) && hasBudget()) {
    cost += deliver(adGroupHour, budget - cost);
    delivered += 1;
  }
  return { cost, live: hasBudget() ? uptime : Math.min(uptime, delivered / Math.max(1, wanted)) };
}

/** @returns the rows that the ad group would deliver in 24 hours; a schedule of n < 24 hours has 20 / n times as many per hour */
function expectedRows({ campaign, template, rowsPerDay, commodity }: LiveAdGroup, day: string): number {
  const [from, to] = template.hours ?? [0, 24];
  const density = to - from === 24 ? 1 : 20 / (to - from);
  const offWeekend = campaign.theme.includes('Weekend') && ![0, 5, 6].includes(weekdayOf(day)) ? 0.4 : 1;
  const promoted = isPromoted(commodity, day) ? 1.45 : 1;
  return rowsPerDay * weekdayFactor(day) * seasonFactor(commodity, day) * density * offWeekend * promoted;
}
