import type { AttributeMetric } from '../../catalog/definitions.ts';
import { type DimensionName, dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import { type MetricName, metric } from '../../catalog/metrics.ts';
import { isPattern } from '../../catalog/operators.ts';
import { explainUndefined, factTablesOf, type UndefinedMetric } from '../../catalog/rules.ts';
import { type BaseColumn, type FactTable, type Measure, measureHome, tableHas } from '../../catalog/tables.ts';
import type { Filter, ReportQuery } from '../query.ts';
import { type Condition, compileFilter } from './conditions.ts';

/** The grouped dimensions that one base column decides: rows alike in the base are alike in all of them. */
export interface Axis {
  readonly base: BaseColumn;
  readonly dimensions: readonly DimensionName[];
}

/** A test put to rows before they are grouped, on a dimension or on an attribute of the row's ad group. */
export interface RowCondition {
  readonly base: BaseColumn;
  readonly field: DimensionName | MetricName;
  readonly passes: Condition;
}

/** A test put to groups, after all their facts are summed. */
export interface GroupCondition {
  readonly metric: MetricName;
  readonly passes: Condition;
}

/** One pass over a fact table: what to sum there. Its rows make groups. */
export interface TableScan {
  readonly table: FactTable;
  readonly measures: readonly Measure[];
  readonly users: boolean;
}

/**
 * Where the plans of campaigns that have the only budget enter pacing. `rows` (and the total): nothing tells their ad groups apart. `total`: a
 * dimension does. `nowhere`: a filter does.
 */
export type CampaignPlans = 'rows' | 'total' | 'nowhere';

/** What a report needs, known from the request and the catalogue alone. */
export interface Plan {
  readonly query: ReportQuery;
  readonly axes: readonly Axis[];
  readonly rowConditions: readonly RowCondition[];
  readonly groupConditions: readonly GroupCondition[];
  readonly scans: readonly TableScan[];
  /** Whether market is scanned, for share_of_voice. */
  readonly market: boolean;
  /** Whether pacing is asked for, and where campaigns' plans enter it. */
  readonly pacing: { readonly campaignPlans: CampaignPlans } | undefined;
  /** Whether groups must know the one ad group and campaign of their facts. */
  readonly attributes: boolean;
  /** Metrics (requested or filtered) that are null in every row, with the reason. */
  readonly undefinedMetrics: ReadonlyMap<MetricName, UndefinedMetric>;
}

const FACT_TABLES_OF_ADVERTISERS: readonly FactTable[] = ['delivery', 'conversions', 'activity'];

/** @returns the plan: pure, made without I/O, comparable by equality but for its conditions. */
export function planReport(query: ReportQuery): Plan {
  const fieldsBeforeGrouping = [...query.dimensions, ...query.filters.map((it) => it.field).filter(isDimension)];
  const filteredMetrics = query.filters.map((it) => it.field).filter((it): it is MetricName => !isDimension(it));
  const metrics = [...new Set([...query.metrics, ...filteredMetrics])];
  const undefinedMetrics = new Map<MetricName, UndefinedMetric>();
  for (const name of metrics) {
    const why = explainUndefined(name, query.experience, fieldsBeforeGrouping);
    if (why !== undefined) undefinedMetrics.set(name, why);
  }
  const rowConditions = planRowConditions(query.filters);
  const bases = [...fieldsBeforeGrouping.map((it) => dimensionOf(it).base), ...rowConditions.map((it) => it.base)];
  const meant = metrics.filter((name) => !undefinedMetrics.has(name));
  return {
    query,
    axes: planAxes(query.dimensions),
    rowConditions,
    groupConditions: planGroupConditions(query.filters),
    scans: planScans(metrics, meant, bases),
    market: meant.includes('share_of_voice'),
    pacing: meant.includes('pacing') ? { campaignPlans: placeCampaignPlans(query) } : undefined,
    attributes: metrics.some((name) => metric(name).kind === 'attribute' && query.metrics.includes(name)),
    undefinedMetrics,
  };
}

/**
 * Totals are the one-row report of the same request, but most of that is the sum of the rows.
 * @param plan of the request
 * @param whole of the same request without dimensions
 * @returns what the rows do not accumulate: tables that lack one of the dimensions, metrics that have no meaning by them; undefined where nothing is missing
 */
export function planMissing(plan: Plan, whole: Plan): Plan | undefined {
  const pacing = plan.pacing === undefined ? whole.pacing : undefined;
  const scans = whole.scans.flatMap((scan): TableScan[] => {
    const own = plan.scans.find((it) => it.table === scan.table);
    if (own === undefined) return [scan];
    const measures = scan.measures.filter((it) => !own.measures.includes(it));
    const users = scan.users && !own.users;
    const isPaced = pacing !== undefined && scan.table === 'delivery';
    return measures.length > 0 || users || isPaced ? [{ table: scan.table, measures, users }] : [];
  });
  return scans.length === 0 ? undefined : { ...whole, scans, pacing, market: false };
}

/** @returns where an attribute metric's value stands: the ad group's base column decides it. */
export function attributeOf(name: MetricName): AttributeMetric | undefined {
  const definition = metric(name);
  return definition.kind === 'attribute' ? definition : undefined;
}

function planAxes(dimensions: readonly DimensionName[]): Axis[] {
  const byBase = Map.groupBy(dimensions, (name) => dimensionOf(name).base);
  return [...byBase].map(([base, names]) => ({ base, dimensions: names }));
}

function planRowConditions(filters: readonly Filter[]): RowCondition[] {
  const conditions: RowCondition[] = [];
  for (const filter of filters) {
    const { field } = filter;
    if (isDimension(field)) {
      const { base, type, digits } = dimensionOf(field);
      conditions.push({
        base,
        field,
        passes: compileFilter(digits === undefined ? filter : padValues(filter, digits), type),
      });
    } else if (attributeOf(field) !== undefined) {
      conditions.push({ base: 'ad_group_id', field, passes: compileFilter(filter, metric(field).type) });
    }
  }
  return conditions;
}

/** Codes are often kept without their leading zeros; where a pattern is asked for, the text stands as it is. */
function padValues(filter: Filter, digits: number): Filter {
  if (isPattern(filter.operator)) return filter;
  return {
    ...filter,
    values: filter.values.map((text) => (/^[0-9]+$/.test(text) ? text.padStart(digits, '0') : text)),
  };
}

function planGroupConditions(filters: readonly Filter[]): GroupCondition[] {
  const conditions: GroupCondition[] = [];
  for (const filter of filters) {
    const { field } = filter;
    if (isDimension(field) || attributeOf(field) !== undefined) continue;
    conditions.push({ metric: field, passes: compileFilter(filter, metric(field).type) });
  }
  return conditions;
}

/**
 * A group exists where a table that a requested or filtered metric needs has rows; without any fact metric, where any of the
 * advertisers' tables has. A table that lacks a grouped or filtered base column makes no rows and is not read.
 */
function planScans(
  metrics: readonly MetricName[],
  meant: readonly MetricName[],
  bases: readonly BaseColumn[],
): TableScan[] {
  const needed = new Set(metrics.flatMap((name) => factTablesOf(metric(name))));
  const tables =
    needed.size === 0 ? FACT_TABLES_OF_ADVERTISERS : FACT_TABLES_OF_ADVERTISERS.filter((it) => needed.has(it));
  const measures = new Set(meant.flatMap(measuresOf));
  return tables
    .filter((table) => bases.every((base) => tableHas(table, base)))
    .map((table) => ({
      table,
      measures: [...measures].filter((measure) => measureHome(measure).table === table).sort(),
      users: meant.some((name) => usersOf(name) === table),
    }));
}

function measuresOf(name: MetricName): readonly Measure[] {
  const definition = metric(name);
  if (definition.kind === 'sum') return [definition.measure];
  if (definition.kind === 'ratio') return [definition.numerator, definition.denominator];
  if (definition.kind === 'pacing') return ['cost'];
  return definition.kind === 'share' ? ['impressions'] : [];
}

function usersOf(name: MetricName): FactTable | undefined {
  const definition = metric(name);
  return definition.kind === 'distinct' ? definition.table : undefined;
}

/** @returns where campaigns' plans enter pacing: they have no meaning where ad groups of one campaign are told apart. */
function placeCampaignPlans({ dimensions, filters }: ReportQuery): CampaignPlans {
  if (filters.some(({ field }) => splitsCampaigns(field))) return 'nowhere';
  return dimensions.some(splitsCampaigns) ? 'total' : 'rows';
}

/** @returns whether the field differs between ad groups of one campaign */
export function splitsCampaigns(field: DimensionName | MetricName): boolean {
  if (!isDimension(field)) return attributeOf(field)?.entity === 'ad_group';
  return field === 'ad_group_id' || dimensionOf(field).join?.table === 'ad_groups';
}
