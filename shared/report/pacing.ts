import type { FactTable } from '../catalog/tables.ts';
import type { KeyValue } from '../columns/column.ts';
import { expandCodes } from '../columns/keys.ts';
import { daysInMonth, formatDay, parseDate } from '../lib/calendar.ts';
import type { Deadline } from '../lib/deadline.ts';
import type { Joins } from './plan/joins.ts';
import type { CampaignBudgets, Plan } from './plan/plan-report.ts';
import type { AxisCodes } from './scan/axes.ts';
import { type Grouping, groupsOfRows } from './scan/group-rows.ts';
import type { GroupTable } from './scan/group-table.ts';
import type { OpenReads } from './scan/open-reads.ts';
import { type GroupedFacts, type ScanContext, type SegmentCollector, scanFacts } from './scan/scan-facts.ts';
import type { Segment } from './scan/segment.ts';
import { add, type ExactInteger } from './sums/exact-numbers.ts';
import { FractionSum } from './sums/fraction-sum.ts';
import { exactSums, foldSums, type GroupSums } from './sums/group-sums.ts';
import { MeasureSums } from './sums/measure-sums.ts';

/** The budget of an ad group, or of a campaign without ad groups that have budgets, and the flight it is for. */
interface BudgetPlan {
  readonly advertiserId: number;
  /** The ad group, or any ad group of the campaign: the report's dimensions have the same values for all of them. */
  readonly adGroupId: KeyValue;
  /** In micros of the currency unit. */
  readonly budget: ExactInteger;
  readonly budgetType: KeyValue;
  readonly firstDay: number;
  /** Infinity where the flight has no end. */
  readonly lastDay: number;
}

/** The input of pacing besides facts and plan. Days are day numbers. */
export interface PacingInput {
  readonly joins: Joins;
  readonly experience: string;
  /** The days of the window that pass the report's filters on dates, ascending. */
  readonly days: readonly number[];
  /** @returns the last day that counts for budgets of the advertiser */
  readonly lastDayOf: (advertiserId: number) => number;
}

/** The pacing of a report: cost of everything that has a budget / planned cost. Both are summed exactly and divided once. Null without planned cost. */
export interface PacingResult {
  /** @returns the pacing of one group */
  of(group: number): number | null;
  /** @returns the pacing over the given groups, with both sides added up */
  over(groups: Uint32Array): number | null;
  /** The pacing of the one-row report, whose planned cost includes days without a row. */
  readonly total: number | null;
  /** How many campaign budgets the rows leave out (see `CampaignBudgets`). */
  readonly campaignsLeftOut: number;
}

/** `rows`: cost that counts in rows and totals. `total`: cost that counts in totals only. */
type CostSlot = Exclude<CampaignBudgets, 'nowhere'>;

/** The facts of a report, and its pacing where the plan includes it. */
export interface PacedFacts extends GroupedFacts {
  readonly pacing: PacingResult | undefined;
}

/** @returns the facts of the plan's scans, with pacing computed in the same pass */
export async function scanPacedFacts(
  context: ScanContext,
  plan: Plan,
  reads: OpenReads,
  input: PacingInput,
): Promise<PacedFacts> {
  const scan =
    plan.pacing === undefined ? undefined : new PacingScan(input, plan.pacing.campaignBudgets, context.deadline);
  const grouped = await scanFacts(context, plan, reads, scan);
  return { ...grouped, pacing: scan?.finish(grouped.table, grouped.axes) };
}

/** Collects, during the scan of delivery, the budgets that have delivery in the report, and their cost. */
class PacingScan implements SegmentCollector {
  readonly #input: PacingInput;
  readonly #campaignBudgets: CampaignBudgets;
  readonly #deadline: Deadline;
  readonly #costs: MeasureSums<CostSlot>;
  #capacity = 1;
  /** By advertiser and ad group, where its cost counts; undefined where it has no budget. */
  readonly #slots = new Map<number, Map<KeyValue, CampaignBudgets | undefined>>();
  readonly #plans = { rows: new Set<BudgetPlan>(), total: new Set<BudgetPlan>(), nowhere: new Set<BudgetPlan>() };
  readonly #campaignPlans = new Map<KeyValue, BudgetPlan>();
  /** By advertiser, the campaigns with at least one ad group that has a budget. */
  readonly #campaignsWithAdGroupBudgets = new Map<number, Set<KeyValue>>();

  constructor(input: PacingInput, campaignBudgets: CampaignBudgets, deadline: Deadline) {
    this.#input = input;
    this.#campaignBudgets = campaignBudgets;
    this.#deadline = deadline;
    this.#costs = new MeasureSums<CostSlot>(['rows', 'total'], 1, deadline);
  }

  /** Adds the cost of a segment of delivery to its groups. Ad groups without a selected row do not count. */
  add(table: FactTable, segment: Segment, grouping: Grouping, groupCount: number): void {
    if (table !== 'delivery') return;
    const keys = segment.keys('ad_group_id');
    const codes = expandCodes(keys);
    const groups = groupsOfRows(grouping, segment.rows);
    const isPresent = new Uint8Array(keys.dictionary.length);
    // codes index the dictionary, and there is one group per row
    for (let row = 0; row < codes.length; row++) if (groups[row] !== 0) isPresent[codes[row] as number] = 1;
    const slots = keys.dictionary.map((id, code) =>
      isPresent[code] === 1 ? this.#slotOf(segment.advertiserId, id) : undefined,
    );
    if (groupCount >= this.#capacity) {
      this.#capacity = 2 * (groupCount + 1);
      this.#costs.reserve(this.#capacity);
    }
    const data = segment.measure('cost');
    for (const slot of ['rows', 'total'] as const) {
      if (!slots.includes(slot)) continue;
      const slotGroups = new Uint32Array(groups.length);
      for (let row = 0; row < slotGroups.length; row++) {
        if (slots[codes[row] as number] === slot) slotGroups[row] = groups[row] as number;
      }
      this.#costs.addRows(slotGroups, [{ name: slot, data }]);
    }
  }

  /** @returns the pacing of the scan's groups */
  finish(table: GroupTable, axes: readonly AxisCodes[]): PacingResult {
    const { byGroup, total } = this.#planGroups(table, axes);
    this.#costs.reserve(table.size + 1);
    const costs = this.#costs.take();
    const rowCosts = costs.get('rows') ?? NO_COSTS;
    const all = table.groups();
    const costOf = exactSums(rowCosts);
    const totalCost = add(sumOver(rowCosts, all), sumOver(costs.get('total') ?? NO_COSTS, all));
    return {
      of: (group) => byGroup.get(group)?.quotientOf(costOf(group), this.#deadline) ?? null,
      over: (groups) => {
        const plan = new FractionSum();
        for (const group of groups) {
          this.#deadline.spend();
          plan.addAll(byGroup.get(group) ?? new FractionSum());
        }
        return plan.quotientOf(sumOver(rowCosts, groups), this.#deadline);
      },
      total: total.quotientOf(totalCost, this.#deadline),
      campaignsLeftOut: this.#plans.total.size + this.#plans.nowhere.size,
    };
  }

  /**
   * Distributes the budgets over the groups. A budget's counted days are those of its flight; each belongs to a date slice (a code of the date
   * axis), and so to a group.
   * @returns the planned cost of each group and in total; the total includes days without a group
   */
  #planGroups(
    table: GroupTable,
    axes: readonly AxisCodes[],
  ): { byGroup: Map<number, FractionSum>; total: FractionSum } {
    const { joins, days, experience } = this.#input;
    const dateAxis = axes.findIndex(({ axis }) => axis.base === 'date');
    const slices = days.map((day) => (dateAxis === -1 ? 0 : (axes[dateAxis]?.codeOf(joins, 0, formatDay(day)) ?? 0)));
    const key = new Uint32Array(axes.length);
    table.fit(axes.map(({ size }) => size));
    const byGroup = new Map<number, FractionSum>();
    const total = new FractionSum();
    for (const plan of this.#plans.rows) {
      axes.forEach(({ axis }, i) => {
        const base = baseOf(plan, axis.base, experience);
        if (i !== dateAxis) key[i] = axes[i]?.codeOf(joins, plan.advertiserId, base) ?? 0;
      });
      for (const [slice, planned] of this.#planSlices(plan, slices)) {
        total.addAll(planned);
        if (dateAxis !== -1) key[dateAxis] = slice;
        const group = table.find(key);
        if (group === 0) continue;
        const sum = byGroup.get(group);
        if (sum === undefined) byGroup.set(group, planned);
        else sum.addAll(planned);
      }
    }
    for (const plan of this.#plans.total) {
      for (const planned of this.#planSlices(plan, slices).values()) total.addAll(planned);
    }
    return { byGroup, total };
  }

  /**
   * @param slices the date slice of each counted day
   * @returns the planned cost of each date slice that has a day of the flight
   */
  #planSlices(plan: BudgetPlan, slices: readonly number[]): Map<number, FractionSum> {
    this.#deadline.spend(this.#input.days.length);
    const lastDay = Math.min(plan.lastDay, this.#input.lastDayOf(plan.advertiserId));
    const planned = new Map<number, FractionSum>();
    this.#input.days.forEach((day, i) => {
      if (day < plan.firstDay || day > lastDay) return;
      const slice = slices[i] ?? 0;
      const sum = planned.get(slice) ?? new FractionSum();
      planned.set(slice, sum);
      sum.add(plan.budget, periodDays(plan, day));
    });
    return planned;
  }

  /** Call it only for ad groups with delivery in the report. @returns where the ad group's cost counts; undefined where it has no budget */
  #slotOf(advertiserId: number, adGroupId: KeyValue): CampaignBudgets | undefined {
    this.#deadline.spend();
    let slots = this.#slots.get(advertiserId);
    if (slots === undefined) {
      slots = new Map();
      this.#slots.set(advertiserId, slots);
    }
    if (!slots.has(adGroupId)) slots.set(adGroupId, this.#addAdGroup(advertiserId, adGroupId));
    return slots.get(adGroupId);
  }

  /** Adds the budget of the ad group, or that of its campaign. */
  #addAdGroup(advertiserId: number, adGroupId: KeyValue): CampaignBudgets | undefined {
    const { joins } = this.#input;
    const adGroupColumn = (column: string) => joins.adGroup(advertiserId, adGroupId, column);
    if (adGroupColumn('budget') !== null) {
      return this.#addPlan('rows', makePlan({ advertiserId, adGroupId }, adGroupColumn));
    }
    const campaignId = adGroupColumn('campaignId');
    if (campaignId === null || this.#withAdGroupBudgets(advertiserId).has(campaignId)) return undefined;
    const campaignColumn = (column: string) => joins.campaign(advertiserId, campaignId, column);
    const plan = this.#campaignPlans.get(campaignId) ?? makePlan({ advertiserId, adGroupId }, campaignColumn);
    if (plan !== undefined) this.#campaignPlans.set(campaignId, plan);
    return this.#addPlan(this.#campaignBudgets, plan);
  }

  #addPlan(slot: CampaignBudgets, plan: BudgetPlan | undefined): CampaignBudgets | undefined {
    if (plan === undefined) return undefined;
    this.#plans[slot].add(plan);
    return slot;
  }

  /** @returns the campaigns of the advertiser with at least one ad group that has a budget */
  #withAdGroupBudgets(advertiserId: number): Set<KeyValue> {
    const { joins } = this.#input;
    let campaigns = this.#campaignsWithAdGroupBudgets.get(advertiserId);
    if (campaigns === undefined) {
      campaigns = new Set();
      for (const id of joins.adGroupIds(advertiserId)) {
        this.#deadline.spend();
        if (joins.adGroup(advertiserId, id, 'budget') !== null)
          campaigns.add(joins.adGroup(advertiserId, id, 'campaignId'));
      }
      this.#campaignsWithAdGroupBudgets.set(advertiserId, campaigns);
    }
    return campaigns;
  }
}

const NO_COSTS: GroupSums = { low: new Float64Array(0) };

function sumOver(costs: GroupSums, groups: Uint32Array): ExactInteger {
  return exactSums(foldSums(costs, groups))(1);
}

/** @returns the budget and flight in the columns of an ad group or campaign; undefined where the columns define no plan */
function makePlan(
  ids: Pick<BudgetPlan, 'advertiserId' | 'adGroupId'>,
  column: (name: string) => KeyValue,
): BudgetPlan | undefined {
  const [budget, budgetType] = [column('budget'), column('budgetType')];
  const [start, end] = [column('startDate'), column('endDate')];
  const firstDay = parseDate(String(start));
  if (typeof budget !== 'number' || firstDay === undefined) return undefined;
  const lastDay = end === null ? Number.POSITIVE_INFINITY : (parseDate(String(end)) ?? Number.POSITIVE_INFINITY);
  if (budgetType === 'LIFETIME' && lastDay === Number.POSITIVE_INFINITY) return undefined;
  return { ...ids, budget: toMicros(budget), budgetType, firstDay, lastDay };
}

/** @param amount in currency units; its shortest text has at most 6 decimals @returns the amount in micros */
function toMicros(amount: number): ExactInteger {
  const [whole = '0', decimals = ''] = String(amount).split('.');
  const micros = BigInt(whole + decimals.padEnd(6, '0'));
  return micros <= Number.MAX_SAFE_INTEGER ? Number(micros) : micros;
}

/** @returns the base value by which the plan is grouped */
function baseOf(plan: BudgetPlan, base: string, experience: string): KeyValue {
  if (base === 'advertiser') return plan.advertiserId;
  return base === 'experience' ? experience : plan.adGroupId;
}

/** @returns the number of days over which the budget is spread in the period that contains the day */
function periodDays(plan: BudgetPlan, day: number): number {
  switch (plan.budgetType) {
    case 'DAILY':
      return 1;
    case 'WEEKLY':
      return 7;
    case 'MONTHLY':
      return daysInMonth(day);
    default:
      return plan.lastDay - plan.firstDay + 1;
  }
}
