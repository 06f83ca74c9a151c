import { daysInMonth, formatDay, parseDate } from '../calendar.ts';
import type { KeyValue } from '../columns/column.ts';
import { compareKeys } from '../columns/dictionary.ts';
import type { AxisCodes } from './axes.ts';
import type { GroupTable } from './group-table.ts';
import type { Joins } from './joins.ts';

/** A budget and the days it is meant for: of an ad group, or of a campaign none of whose ad groups has one. */
interface PlanEntity {
  readonly advertiserId: number;
  /** The campaign's id, where the plan is the campaign's. */
  readonly campaignId: KeyValue;
  /** The ad group; of a campaign any one of them, because what groups them is alike in all. */
  readonly adGroupId: KeyValue;
  readonly budget: number;
  readonly budgetType: KeyValue;
  readonly firstDay: number;
  /** Infinity for an open end. */
  readonly lastDay: number;
}

/** The plans of a report's ad groups: which cost has one, and how much was planned for each group. */
export class PlanBook {
  readonly #joins: Joins;
  readonly #splitsCampaigns: boolean;
  readonly #entities = new Map<number, Map<KeyValue, PlanEntity | undefined>>();
  readonly #campaignsOfBudgetedAdGroups = new Map<number, Set<KeyValue>>();
  readonly #byCampaign = new Map<KeyValue, PlanEntity>();
  readonly #seen = new Set<PlanEntity>();
  readonly #withheld = new Set<KeyValue>();

  /** @param splitsCampaigns whether the report tells ad groups of one campaign apart: then a campaign's plan has no meaning */
  constructor(joins: Joins, splitsCampaigns: boolean) {
    this.#joins = joins;
    this.#splitsCampaigns = splitsCampaigns;
  }

  /** Campaigns with delivery whose plan was left out, because the report tells their ad groups apart. */
  get withheld(): number {
    return this.#withheld.size;
  }

  /** @returns whether the ad group's cost enters pacing; where it does, its plan will. Call it only for ad groups with delivery in the report. */
  enter(advertiserId: number, adGroupId: KeyValue): boolean {
    let known = this.#entities.get(advertiserId);
    if (known === undefined) {
      known = new Map();
      this.#entities.set(advertiserId, known);
    }
    if (!known.has(adGroupId)) known.set(adGroupId, this.#findEntity(advertiserId, adGroupId));
    const entity = known.get(adGroupId);
    if (entity !== undefined) this.#seen.add(entity);
    return entity !== undefined;
  }

  /**
   * Adds to `plan[group]` what was planned for the group: for each entity with delivery, over `days` that lie in its flight and in the
   * group's date slice.
   * @param days the counted days, ascending: of the window, passing the date filters, up to dataCompleteThrough
   */
  addPlans(
    plan: Float64Array,
    table: GroupTable,
    axes: readonly AxisCodes[],
    experience: string,
    days: readonly number[],
  ): void {
    const dateAxis = axes.findIndex((it) => it.axis.base === 'date');
    const slices = days.map((day) =>
      dateAxis === -1 ? 0 : (axes[dateAxis]?.codeOf(this.#joins, 0, formatDay(day)) ?? 0),
    );
    const key = new Uint32Array(axes.length);
    table.fit(axes.map((it) => it.size));
    // in a fixed order, so that equal reports add up equal floats in equal order
    const entities = [...this.#seen].sort(byIds);
    for (const entity of entities) {
      axes.forEach(({ axis }, i) => {
        if (i !== dateAxis)
          key[i] = axes[i]?.codeOf(this.#joins, entity.advertiserId, baseOf(entity, axis.base, experience)) ?? 0;
      });
      for (const [slice, amount] of planBySlice(entity, days, slices)) {
        if (dateAxis !== -1) key[dateAxis] = slice;
        const group = table.find(key);
        if (group !== 0) plan[group] = (plan[group] ?? 0) + amount;
      }
    }
  }

  #findEntity(advertiserId: number, adGroupId: KeyValue): PlanEntity | undefined {
    const joins = this.#joins;
    const campaignId = joins.adGroup(advertiserId, adGroupId, 'campaignId');
    const ofAdGroup = (column: string) => joins.adGroup(advertiserId, adGroupId, column);
    const ofCampaign = (column: string) => joins.campaign(advertiserId, campaignId, column);
    if (ofAdGroup('budget') !== null) {
      return makeEntity(
        { advertiserId, adGroupId, campaignId: null },
        ofAdGroup('budget'),
        ofAdGroup('budgetType'),
        ofAdGroup('startDate'),
        ofAdGroup('endDate'),
      );
    }
    if (campaignId === null || this.#budgeted(advertiserId).has(campaignId)) return undefined;
    const known = this.#byCampaign.get(campaignId);
    if (known !== undefined) return known;
    const entity = makeEntity(
      { advertiserId, adGroupId, campaignId },
      ofCampaign('budget'),
      ofCampaign('budgetType'),
      ofCampaign('startDate'),
      ofCampaign('endDate'),
    );
    if (entity === undefined) return undefined;
    if (this.#splitsCampaigns) {
      this.#withheld.add(campaignId);
      return undefined;
    }
    this.#byCampaign.set(campaignId, entity);
    return entity;
  }

  /** @returns the campaigns of the advertiser of whose ad groups at least one has a budget of its own. */
  #budgeted(advertiserId: number): Set<KeyValue> {
    let campaigns = this.#campaignsOfBudgetedAdGroups.get(advertiserId);
    if (campaigns === undefined) {
      campaigns = new Set();
      for (const id of this.#joins.adGroupIds(advertiserId)) {
        if (this.#joins.adGroup(advertiserId, id, 'budget') !== null)
          campaigns.add(this.#joins.adGroup(advertiserId, id, 'campaignId'));
      }
      this.#campaignsOfBudgetedAdGroups.set(advertiserId, campaigns);
    }
    return campaigns;
  }
}

function byIds(a: PlanEntity, b: PlanEntity): number {
  return compareKeys(a.campaignId, b.campaignId) || (a.campaignId === null ? compareKeys(a.adGroupId, b.adGroupId) : 0);
}

function makeEntity(
  ids: Pick<PlanEntity, 'advertiserId' | 'adGroupId' | 'campaignId'>,
  budget: KeyValue,
  budgetType: KeyValue,
  start: KeyValue,
  end: KeyValue,
): PlanEntity | undefined {
  const firstDay = parseDate(String(start));
  if (typeof budget !== 'number' || firstDay === undefined) return undefined;
  const lastDay = end === null ? Number.POSITIVE_INFINITY : (parseDate(String(end)) ?? Number.POSITIVE_INFINITY);
  if (budgetType === 'LIFETIME' && lastDay === Number.POSITIVE_INFINITY) return undefined;
  return { ...ids, budget, budgetType, firstDay, lastDay };
}

function baseOf(entity: PlanEntity, base: string, experience: string): KeyValue {
  if (base === 'advertiser') return entity.advertiserId;
  return base === 'experience' ? experience : entity.adGroupId;
}

/** @returns what is planned for each date slice that has a counted day of the flight. Days are counted first and divided once. */
function planBySlice(entity: PlanEntity, days: readonly number[], slices: readonly number[]): Map<number, number> {
  const counted = new Map<number, Map<number, number>>();
  days.forEach((day, i) => {
    if (day < entity.firstDay || day > entity.lastDay) return;
    const slice = slices[i] ?? 0;
    const daysOfPeriod = periodDays(entity, day);
    let periods = counted.get(slice);
    if (periods === undefined) {
      periods = new Map();
      counted.set(slice, periods);
    }
    periods.set(daysOfPeriod, (periods.get(daysOfPeriod) ?? 0) + 1);
  });
  const planned = new Map<number, number>();
  for (const [slice, periods] of counted) {
    let amount = 0;
    for (const [daysOfPeriod, count] of periods) amount += (entity.budget * count) / daysOfPeriod;
    planned.set(slice, amount);
  }
  return planned;
}

/** @returns over how many days the budget is spread, for this day. */
function periodDays(entity: PlanEntity, day: number): number {
  switch (entity.budgetType) {
    case 'DAILY':
      return 1;
    case 'WEEKLY':
      return 7;
    case 'MONTHLY':
      return daysInMonth(day);
    default:
      return entity.lastDay - entity.firstDay + 1;
  }
}
