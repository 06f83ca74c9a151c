import type { FactHead } from '../../catalog/partitions.ts';
import type { Completeness } from '../plan/completeness.ts';
import type { Plan } from '../plan/plan-report.ts';
import { type Budget, singleExperience } from './find-budgets.ts';

/** The last days of pacing, as day numbers; -Infinity where there is none. */
export interface CompleteDays {
  /** @returns whether the advertiser plans something in the report */
  hasPlan(advertiserId: number): boolean;
  /** The last day whose plan and cost count. */
  ofAdvertiser(advertiserId: number): number;
  /** The same, or earlier where the budget's own experience is complete to an earlier day. */
  of(budget: Budget): number;
}

/** @returns whether a day of the report is in the flight */
export function overlaps({ firstDay, lastDay }: Budget, { period }: Plan): boolean {
  return firstDay <= period.lastDay && lastDay >= period.firstDay;
}

/**
 * Plan and cost of an advertiser end on the same day: the earliest through which the data of the experiences is complete in which it plans something in the
 * report. Budgets of unknown experience stand for those in which the advertiser has delivery.
 */
export function findCompleteDays(
  plan: Plan,
  budgets: readonly Budget[],
  heads: ReadonlyMap<number, FactHead>,
  completeness: Completeness,
): CompleteDays {
  const planning = budgets.filter((budget) => overlaps(budget, plan));
  const days = new Map(
    [...Map.groupBy(planning, ({ advertiserId }) => advertiserId)].map(([id, own]) => {
      const named = new Set(own.flatMap(({ experiences }) => experiences));
      const delivered = heads.get(id)?.latestDelivery;
      const experiences = plan.experiences.filter(
        (name) => named.has(name) || (named.has(null) && delivered?.has(name) === true),
      );
      const complete = experiences.map((name) => completeness.lastDayOf(id, name)).filter(Number.isFinite);
      return [id, complete.length > 0 ? Math.min(...complete) : completeness.lastDayOf(id)] as const;
    }),
  );
  const ofAdvertiser = (id: number) => days.get(id) ?? completeness.lastDayOf(id);
  return {
    hasPlan: (id) => days.has(id),
    ofAdvertiser,
    of: (budget) => {
      const experience = singleExperience(budget);
      const day = ofAdvertiser(budget.advertiserId);
      return experience === null ? day : Math.min(day, completeness.lastDayOf(budget.advertiserId, experience));
    },
  };
}
