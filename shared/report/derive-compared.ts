import type { SortValue } from '../catalog/compared-values.ts';
import type { MetricDefinition } from '../catalog/definitions.ts';
import { type MetricName, metricOf } from '../catalog/metrics.ts';
import { inputsOf } from '../catalog/rules.ts';
import type { Experience, FactTable } from '../catalog/tables.ts';
import {
  coverageOf,
  type DeriveContext,
  deriveFraction,
  deriveMetric,
  presentIn,
  tableOf,
} from './finish/derive-metrics.ts';
import { NO_FACTS } from './join-groups.ts';
import { coveredExperiences } from './plan/plan-report.ts';
import type { ReportValue } from './query/query.ts';
import type { Accumulators } from './scan/accumulate.ts';
import { divide, type Fraction, multiply, NO_VALUE, subtract } from './sums/exact-numbers.ts';

/** One period of joined groups. */
export interface ComparedFacts {
  readonly facts: Accumulators;
  readonly deriveContext: DeriveContext;
  /** By joined group, as in `JoinedGroups`. */
  readonly groupOf: Int32Array;
  /** As in `DeriveContext`, of joined groups. */
  readonly experienceOf: DeriveContext['experienceOf'];
  /** @returns what joined groups of the same dates and experience share */
  readonly whenOf: (group: number) => string;
  /** @returns those of the experiences in which the table is known on the day of a joined group; all where groups are not by day */
  readonly knownOn: (table: FactTable, experiences: readonly Experience[], group: number) => readonly Experience[];
}

type Read<Value> = (group: number) => Value;

/** @returns a function that returns the metric's value of a joined group in `now` or `before`, or its change, which is null where one of the values is */
export function deriveCompared(
  name: MetricName,
  by: SortValue,
  now: ComparedFacts,
  before: ComparedFacts,
): Read<ReportValue> {
  switch (by) {
    case 'value':
      return readOwn(name, now, before, deriveMetric, 0);
    case 'compared': {
      const beforeOf = readOwn(name, before, now, deriveMetric, 0);
      if (!hasFloor(name, now.deriveContext)) return beforeOf;
      const nowOf = readOwn(name, now, before, deriveMetric, 0);
      return (group) => (nowOf(group) === null ? null : beforeOf(group));
    }
    default: {
      const nowOf = readOwn(name, now, before, deriveFraction, ZERO);
      const beforeOf = readOwn(name, before, now, deriveFraction, ZERO);
      const compare = by === 'change' ? changeOf : relativeChangeOf;
      return (group) => compare(nowOf(group) ?? NO_VALUE, beforeOf(group) ?? NO_VALUE);
    }
  }
}

/** @returns whether the metric is of users, few of which are not shown: what they are compared with is not, either */
const hasFloor = (name: MetricName, { minUsers }: DeriveContext): boolean =>
  minUsers > 0 && inputsOf(metricOf(name)).shoppersOf.length > 0;

const ZERO: Fraction = [0, 1];

/** Kinds of metrics that are 0 without facts. */
const COUNTED: ReadonlySet<MetricDefinition['kind']> = new Set(['sum', 'distinct', 'planned', 'remaining']);

/** Kinds of metrics that are 0 only where some facts are known: without any of the dates and experience, there is nothing to know. */
const MEASURED: ReadonlySet<MetricDefinition['kind']> = new Set(['sum', 'distinct']);

/** @returns the dates and experiences of groups in which all facts are unknown */
function findUnknown(name: MetricName, { facts, deriveContext, groupOf, whenOf }: ComparedFacts): ReadonlySet<string> {
  if (deriveContext.plan.unmeasured.size === 0 || !MEASURED.has(metricOf(name).kind)) return new Set();
  const isCovered = coverageOf(name, facts, deriveContext);
  const read = deriveMetric(name, facts, { ...deriveContext, minUsers: 0 }); // too few to show is not unknown
  const [known, unknown] = [new Set<string>(), new Set<string>()];
  groupOf.forEach((own, group) => {
    if (own > NO_FACTS && isCovered(own)) (read(own) === null ? unknown : known).add(whenOf(group));
  });
  return unknown.difference(known);
}

/** @param zero the value without facts, where that is 0 @param other the other period, which has facts of the group where this one has none */
function readOwn<Value>(
  name: MetricName,
  period: ComparedFacts,
  other: ComparedFacts,
  deriveIn: (name: MetricName, facts: Accumulators, context: DeriveContext) => Read<Value>,
  zero: Value,
): Read<Value | null> {
  const { facts, deriveContext, groupOf, experienceOf, whenOf, knownOn } = period;
  const derive = deriveIn(name, facts, deriveContext);
  const present = COUNTED.has(metricOf(name).kind) ? presentIn(name, deriveContext) : new Set();
  const isCovered = coverageOf(name, other.facts, other.deriveContext);
  const unknown = findUnknown(name, period);
  const table = tableOf(name);
  const covered = coveredExperiences(deriveContext.plan, name);
  const isReached = (group: number) => {
    if (table === undefined) return true;
    const [known, experience] = [knownOn(table, covered, group), experienceOf?.(group) ?? null];
    return experience === null ? known.length > 0 : known.some((own) => own === experience);
  };
  return (group) => {
    const own = groupOf[group] ?? 0;
    if (own > NO_FACTS) return derive(own);
    if (own !== NO_FACTS || unknown.has(whenOf(group))) return null;
    return present.has(experienceOf?.(group)) && isCovered(other.groupOf[group] ?? 0) && isReached(group) ? zero : null;
  };
}

/** Changes are of exact values and divided once, so that equal changes are equal numbers. */
function changeOf([a, b]: Fraction, [c, d]: Fraction): number | null {
  if (b === d) return divide(subtract(a, c), b);
  return divide(subtract(multiply(a, d), multiply(c, b)), multiply(b, d));
}

/** @returns change / |earlier value| */
function relativeChangeOf([a, b]: Fraction, [c, d]: Fraction): number | null {
  if (!b || !d) return null;
  const ratio = b === d ? divide(subtract(a, c), c) : divide(subtract(multiply(a, d), multiply(c, b)), multiply(b, c));
  return ratio === null || c < 0 === d < 0 ? ratio : 0 - ratio;
}
