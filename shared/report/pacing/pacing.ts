import type { FactTable } from '../../catalog/tables.ts';
import { expandCodes } from '../../columns/coded-keys.ts';
import type { KeyValue } from '../../columns/column.ts';
import { formatDay, parseDate } from '../../lib/calendar.ts';
import type { Joins } from '../plan/joins.ts';
import type { BudgetScope, Plan } from '../plan/plan-report.ts';
import { grownCapacity } from '../scan/accumulate.ts';
import type { AxisCodes } from '../scan/axes.ts';
import { type Grouping, groupsOfRows } from '../scan/group-rows.ts';
import type { GroupTable } from '../scan/group-table.ts';
import type { OpenReads } from '../scan/open-reads.ts';
import { type GroupedFacts, type ScanContext, type SegmentCollector, scanFacts } from '../scan/scan-facts.ts';
import type { Segment } from '../scan/segment.ts';
import { add, type ExactInteger, multiply, toMicros } from '../sums/exact-numbers.ts';
import { FractionSum } from '../sums/fraction-sum.ts';
import { exactSums, NO_SUMS, sumOver } from '../sums/group-sums.ts';
import { MeasureSums } from '../sums/measure-sums.ts';
import { countBefore, type DayRun, type Flight, periodDays, runsOf } from './budget-days.ts';

/** The budget of an ad group, or of a campaign none of whose ad groups has one, and the flight that it is for. */
interface Budget extends Flight {
  readonly advertiserId: number;
  /** The ad group, or any ad group of the campaign: where its budget counts in rows, the report's dimensions have the same values for all of them. */
  readonly adGroupId: KeyValue;
  /** In micros of the currency unit. */
  readonly amount: ExactInteger;
}

/** The input of pacing besides facts and plan. Days are day numbers. */
export interface PacingInput {
  readonly joins: Joins;
  readonly experience: string;
  /** The days of the period that pass the report's filters on dates, ascending. */
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
  /** How many campaign budgets the rows leave out (see `BudgetScope`). */
  readonly campaignsLeftOut: number;
}

/** The facts of a report, and its pacing where the plan includes it. */
export interface PacedFacts extends GroupedFacts {
  readonly pacing: PacingResult | undefined;
}

/** @returns the facts of the plan's scans, with pacing computed in the same pass. @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED */
export async function scanPacedFacts(
  context: ScanContext,
  plan: Plan,
  reads: OpenReads,
  input: PacingInput,
): Promise<PacedFacts> {
  const scan = plan.pacing && new PacingScan(input, plan.pacing.campaignBudgets);
  const grouped = await scanFacts(context, plan, reads, scan);
  return { ...grouped, pacing: scan?.finish(grouped.table, grouped.axes) };
}

/** Collects, during the scan of delivery, the budgets that have delivery in the report, and their cost. */
class PacingScan implements SegmentCollector {
  readonly #input: PacingInput;
  readonly #campaignScope: BudgetScope;
  readonly #costs = new MeasureSums<'rows' | 'total'>(['rows', 'total'], 1);
  #capacity = 1;
  /** By advertiser and ad group, where its cost counts; undefined where it has no budget. */
  readonly #scopes = new Map<number, Map<KeyValue, BudgetScope | undefined>>();
  readonly #budgets = { rows: new Set<Budget>(), total: new Set<Budget>(), nowhere: new Set<Budget>() };
  /** By id, which is unique among the campaigns of all advertisers. */
  readonly #campaignBudgets = new Map<KeyValue, Budget>();
  /** By advertiser, the campaigns with at least one ad group that has a budget. */
  readonly #campaignsWithAdGroupBudgets = new Map<number, Map<KeyValue, true>>();
  /** By text, the day number of each date of a flight. Many ad groups have the same dates, so each is parsed once. */
  readonly #days = new Map<string, number | undefined>();

  constructor(input: PacingInput, campaignScope: BudgetScope) {
    this.#input = input;
    this.#campaignScope = campaignScope;
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
    const scopes = keys.dictionary.map((id, code) =>
      isPresent[code] === 1 ? this.#scopeOf(segment.advertiserId, id) : undefined,
    );
    if (groupCount >= this.#capacity) {
      this.#capacity = grownCapacity(this.#capacity, groupCount);
      this.#costs.reserve(this.#capacity);
    }
    const data = segment.measure('cost');
    for (const scope of ['rows', 'total'] as const) {
      if (!scopes.includes(scope)) continue;
      const scopeGroups = new Uint32Array(groups.length);
      for (let row = 0; row < scopeGroups.length; row++) {
        if (scopes[codes[row] as number] === scope) scopeGroups[row] = groups[row] as number;
      }
      this.#costs.addRows(scopeGroups, [{ name: scope, data }]);
    }
  }

  /** @returns the pacing of the scan's groups */
  finish(table: GroupTable, axes: readonly AxisCodes[]): PacingResult {
    const { byGroup, total } = this.#distribute(table, axes);
    this.#costs.reserve(table.size + 1);
    const costs = this.#costs.take();
    const rowCosts = costs.get('rows') ?? NO_SUMS;
    const all = table.groups();
    const costOf = exactSums(rowCosts);
    const totalCost = add(sumOver(rowCosts, all), sumOver(costs.get('total') ?? NO_SUMS, all));
    return {
      of: (group) => byGroup.get(group)?.quotientOf(costOf(group)) ?? null,
      over: (groups) => {
        const planned = new FractionSum();
        for (const group of groups) planned.addAll(byGroup.get(group) ?? new FractionSum());
        return planned.quotientOf(sumOver(rowCosts, groups));
      },
      total: total.quotientOf(totalCost),
      campaignsLeftOut: this.#budgets.total.size + this.#budgets.nowhere.size,
    };
  }

  /**
   * Distributes the budgets over the groups. A budget counts on those days of the input that are in its flight and not after the advertiser's last day.
   * Its group on a day is found by the code of the day on the date axis (0 without that axis).
   * @returns the planned cost of each group and in total; the total includes days without a group
   */
  #distribute(
    table: GroupTable,
    axes: readonly AxisCodes[],
  ): { byGroup: Map<number, FractionSum>; total: FractionSum } {
    const { joins, days, experience } = this.#input;
    const dateAxis = axes.findIndex(({ axis }) => axis.base === 'date');
    const totalRuns = runsOf(days, () => 0);
    const runs = runsOf(days, (day) => axes[dateAxis]?.codeOf(joins, 0, formatDay(day)) ?? 0);
    const key = new Uint32Array(axes.length);
    table.fit(axes.map(({ size }) => size));
    const isPresent = new Set(dateAxis === -1 ? [0] : table.groups().map((group) => table.codeAt(group, dateAxis)));
    const runsWithGroups = runs.filter(({ code }) => isPresent.has(code));
    const byGroup = new Map<number, FractionSum>();
    const total = new FractionSum();
    for (const budget of this.#budgets.rows) {
      this.#plan(budget, totalRuns, (numerator, denominator) => total.add(numerator, denominator));
      axes.forEach(({ axis }, i) => {
        const base = baseOf(budget, axis.base, experience);
        if (i !== dateAxis) key[i] = axes[i]?.codeOf(joins, budget.advertiserId, base) ?? 0;
      });
      this.#plan(budget, runsWithGroups, (numerator, denominator, code) => {
        if (dateAxis !== -1) key[dateAxis] = code;
        const group = table.find(key);
        if (group === 0) return;
        const sum = byGroup.get(group) ?? new FractionSum();
        byGroup.set(group, sum);
        sum.add(numerator, denominator);
      });
    }
    for (const budget of this.#budgets.total) {
      this.#plan(budget, totalRuns, (numerator, denominator) => total.add(numerator, denominator));
    }
    return { byGroup, total };
  }

  /** Calls `add` with the planned cost of each run with days on which the budget counts, as a fraction, and the code of the run. */
  #plan(
    budget: Budget,
    runs: readonly DayRun[],
    add: (numerator: ExactInteger, denominator: number, code: number) => void,
  ): void {
    const { days, lastDayOf } = this.#input;
    const from = countBefore(days, budget.firstDay);
    const to = countBefore(days, Math.min(budget.lastDay, lastDayOf(budget.advertiserId)) + 1);
    for (const run of runs) {
      const count = Math.min(to, run.to) - Math.max(from, run.from);
      if (count > 0) add(multiply(budget.amount, count), periodDays(budget, run.monthDays), run.code);
    }
  }

  /** Call it only for ad groups with delivery in the report, because it adds their budgets. @returns where the ad group's cost counts; undefined where it has no budget */
  #scopeOf(advertiserId: number, adGroupId: KeyValue): BudgetScope | undefined {
    let scopes = this.#scopes.get(advertiserId);
    if (scopes === undefined) {
      scopes = new Map();
      this.#scopes.set(advertiserId, scopes);
    }
    if (!scopes.has(adGroupId)) scopes.set(adGroupId, this.#addAdGroup(advertiserId, adGroupId));
    return scopes.get(adGroupId);
  }

  /** Adds the budget of the ad group, or that of its campaign. */
  #addAdGroup(advertiserId: number, adGroupId: KeyValue): BudgetScope | undefined {
    const { joins } = this.#input;
    const adGroupColumn = (column: string) => joins.adGroup(advertiserId, adGroupId, column);
    if (adGroupColumn('budget') !== null) {
      return this.#addBudget('rows', this.#makeBudget({ advertiserId, adGroupId }, adGroupColumn));
    }
    const campaignId = adGroupColumn('campaignId');
    if (campaignId === null || this.#withAdGroupBudgets(advertiserId).has(campaignId)) return undefined;
    const campaignColumn = (column: string) => joins.campaign(advertiserId, campaignId, column);
    const budget =
      this.#campaignBudgets.get(campaignId) ?? this.#makeBudget({ advertiserId, adGroupId }, campaignColumn);
    if (budget !== undefined) this.#campaignBudgets.set(campaignId, budget);
    return this.#addBudget(this.#campaignScope, budget);
  }

  #addBudget(scope: BudgetScope, budget: Budget | undefined): BudgetScope | undefined {
    if (budget !== undefined) this.#budgets[scope].add(budget);
    return budget && scope;
  }

  /** @returns the budget in the columns of an ad group or campaign; undefined where it, or a day that its flight must have, is absent */
  #makeBudget(ids: Pick<Budget, 'advertiserId' | 'adGroupId'>, column: (name: string) => KeyValue): Budget | undefined {
    const [amount, type] = [column('budget'), column('budgetType')];
    const [firstDay, lastDay = Number.POSITIVE_INFINITY] = [column('startDate'), column('endDate')].map((date) =>
      this.#dayOf(date),
    );
    if (typeof amount !== 'number' || firstDay === undefined) return undefined;
    if (type === 'LIFETIME' && lastDay === Number.POSITIVE_INFINITY) return undefined;
    return { ...ids, amount: toMicros(amount), type, firstDay, lastDay };
  }

  /** @returns the day number; undefined where the value is no date */
  #dayOf(date: KeyValue): number | undefined {
    if (date === null) return undefined;
    const text = String(date);
    if (!this.#days.has(text)) this.#days.set(text, parseDate(text));
    return this.#days.get(text);
  }

  /** @returns the campaigns of the advertiser with at least one ad group that has a budget */
  #withAdGroupBudgets(advertiserId: number): Map<KeyValue, true> {
    const { joins } = this.#input;
    let campaigns = this.#campaignsWithAdGroupBudgets.get(advertiserId);
    if (campaigns === undefined) {
      campaigns = new Map();
      for (const id of joins.adGroupIds(advertiserId)) {
        if (joins.adGroup(advertiserId, id, 'budget') !== null)
          campaigns.set(joins.adGroup(advertiserId, id, 'campaignId'), true);
      }
      this.#campaignsWithAdGroupBudgets.set(advertiserId, campaigns);
    }
    return campaigns;
  }
}

/** @returns the base value by which the budget is grouped */
function baseOf(budget: Budget, base: string, experience: string): KeyValue {
  if (base === 'advertiser') return budget.advertiserId;
  return base === 'experience' ? experience : budget.adGroupId;
}
