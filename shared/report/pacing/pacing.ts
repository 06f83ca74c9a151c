import type { FactTable } from '../../catalog/tables.ts';
import { encodeKeys, expandCodes } from '../../columns/coded-keys.ts';
import type { KeyData, KeyValue } from '../../columns/column.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import type { PacingSums } from '../finish/derive-metrics.ts';
import type { BudgetScope, Plan } from '../plan/plan-report.ts';
import { grownCapacity } from '../scan/accumulate.ts';
import type { AxisCodes } from '../scan/axes.ts';
import { type Grouping, groupsOfRows } from '../scan/group-rows.ts';
import type { GroupTable } from '../scan/group-table.ts';
import type { OpenReads } from '../scan/open-reads.ts';
import {
  type ComputedRows,
  type GroupedFacts,
  type ScanContext,
  type SegmentCollector,
  scanFacts,
} from '../scan/scan-facts.ts';
import { constantKeys, Segment } from '../scan/segment.ts';
import { selectRows } from '../scan/select-rows.ts';
import { add } from '../sums/exact-numbers.ts';
import { FractionSum } from '../sums/fraction-sum.ts';
import { exactSums, NO_SUMS, sumOver } from '../sums/group-sums.ts';
import { MeasureSums } from '../sums/measure-sums.ts';
import { type PlannedRun, planRuns, runsOf } from './budget-days.ts';
import { type CompleteDays, overlaps } from './complete-days.ts';
import { type Budget, singleExperience } from './find-budgets.ts';
import { endsWithDelivery, type LastDays } from './last-days.ts';

/** The input of planned cost besides facts and plan. Days are day numbers. */
export interface PacingContext extends ScanContext {
  /** Those of the advertisers that pass the report's filters. */
  readonly budgets: readonly Budget[];
  /** The days of the period that pass the report's filters on dates, ascending. */
  readonly days: readonly number[];
  readonly completeDays: CompleteDays;
  /** Those of ad groups whose budgets end with delivery and activity. */
  readonly lastDays: LastDays;
  /** The advertisers whose complete data ends before the period while their delivery goes on. */
  readonly cutShort: ReadonlySet<number>;
}

/** The planned cost of a report, and the cost of what has a plan. */
interface PacingResult {
  of(group: number): PacingSums;
  over(groups: Uint32Array): PacingSums;
  /** That of the one-row report. */
  readonly total: PacingSums;
  /** The campaign budgets that the total has and the rows leave out. */
  readonly onlyInTotal: readonly Budget[];
  /** How many campaign budgets the rows leave out (see `BudgetScope`). */
  readonly campaignsLeftOut: number;
  /** @returns what to warn of in the groups that a metric filter keeps; undefined: in all rows and the total */
  noticesOf(kept: Uint32Array | undefined): PacingNotices;
}

export interface PacingNotices {
  /** What has a plan although it is PAUSED or SCHEDULED, and how much. */
  readonly idle: Set<Budget>;
  readonly idlePlan: FractionSum;
  /** The advertisers whose plan ends before the period while their delivery goes on. */
  readonly cutShort: Set<number>;
}

/** The facts of a report, and its planned cost where the plan includes it. */
export interface PacedFacts extends GroupedFacts {
  readonly pacing: PacingResult | undefined;
}

/** @returns the facts of the plan's scans and its planned cost, in the same groups. @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED */
export async function scanPacedFacts(context: PacingContext, plan: Plan, reads: OpenReads): Promise<PacedFacts> {
  const scan = plan.planned && new PacingScan(context, plan, plan.planned);
  const grouped = await scanFacts(context, plan, reads, scan);
  return { ...grouped, pacing: scan?.finish(grouped.table) };
}

/** The group of planned cost that is only in the total. */
const IN_TOTAL = -1;

/** Where the cost of an ad group counts, on days with the budget and in the experience only, if it is known. */
interface CostScope {
  readonly scope: BudgetScope;
  readonly experience: KeyValue;
  readonly steps: Budget['steps'];
  /** The dates that do not count, because some cost is unknown. */
  readonly lacks: ReadonlySet<string>;
}

/** The planned cost of a run of days, and whether it counts in pacing: their cost is known. */
type PacedRun = PlannedRun & { readonly isPaced: boolean };

/** Makes the rows of planned cost, and sums the cost of the ad groups that have a plan. */
class PacingScan implements SegmentCollector {
  readonly #context: PacingContext;
  readonly #plan: Plan;
  readonly #scopeOf: (budget: Budget) => BudgetScope;
  /** By ad group, whose id is unique among all advertisers, where its cost counts. */
  readonly #scopes: ReadonlyMap<KeyValue, readonly CostScope[]>;
  readonly #costs = new MeasureSums<'rows' | 'total'>(['rows', 'total'], 1);
  #capacity = 1;
  /** By group, the planned cost of days whose cost is known, and of other days. */
  readonly #paced = new Map<number, FractionSum>();
  readonly #withoutCost = new Map<number, FractionSum>();
  readonly #onlyInTotal: Budget[] = [];
  #campaignsLeftOut = 0;
  /** By group where a metric filter keeps some; else, and for what is in no row, of group 0. */
  readonly #notices = new Map<number, PacingNotices>();
  /** The groups with a plan of no known experience, whose cost is in the rows of those that it was spent in. */
  readonly #unpaced = new Set<number>();

  constructor(context: PacingContext, plan: Plan, planned: NonNullable<Plan['planned']>) {
    this.#context = context;
    this.#plan = plan;
    this.#scopeOf = ({ kind, experiences }) => {
      if (kind === 'ad_group') return 'rows';
      return new Set(experiences).size > 1 ? planned.mixedBudgets : planned.campaignBudgets;
    };
    const scopes = Map.groupBy(
      context.budgets.flatMap((budget) => this.#costScopes(budget)),
      ([id]) => id,
    );
    this.#scopes = new Map([...scopes].map(([id, own]) => [id, own.map(([, scope]) => scope)]));
  }

  /** @returns where the cost of each of the budget's ad groups counts */
  #costScopes(budget: Budget): (readonly [adGroupId: KeyValue, CostScope])[] {
    const { steps } = budget;
    const lacks = this.#datesWithoutCost(budget);
    const scope = this.#scopeOf(budget);
    return budget.adGroupIds.map((id, i) => {
      const experience = budget.experiences[i] ?? null;
      const own = experience === null ? this.#scopeOfUnknown(scope) : scope;
      return [id, { experience, steps, lacks, scope: own }] as const;
    });
  }

  /** @returns the dates on which the advertiser's cost is unknown in an experience of the budget; in any of the report, where its own are unknown */
  #datesWithoutCost({ advertiserId, experiences }: Budget): ReadonlySet<string> {
    const own = experiences.includes(null) ? this.#plan.experiences : new Set(experiences);
    const { unmeasured } = this.#context;
    return new Set([...own].flatMap((name) => [...(unmeasured.datesOf(advertiserId, name, 'cost') ?? [])]));
  }

  /** @returns where cost of an ad group of unknown experience counts: in rows only where these are not by experience */
  #scopeOfUnknown(scope: BudgetScope): BudgetScope {
    const { query, rowConditions } = this.#plan;
    const tests = rowConditions.filter(({ base }) => base === 'experience');
    if (!tests.every(({ passes }) => passes(this.#context.joins, 0, null))) return 'nowhere';
    return scope === 'rows' && query.dimensions.includes('experience_name') ? 'total' : scope;
  }

  /** @returns the last day that the budget plans, whatever its end date is */
  #lastDayOf(budget: Budget): number {
    const completeDay = this.#context.completeDays.of(budget);
    if (!endsWithDelivery(budget, completeDay)) return completeDay;
    const { lastDays } = this.#context;
    const days = budget.adGroupIds.map((id) => lastDays.get(id) ?? Number.NEGATIVE_INFINITY);
    return Math.min(completeDay, Math.max(...days));
  }

  /** Adds the cost of a segment of delivery to its groups, on days whose plan counts. */
  add(table: FactTable, segment: Segment, grouping: Grouping, groupCount: number): void {
    if (table !== 'delivery' || !this.#plan.planned?.isPaced) return;
    const lastDay = this.#context.completeDays.ofAdvertiser(segment.advertiserId);
    const [dates, keys] = [segment.keys('date'), segment.keys('ad_group_id')];
    const days = dates.dictionary.map((date) => dayNumber(String(date)));
    const [dateCodes, codes] = [expandCodes(dates), expandCodes(keys)];
    const groups = groupsOfRows(grouping, segment.rows);
    /** By ad group and date. */
    const scopes = keys.dictionary.flatMap((id) => {
      const own = this.#scopes
        .get(id)
        ?.filter(({ experience }) => (experience ?? segment.experience) === segment.experience);
      return days.map((day) => (day > lastDay ? undefined : own?.find((scope) => counts(scope, day))?.scope));
    });
    if (groupCount >= this.#capacity) {
      this.#capacity = grownCapacity(this.#capacity, groupCount);
      this.#costs.reserve(this.#capacity);
    }
    const data = segment.measure('cost');
    for (const scope of ['rows', 'total'] as const) {
      if (!scopes.includes(scope)) continue;
      const scopeGroups = new Uint32Array(groups.length);
      // codes index the dictionaries, and there is one group per row
      for (let row = 0; row < scopeGroups.length; row++) {
        const at = (codes[row] ?? 0) * days.length + (dateCodes[row] ?? 0);
        if (scopes[at] === scope) scopeGroups[row] = groups[row] ?? 0;
      }
      this.#costs.addRows(scopeGroups, [{ name: scope, data }]);
    }
  }

  /** Yields the rows of each budget: one per run of days. */
  *computedRows(axes: readonly AxisCodes[]): Generator<ComputedRows> {
    const { joins, budgets, days } = this.#context;
    const dates = axes.find(({ axis }) => axis.base === 'date');
    const codeOf = (day: number) => dates?.codeOf(joins, 0, formatDay(day)) ?? 0;
    const runs = runsOf(days, codeOf);
    for (const budget of budgets) {
      const lacks = this.#datesWithoutCost(budget);
      const withLacks = (day: number) => 2 * codeOf(day) + Number(lacks.has(formatDay(day)));
      const all = planRuns(budget, days, lacks.size === 0 ? runs : runsOf(days, withLacks), this.#lastDayOf(budget));
      const own = all.map((run) => ({ ...run, isPaced: !lacks.has(formatDay(run.day)) }));
      if (own.length === 0) {
        if (overlaps(budget, this.#plan) && this.#isInReport(budget, days[0])) this.#notice(budget, 0);
      } else if (this.#scopeOf(budget) === 'rows') yield this.#rowsOf(budget, own);
      else this.#leaveOut(budget, own);
    }
  }

  /** @returns the planned cost of the scan's groups */
  finish(table: GroupTable): PacingResult {
    this.#costs.reserve(table.size + 1);
    const costs = this.#costs.take();
    const rowCosts = costs.get('rows') ?? NO_SUMS;
    const costOf = exactSums(rowCosts);
    const all = table.groups();
    return {
      of: (group) => ({
        ...this.#plansOf([group]),
        cost: costOf(group),
        isCostKnown: !this.#unpaced.has(group),
      }),
      over: (groups) => ({
        ...this.#plansOf([...groups]),
        cost: sumOver(rowCosts, groups),
        isCostKnown: !groups.some((group) => this.#unpaced.has(group)),
      }),
      total: {
        ...this.#plansOf([...all, IN_TOTAL]),
        cost: add(sumOver(rowCosts, all), sumOver(costs.get('total') ?? NO_SUMS, all)),
        isCostKnown: this.#plan.experiences.length > 0,
      },
      onlyInTotal: this.#onlyInTotal,
      campaignsLeftOut: this.#campaignsLeftOut,
      noticesOf: (kept) => mergeNotices([0, ...(kept ?? [])].flatMap((group) => this.#notices.get(group) ?? [])),
    };
  }

  #plansOf(groups: readonly number[]): Pick<PacingSums, 'planned' | 'paced'> {
    const [paced = [], others = []] = [this.#paced, this.#withoutCost].map((sums) =>
      groups.flatMap((group) => sums.get(group) ?? []),
    );
    const ofPaced = addUp(paced);
    if (others.length === 0) return { planned: ofPaced, paced: ofPaced };
    return { planned: addUp([ofPaced, ...others]), paced: paced.length === 0 ? undefined : ofPaced };
  }

  #addPlan(group: number, { numerator, denominator, isPaced }: PacedRun): void {
    const sums = isPaced ? this.#paced : this.#withoutCost;
    const sum = sums.get(group) ?? new FractionSum();
    sums.set(group, sum);
    sum.add(numerator, denominator);
  }

  #rowsOf(budget: Budget, runs: readonly PacedRun[]): ComputedRows {
    const { query, experiences } = this.#plan;
    const isUnpaced =
      singleExperience(budget) === null && (experiences.length === 0 || query.dimensions.includes('experience_name'));
    const [adGroupId = null] = budget.adGroupIds; // the fields of the report have the same values for all of them
    const dates: KeyData = {
      kind: 'codes',
      rows: runs.length,
      dictionary: runs.map(({ day }) => formatDay(day)),
      codes: Uint32Array.from(runs.keys()),
    };
    return {
      segment: this.#segmentOf(budget, new Array<KeyValue>(runs.length).fill(adGroupId), dates),
      kinds: budget.kind === 'ad_group' ? ['ad_group', 'campaign'] : ['campaign'],
      add: (groups) => {
        for (const [i, run] of runs.entries()) {
          const group = groups[i] ?? 0;
          if (group !== 0) this.#notice(budget, this.#plan.groupConditions.length > 0 ? group : 0, run);
          if (isUnpaced) this.#unpaced.add(group);
          this.#addPlan(group, run);
        }
      },
    };
  }

  /** Counts a campaign budget that the rows leave out, and adds it to the total unless a filter separates the ad groups. */
  #leaveOut(budget: Budget, runs: readonly PacedRun[]): void {
    if (!this.#isInReport(budget, runs[0]?.day)) return;
    this.#campaignsLeftOut++;
    if (this.#scopeOf(budget) !== 'total') return;
    this.#onlyInTotal.push(budget);
    for (const run of runs) {
      this.#addPlan(IN_TOTAL, run);
      if (this.#plan.groupConditions.length === 0) this.#notice(budget, 0, run);
    }
  }

  /** @param day that passes the conditions on dates @returns whether some ad group of the budget passes the filters */
  #isInReport(budget: Budget, day: number | undefined): boolean {
    if (day === undefined) return false;
    const { joins, deadline, seen } = this.#context;
    const { adGroupIds } = budget;
    const date = formatDay(day);
    return [...new Set(budget.experiences)].some((experience) => {
      const segment = this.#segmentOf(
        { ...budget, experiences: [experience] },
        adGroupIds,
        constantKeys(adGroupIds.length, date),
      );
      return selectRows(segment, this.#plan.rowConditions, joins, deadline, seen) !== 'none';
    });
  }

  /** Notes what to warn of: a plan, or a budget that plans nothing before its advertiser's data ends. */
  #notice(budget: Budget, group: number, run?: PlannedRun): void {
    const isCutShort = this.#context.cutShort.has(budget.advertiserId);
    const isIdle = budget.idleStatus !== null && run !== undefined && run.numerator !== 0;
    if (!isCutShort && !isIdle) return;
    const notices = this.#notices.get(group) ?? mergeNotices([]);
    this.#notices.set(group, notices);
    if (isCutShort) notices.cutShort.add(budget.advertiserId);
    if (!isIdle) return;
    notices.idle.add(budget);
    notices.idlePlan.add(run.numerator, run.denominator);
  }

  #segmentOf(budget: Budget, adGroupIds: readonly KeyValue[], dates: KeyData): Segment {
    const { advertiserId } = budget;
    const bytesOf = () => encodeKeys(adGroupIds);
    return new Segment({
      key: `plan of ${advertiserId}`,
      advertiserId,
      experience: singleExperience(budget),
      rows: adGroupIds.length,
      dates,
      bytesOf,
    });
  }
}

function addUp(sums: readonly FractionSum[]): FractionSum {
  const [only = new FractionSum(), ...others] = sums;
  if (others.length === 0) return only;
  const total = new FractionSum();
  for (const sum of sums) total.addAll(sum);
  return total;
}

function mergeNotices(all: readonly PacingNotices[]): PacingNotices {
  const merged: PacingNotices = { idle: new Set(), idlePlan: new FractionSum(), cutShort: new Set() };
  for (const { idle, idlePlan, cutShort } of all) {
    for (const budget of idle) merged.idle.add(budget);
    merged.idlePlan.addAll(idlePlan);
    for (const id of cutShort) merged.cutShort.add(id);
  }
  return merged;
}

function counts({ steps, lacks }: CostScope, day: number): boolean {
  return steps.some(({ from, to }) => from <= day && day <= to) && !lacks.has(formatDay(day));
}
