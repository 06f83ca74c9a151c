import type { SortValue } from '../../catalog/compared-values.ts';
import type { MetricDefinition, SumMetric } from '../../catalog/definitions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { coverageOf, type DeriveContext, deriveMetric, presentIn, scaleOf, sumsOf } from '../finish/derive-metrics.ts';
import type { ReportValue } from '../query/query.ts';
import type { Accumulators } from '../scan/accumulate.ts';
import { divide, type ExactInteger, subtract } from '../sums/exact-numbers.ts';
import { NO_FACTS } from './join-groups.ts';

/** One period of joined groups. */
interface ComparedFacts {
  readonly facts: Accumulators;
  readonly deriveContext: DeriveContext;
  /** By joined group, as in `JoinedGroups`. */
  readonly groupOf: Int32Array;
  /** As in `DeriveContext`, of joined groups. */
  readonly experienceOf: DeriveContext['experienceOf'];
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
      return readMetric(name, now, before);
    case 'compared':
      return readMetric(name, before, now);
    case 'change':
      return readChange(name, now, before);
    case 'relativeChange': {
      const [changeOf, beforeOf] = [readChange(name, now, before), readMetric(name, before, now)];
      return (group) => {
        const [change, value] = [changeOf(group), beforeOf(group)];
        return change === null || typeof value !== 'number' || value === 0 ? null : change / Math.abs(value);
      };
    }
  }
}

/** Kinds of metrics that are 0 without facts. */
const COUNTED: ReadonlySet<MetricDefinition['kind']> = new Set(['sum', 'distinct', 'planned', 'remaining']);

function readMetric(
  name: MetricName,
  { facts, deriveContext, groupOf, experienceOf }: ComparedFacts,
  other: ComparedFacts,
): Read<ReportValue> {
  const derive = deriveMetric(name, facts, deriveContext);
  const present = COUNTED.has(metricOf(name).kind) ? presentIn(name, deriveContext) : new Set();
  const isCovered = coverageOf(name, other.facts, other.deriveContext);
  return (group) => {
    const own = groupOf[group] as number; // groups are joined ones
    if (own > NO_FACTS) return derive(own);
    return own === NO_FACTS && present.has(experienceOf?.(group)) && isCovered(other.groupOf[group] ?? 0) ? 0 : null;
  };
}

/** The change of a sum is the difference of exact sums, divided once. */
function readChange(name: MetricName, now: ComparedFacts, before: ComparedFacts): Read<number | null> {
  const [nowOf, beforeOf] = [readMetric(name, now, before), readMetric(name, before, now)];
  const definition: MetricDefinition = metricOf(name);
  const [sumOf, sumBefore, scale] =
    definition.kind === 'sum'
      ? [readSum(name, definition, now), readSum(name, definition, before), scaleOf(definition)]
      : [];
  return (group) => {
    const [value, earlier] = [nowOf(group), beforeOf(group)];
    if (typeof value !== 'number' || typeof earlier !== 'number') return null;
    if (sumOf === undefined || sumBefore === undefined || scale === undefined) return value - earlier;
    return divide(subtract(sumOf(group), sumBefore(group)), scale);
  };
}

function readSum(
  name: MetricName,
  definition: SumMetric,
  { facts, deriveContext, groupOf }: ComparedFacts,
): Read<ExactInteger> {
  const sumOf = sumsOf(name, definition, facts, deriveContext);
  return (group) => {
    const own = groupOf[group] as number; // as in readMetric
    return own > NO_FACTS ? sumOf(own) : 0;
  };
}
