import { parseBudgets } from '../../catalog/budget-history.ts';
import { EXPERIENCES, type Experience, type ReportExperience } from '../../catalog/tables.ts';
import type { KeyValue } from '../../columns/column.ts';
import { dayNumber, parseDate } from '../../lib/calendar.ts';
import type { Joins } from '../plan/joins.ts';
import type { EntityKind } from '../scan/entities.ts';
import { type Flight, type GivenBudget, spreadBudgets } from './budget-days.ts';

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
 * @returns the budgets of the advertiser's ad groups in the experience, and those of campaigns until the first of their ad groups has one. An ad group of unknown
 * experience belongs to the one of the report; of all, to none.
 */
export function findBudgets(joins: Joins, reported: ReportExperience, advertiserId: number): Budget[] {
  const adGroups = [...joins.keys('ad_groups', advertiserId)].map((id) => {
    const column = (name: string) => joins.adGroup(advertiserId, id, name);
    const experience = experienceOf(column('experience')) ?? (reported === 'all' ? null : reported);
    const isDeleted = column('archived') === 1 && column('status') === null; // only ids are kept of it
    const budgets = isDeleted ? [] : budgetsOf(column);
    return { id, column, campaignId: column('campaignId'), experience, isDeleted, budgets };
  });
  return [...Map.groupBy(adGroups, ({ campaignId }) => campaignId)].flatMap(([campaignId, siblings]) => {
    const members = siblings.filter(({ experience }) => reported === 'all' || experience === reported);
    if (members.every(({ isDeleted }) => isDeleted)) return [];
    const campaign = (name: string) => joins.campaign(advertiserId, campaignId, name);
    const make = (kind: EntityKind, id: KeyValue, of: typeof members, column: ReadColumn, given: GivenBudget[]) => {
      const adGroupIds = of.map(({ id }) => id);
      const experiences = of.map(({ experience }) => experience);
      const states = { campaign, adGroups: of.filter(({ isDeleted }) => !isDeleted).map((member) => member.column) };
      return makeBudgets({ kind, id, advertiserId, adGroupIds, experiences }, column, given, states);
    };
    const ends = siblings.flatMap(({ budgets }) => budgets[0]?.from ?? []).map((from) => ({ from, ...NO_BUDGET }));
    const [end] = ends.sort((a, b) => a.from - b.from);
    const own = budgetsOf(campaign).filter(({ from }) => end === undefined || from < end.from);
    return [
      ...make('campaign', campaignId, members, campaign, end ? [...own, end] : own),
      ...members.flatMap((member) => make('ad_group', member.id, [member], member.column, member.budgets)),
    ];
  });
}

const NO_BUDGET = { amount: null, type: null };

/**
 * @param column returns the value of a column of what has the budget
 * @param states the columns of the campaign and of the ad groups that share the budget: what is true of it, or of all of these, is true of the budget
 * @returns the budget; none where it plans nothing
 */
function makeBudgets(
  ids: Pick<Budget, 'kind' | 'id' | 'advertiserId' | 'adGroupIds' | 'experiences'>,
  column: ReadColumn,
  given: readonly GivenBudget[],
  states: { readonly campaign: ReadColumn; readonly adGroups: readonly ReadColumn[] },
): Budget[] {
  const holds = (test: (read: ReadColumn) => boolean) => test(states.campaign) || states.adGroups.every(test);
  const firstDay = dayOf(column('startDate'));
  const lastDay = dayOf(column('endDate')) ?? Number.POSITIVE_INFINITY;
  const isOpen = lastDay === Number.POSITIVE_INFINITY;
  if (firstDay === undefined || holds((read) => UNPLANNED.has(read('status')))) return [];
  const steps = spreadBudgets({ firstDay, lastDay }, given);
  if (steps.length === 0) return [];
  const hasEnded = holds((read) => read('status') === 'ENDED' || (isOpen && read('archived') === 1));
  const idleStatus = IDLE.find((status) => holds((read) => read('status') === status)) ?? null;
  return [{ ...ids, name: column('name'), steps, firstDay, lastDay, hasEnded, idleStatus }];
}

/** @returns the budget of its own, and those of its history, from the first that there is */
function budgetsOf(column: ReadColumn): GivenBudget[] {
  const changes = parseBudgets(column('budgets')).map(({ validFrom, budget, budgetType }) => {
    return { from: dayNumber(validFrom), amount: budget, type: budgetType };
  });
  const own = { from: Number.NEGATIVE_INFINITY, amount: column('budget'), type: column('budgetType') };
  return own.amount === null ? changes : [own, ...changes];
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
