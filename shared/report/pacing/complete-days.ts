import { experiencesIn } from '../../catalog/tables.ts';
import type { FactHead } from '../../layout/partitions.ts';
import { dayNumber } from '../../lib/calendar.ts';
import type { Completeness } from '../plan/completeness.ts';
import type { Plan } from '../plan/plan-report.ts';
import { type Budget, singleExperience } from './find-budgets.ts';

/** The last days of pacing, as day numbers; -Infinity where there is none. */
export interface CompleteDays {
  /** The last day whose plan and cost count. */
  ofAdvertiser(advertiserId: number): number;
  /** The same, or earlier where the budget's own experience is complete to an earlier day. */
  of(budget: Budget): number;
}

/** @returns whether a day of the report is in the flight */
export function overlaps({ firstDay, lastDay }: Budget, { period }: Plan): boolean {
  return firstDay <= period.lastDay && lastDay >= period.firstDay;
}

/** @returns the advertisers whose complete data ends before the period, or in it, while their delivery in the report's experiences goes on */
export function findCutShort(
  { period, experiences }: Plan,
  heads: ReadonlyMap<number, FactHead>,
  completeDays: CompleteDays,
): Set<number> {
  const goesOn = ({ advertiserId, latestDelivery }: FactHead) => {
    const lastDay = completeDays.ofAdvertiser(advertiserId);
    const isLater = (latest: string) => dayNumber(latest) > lastDay;
    return period.lastDay > lastDay && experiences.flatMap((name) => latestDelivery.get(name) ?? []).some(isLater);
  };
  return new Set([...heads.values()].filter(goesOn).map(({ advertiserId }) => advertiserId));
}

/**
 * Plan and cost of an advertiser end on the same day: the earliest through which the data of the experiences is complete in which it has budgets whose flights
 * are not over by then, whatever period and experiences a report covers. Budgets of unknown experience stand for those in which the advertiser has delivery.
 */
export function findCompleteDays(
  { query }: Plan,
  budgets: readonly Budget[],
  heads: ReadonlyMap<number, FactHead>,
  completeness: Completeness,
): CompleteDays {
  const days = new Map(
    [...Map.groupBy(budgets, ({ advertiserId }) => advertiserId)].map(([id, own]) => {
      const delivered = heads.get(id)?.latestDelivery;
      const completeDays = (counts: (budget: Budget, completeDay: number) => boolean) =>
        experiencesIn(query.experience).flatMap((name) => {
          const day = completeness.lastDayOf(id, name);
          const isIn = ({ experiences }: Budget) =>
            experiences.includes(name) || (experiences.includes(null) && delivered?.has(name) === true);
          return Number.isFinite(day) && own.some((budget) => isIn(budget) && counts(budget, day)) ? [day] : [];
        });
      const running = completeDays(({ lastDay, hasEnded }, day) => lastDay > day && !hasEnded);
      const complete = running.length > 0 ? running : completeDays(() => true);
      return [id, complete.length > 0 ? Math.min(...complete) : completeness.lastDayOf(id)] as const;
    }),
  );
  const ofAdvertiser = (id: number) => days.get(id) ?? completeness.lastDayOf(id);
  return {
    ofAdvertiser,
    of: (budget) => {
      const experience = singleExperience(budget);
      const day = ofAdvertiser(budget.advertiserId);
      return experience === null ? day : Math.min(day, completeness.lastDayOf(budget.advertiserId, experience));
    },
  };
}
