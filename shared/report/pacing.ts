import type { FactTable } from '../catalog/tables.ts';
import type { KeyValue } from '../columns/column.ts';
import { expandCodes } from '../columns/keys.ts';
import { daysInMonth, formatDay, parseDate } from '../lib/calendar.ts';
import type { Joins } from './plan/joins.ts';
import type { CampaignPlans, Plan } from './plan/plan-report.ts';
import type { Reads } from './plan/reads.ts';
import type { AxisCodes } from './scan/axes.ts';
import { type Grouping, groupsOfRows } from './scan/group-rows.ts';
import type { GroupTable } from './scan/group-table.ts';
import { type GroupedFacts, type ScanContext, type SegmentCollector, scanFacts } from './scan/scan-facts.ts';
import type { Segment } from './scan/segment.ts';
import { add, type ExactInteger } from './sums/exact-numbers.ts';
import { FractionSum } from './sums/fraction-sum.ts';
import { exactSums, foldSums, type GroupSums } from './sums/group-sums.ts';
import { MeasureSums } from './sums/measure-sums.ts';

/** A budget and the days it is meant for: of an ad group, or of a campaign none of whose ad groups has one. */
interface BudgetPlan {
  readonly advertiserId: number;
  /** The ad group; of a campaign any one of them, because what groups them is alike in all. */
  readonly adGroupId: KeyValue;
  /** In micros of the currency unit. */
  readonly budget: ExactInteger;
  readonly budgetType: KeyValue;
  readonly firstDay: number;
  /** Infinity for an open end. */
  readonly lastDay: number;
}

/** What pacing depends on besides the facts and the plan. */
export interface PacingInput {
  readonly joins: Joins;
  readonly experience: string;
  /** Days of the window that pass the report's filters on dates, ascending. */
  readonly days: readonly number[];
  /** Of each advertiser, the last day that its plans count. */
  readonly lastDayOf: (advertiserId: number) => number;
}

/** Pacing of a report: cost of what has a plan / planned cost. Both are summed exactly and divided once. */
export interface PacingResult {
  of(group: number): number | null;
  /** Over the given groups: both sides added up. */
  over(groups: Uint32Array): number | null;
  /** Over the whole, as in the one-row report: of the plans also the days without a row. */
  readonly total: number | null;
  /** How many campaigns' plans the rows leave out, because they tell ad groups of a campaign apart. */
  readonly campaignsLeftOut: number;
}

/** `rows`: cost that has a plan in rows and total. `total`: cost that has one in the total only. */
type CostSlot = Exclude<CampaignPlans, 'nowhere'>;

/** Facts of a report, with its pacing where the plan asks for it. */
export interface PacedFacts extends GroupedFacts {
  readonly pacing: PacingResult | undefined;
}

/** Scans facts and, on the way, what pacing needs of them. */
export async function scanPacedFacts(
  context: ScanContext,
  plan: Plan,
  reads: Reads,
  input: PacingInput,
): Promise<PacedFacts> {
  const scan = plan.pacing === undefined ? undefined : new PacingScan(input, plan.pacing.campaignPlans);
  const grouped = await scanFacts(context, plan, reads, scan);
  return { ...grouped, pacing: scan?.finish(grouped.table, grouped.axes) };
}

/** Collects, while delivery is scanned, which plans have delivery and what these have cost. */
class PacingScan implements SegmentCollector {
  readonly #input: PacingInput;
  readonly #campaigns: CampaignPlans;
  readonly #costs = new MeasureSums<CostSlot>(['rows', 'total'], 1);
  #capacity = 1;
  readonly #slots = new Map<number, Map<KeyValue, CampaignPlans | undefined>>();
  readonly #plans = { rows: new Set<BudgetPlan>(), total: new Set<BudgetPlan>(), nowhere: new Set<BudgetPlan>() };
  readonly #campaignPlans = new Map<KeyValue, BudgetPlan>();
  readonly #budgetedCampaigns = new Map<number, Set<KeyValue>>();

  constructor(input: PacingInput, campaigns: CampaignPlans) {
    this.#input = input;
    this.#campaigns = campaigns;
  }

  /** Adds the cost of delivery's rows to their groups; only ad groups with a selected row enter. */
  add(table: FactTable, segment: Segment, grouping: Grouping, groupCount: number): void {
    if (table !== 'delivery') return;
    const keys = segment.keys('ad_group_id');
    const codes = expandCodes(keys);
    const groups = groupsOfRows(grouping, segment.rows);
    const isPresent = new Uint8Array(keys.dictionary.length);
    // codes index the dictionary, and there is a group for each row
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
      const own = new Uint32Array(groups.length);
      for (let row = 0; row < own.length; row++) {
        if (slots[codes[row] as number] === slot) own[row] = groups[row] as number;
      }
      this.#costs.addRows(own, [{ name: slot, data }]);
    }
  }

  /** @returns the result for the groups of the scan */
  finish(table: GroupTable, axes: readonly AxisCodes[]): PacingResult {
    const { byGroup, whole } = this.#planGroups(table, axes);
    this.#costs.reserve(table.size + 1);
    const costs = this.#costs.take();
    const rowCosts = costs.get('rows') ?? NO_COSTS;
    const all = table.groups();
    const costOf = exactSums(rowCosts);
    const totalCost = add(sumOver(rowCosts, all), sumOver(costs.get('total') ?? NO_COSTS, all));
    return {
      of: (group) => byGroup.get(group)?.divide(costOf(group)) ?? null,
      over: (groups) => {
        const plan = new FractionSum();
        for (const group of groups) plan.addAll(byGroup.get(group) ?? new FractionSum());
        return plan.divide(sumOver(rowCosts, groups));
      },
      total: whole.divide(totalCost),
      campaignsLeftOut: this.#plans.total.size + this.#plans.nowhere.size,
    };
  }

  /** Spreads the plans that have delivery over the groups: over the counted days in their flights, by the group's date slice. */
  #planGroups(
    table: GroupTable,
    axes: readonly AxisCodes[],
  ): { byGroup: Map<number, FractionSum>; whole: FractionSum } {
    const { joins, days, experience } = this.#input;
    const dateAxis = axes.findIndex((it) => it.axis.base === 'date');
    const slices = days.map((day) => (dateAxis === -1 ? 0 : (axes[dateAxis]?.codeOf(joins, 0, formatDay(day)) ?? 0)));
    const key = new Uint32Array(axes.length);
    table.fit(axes.map((it) => it.size));
    const byGroup = new Map<number, FractionSum>();
    const whole = new FractionSum();
    for (const plan of this.#plans.rows) {
      axes.forEach(({ axis }, i) => {
        const base = baseOf(plan, axis.base, experience);
        if (i !== dateAxis) key[i] = axes[i]?.codeOf(joins, plan.advertiserId, base) ?? 0;
      });
      for (const [slice, planned] of this.#planSlices(plan, slices)) {
        whole.addAll(planned);
        if (dateAxis !== -1) key[dateAxis] = slice;
        const group = table.find(key);
        if (group === 0) continue;
        const ofGroup = byGroup.get(group);
        if (ofGroup === undefined) byGroup.set(group, planned);
        else ofGroup.addAll(planned);
      }
    }
    for (const plan of this.#plans.total) {
      for (const planned of this.#planSlices(plan, slices).values()) whole.addAll(planned);
    }
    return { byGroup, whole };
  }

  /** @returns what is planned for each date slice that has a counted day of the flight. */
  #planSlices(plan: BudgetPlan, slices: readonly number[]): Map<number, FractionSum> {
    const lastDay = Math.min(plan.lastDay, this.#input.lastDayOf(plan.advertiserId));
    const planned = new Map<number, FractionSum>();
    this.#input.days.forEach((day, i) => {
      if (day < plan.firstDay || day > lastDay) return;
      const slice = slices[i] ?? 0;
      const ofSlice = planned.get(slice) ?? new FractionSum();
      planned.set(slice, ofSlice);
      ofSlice.add(plan.budget, periodDays(plan, day));
    });
    return planned;
  }

  /** @returns where the ad group's cost enters; undefined where it has no plan. Call it only for ad groups with delivery in the report. */
  #slotOf(advertiserId: number, adGroupId: KeyValue): CampaignPlans | undefined {
    let slots = this.#slots.get(advertiserId);
    if (slots === undefined) {
      slots = new Map();
      this.#slots.set(advertiserId, slots);
    }
    if (!slots.has(adGroupId)) slots.set(adGroupId, this.#enterPlan(advertiserId, adGroupId));
    return slots.get(adGroupId);
  }

  #enterPlan(advertiserId: number, adGroupId: KeyValue): CampaignPlans | undefined {
    const { joins } = this.#input;
    const campaignId = joins.adGroup(advertiserId, adGroupId, 'campaignId');
    const ofAdGroup = (column: string) => joins.adGroup(advertiserId, adGroupId, column);
    if (ofAdGroup('budget') !== null) {
      return this.#enter('rows', makePlan({ advertiserId, adGroupId }, ofAdGroup));
    }
    if (campaignId === null || this.#budgeted(advertiserId).has(campaignId)) return undefined;
    const known = this.#campaignPlans.get(campaignId);
    const plan =
      known ?? makePlan({ advertiserId, adGroupId }, (column) => joins.campaign(advertiserId, campaignId, column));
    if (plan !== undefined) this.#campaignPlans.set(campaignId, plan);
    return this.#enter(this.#campaigns, plan);
  }

  #enter(slot: CampaignPlans, plan: BudgetPlan | undefined): CampaignPlans | undefined {
    if (plan === undefined) return undefined;
    this.#plans[slot].add(plan);
    return slot;
  }

  /** @returns the campaigns of the advertiser of whose ad groups at least one has a budget of its own. */
  #budgeted(advertiserId: number): Set<KeyValue> {
    const { joins } = this.#input;
    let campaigns = this.#budgetedCampaigns.get(advertiserId);
    if (campaigns === undefined) {
      campaigns = new Set();
      for (const id of joins.adGroupIds(advertiserId)) {
        if (joins.adGroup(advertiserId, id, 'budget') !== null)
          campaigns.add(joins.adGroup(advertiserId, id, 'campaignId'));
      }
      this.#budgetedCampaigns.set(advertiserId, campaigns);
    }
    return campaigns;
  }
}

const NO_COSTS: GroupSums = { low: new Float64Array(0) };

function sumOver(costs: GroupSums, groups: Uint32Array): ExactInteger {
  return exactSums(foldSums(costs, groups))(1);
}

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

/** @param amount of currency units, with at most 6 decimals in its shortest text */
function toMicros(amount: number): ExactInteger {
  const [whole = '0', decimals = ''] = String(amount).split('.');
  const micros = BigInt(whole + decimals.padEnd(6, '0'));
  return micros <= Number.MAX_SAFE_INTEGER ? Number(micros) : micros;
}

function baseOf(plan: BudgetPlan, base: string, experience: string): KeyValue {
  if (base === 'advertiser') return plan.advertiserId;
  return base === 'experience' ? experience : plan.adGroupId;
}

/** @returns over how many days the budget is spread, for this day. */
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
