import { parseBudgets } from '../../catalog/budget-history.ts';
import { EXPERIENCES, type Experience, type ReportExperience } from '../../catalog/tables.ts';
import type { KeyValue } from '../../columns/column.ts';
import { dayNumber, parseDate } from '../../lib/calendar.ts';
import type { Joins } from '../plan/joins.ts';
import type { EntityKind } from '../scan/entities.ts';
import type { BudgetStep, Flight } from './budget-days.ts';

/** A budget that plans something, and its flight. */
export interface Budget extends Flight {
  readonly kind: EntityKind;
  /** Of the ad group or campaign. */
  readonly id: KeyValue;
  readonly name: KeyValue;
  readonly advertiserId: number;
  /** The ad group, or those of the campaign. */
  readonly adGroupIds: readonly KeyValue[];
  /** The experience of each of these; null where it is unknown. */
  readonly experiences: readonly (Experience | null)[];
  /** Whether it is ENDED, or no longer listed and without an end date. */
  readonly hasEnded: boolean;
  /** PAUSED, or SCHEDULED, so that nothing is delivered; null otherwise. */
  readonly idleStatus: string | null;
}

/** The statuses in which nothing is planned. */
const UNPLANNED: ReadonlySet<KeyValue> = new Set(['DRAFT', 'UNDER_REVIEW', 'FAILED']);

/** The statuses that keep the plan although nothing is delivered. */
const IDLE = ['PAUSED', 'SCHEDULED'] as const;

type ReadColumn = (name: string) => KeyValue;

/**
 * @returns the budgets of the advertiser's ad groups in the experience, and of campaigns none of whose ad groups has one. An ad group of unknown experience
 * belongs to the one of the report; of all, to none.
 */
export function findBudgets(joins: Joins, reported: ReportExperience, advertiserId: number): Budget[] {
  const adGroups = [...joins.keys('ad_groups', advertiserId)].map((id) => {
    const column = (name: string) => joins.adGroup(advertiserId, id, name);
    const experience = experienceOf(column('experience')) ?? (reported === 'all' ? null : reported);
    return { id, column, campaignId: column('campaignId'), experience };
  });
  const withBudgets = new Set(
    adGroups
      .filter(({ column }) => column('budget') !== null || column('budgets') !== null)
      .map(({ campaignId }) => campaignId),
  );
  const present = adGroups.filter(({ experience }) => reported === 'all' || experience === reported);
  return [...Map.groupBy(present, ({ campaignId }) => campaignId)].flatMap(([campaignId, members]) => {
    const campaign = (name: string) => joins.campaign(advertiserId, campaignId, name);
    const make = (kind: EntityKind, id: KeyValue, of: typeof members, column: ReadColumn) => {
      const adGroupIds = of.map(({ id }) => id);
      const experiences = of.map(({ experience }) => experience);
      const states = { campaign, adGroups: of.map((member) => member.column) };
      return makeBudgets({ kind, id, advertiserId, adGroupIds, experiences }, column, states);
    };
    if (!withBudgets.has(campaignId)) return make('campaign', campaignId, members, campaign);
    return members.flatMap((member) => make('ad_group', member.id, [member], member.column));
  });
}

/**
 * @param column returns the value of a column of what has the budget
 * @param states the columns of the campaign and of the ad groups that share the budget: what is true of it, or of all of these, is true of the budget
 * @returns the budget; none where it plans nothing
 */
function makeBudgets(
  ids: Pick<Budget, 'kind' | 'id' | 'advertiserId' | 'adGroupIds' | 'experiences'>,
  column: ReadColumn,
  states: { readonly campaign: ReadColumn; readonly adGroups: readonly ReadColumn[] },
): Budget[] {
  const holds = (test: (read: ReadColumn) => boolean) => test(states.campaign) || states.adGroups.every(test);
  const firstDay = dayOf(column('startDate'));
  const lastDay = dayOf(column('endDate')) ?? Number.POSITIVE_INFINITY;
  const isOpen = lastDay === Number.POSITIVE_INFINITY;
  const steps = stepsOf(column).filter(({ type }) => type !== 'LIFETIME' || !isOpen);
  if (steps.length === 0 || firstDay === undefined || holds((read) => UNPLANNED.has(read('status')))) return [];
  const hasEnded = holds((read) => read('status') === 'ENDED' || (isOpen && read('archived') === 1));
  const idleStatus = IDLE.find((status) => holds((read) => read('status') === status)) ?? null;
  return [{ ...ids, name: column('name'), steps, firstDay, lastDay, hasEnded, idleStatus }];
}

/** @returns the budgets of its history, each until the next, and before them its own */
function stepsOf(column: ReadColumn): BudgetStep[] {
  const steps = parseBudgets(column('budgets')).map(({ validFrom, budget, budgetType }) => {
    return { from: dayNumber(validFrom), amount: budget, type: budgetType };
  });
  const own = { from: Number.NEGATIVE_INFINITY, amount: column('budget'), type: column('budgetType') };
  return [own, ...steps].flatMap(({ amount, ...step }, i) => {
    const to = (steps[i]?.from ?? Number.POSITIVE_INFINITY) - 1;
    return typeof amount === 'number' ? [{ ...step, amount, to }] : [];
  });
}

/** @returns the experience of all ad groups of the budget; null where it is unknown or they have several */
export function singleExperience({ experiences }: Pick<Budget, 'experiences'>): Experience | null {
  const [first = null, ...others] = new Set(experiences);
  return others.length === 0 ? first : null;
}

function experienceOf(name: KeyValue): Experience | undefined {
  return EXPERIENCES.find((experience) => experience === name);
}

function dayOf(date: KeyValue): number | undefined {
  return date === null ? undefined : parseDate(String(date));
}
